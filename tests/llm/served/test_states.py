"""What llama.cpp's own server has read of an NPC is on disk for the next play, with a stand-in for the server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from npc_server.llm.engine import Completion, Priority, Request
from npc_server.llm.served.server import LlamaCppServer
from npc_server.llm.served.states import SlotFiles
from npc_server.llm.state_files import FOLDER
from tests.llm.kinds import KINDS
from tests.llm.served.conftest import Log, Start
from tests.waiting import until

WHO = "You are Mara, who bakes. " * 10
TALK = Request(WHO, "Good morning!", KINDS["text"], 7, free=True, lasting_turns=0)
READS = replace(TALK, user="…", only_reads=True, max_tokens=1, priority=Priority.IDLE)


@pytest.fixture(autouse=True)
def _slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SLOTS", "3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models" / FOLDER


class Plays:
    """Plays one after the other, each with a server of its own."""

    def __init__(self, start: Start, folder: Path) -> None:
        self.start, self.folder = start, folder

    async def ask(self, *requests: Request, keeps: bool = True) -> list[Completion]:
        engine = self.start(states_mb=10, models_folder=self.folder.parent)
        await engine.loaded()
        assert engine.status().keeps_states == keeps
        found = [await engine.complete(request) for request in requests]
        await engine.close()
        return found

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*.state"))


@pytest.fixture
def plays(start: Start, folder: Path) -> Plays:
    return Plays(start, folder)


async def test_next_play_reads_only_what_is_new(plays: Plays, folder: Path) -> None:
    (first,) = await plays.ask(TALK)
    assert first.cached_tokens < 100
    (again,) = await plays.ask(replace(TALK, user="And rye?"))
    assert again.text == first.text
    assert again.cached_tokens > len(WHO)
    assert not list((folder / "slots").iterdir()), "the server's copies are gone"


async def test_who_is_read_when_nothing_else_is_to_be_done_is_there_for_the_next_play(plays: Plays, log: Log) -> None:
    await plays.ask(READS)
    asked = len(log.asked())
    (known,) = await plays.ask(READS)
    assert known.text == ""
    assert len(log.asked()) == asked, "it is there, so nothing is read"
    (line,) = await plays.ask(replace(TALK, priority=Priority.PLAYER))
    assert line.cached_tokens > len(WHO)


async def test_what_the_server_has_is_not_taken_from_disk(plays: Plays, log: Log) -> None:
    await plays.ask(READS)
    other = replace(TALK, system="You are Tom, who fishes. " * 10)
    restored = len(log.of("restore"))
    await plays.ask(TALK, other, replace(TALK, user="And rye?"))
    assert len(log.of("restore")) == restored + 1


async def test_a_state_goes_into_a_slot_that_answers_nothing(plays: Plays, log: Log) -> None:
    await plays.ask(READS)
    engine = plays.start(states_mb=10, models_folder=plays.folder.parent)
    hanging = asyncio.create_task(engine.complete(replace(TALK, user="hang", system="You are Tom.", lasting_turns=-1)))
    await until(lambda: log.of("hangs"))
    await engine.complete(replace(TALK, priority=Priority.USUAL))
    assert log.of("restore")[-1]["slot"] != log.of("hangs")[-1]["slot"]
    hanging.cancel()


async def test_a_talk_that_was_not_read_ahead_is_kept_after_its_answer(plays: Plays) -> None:
    engine = plays.start(states_mb=10, models_folder=plays.folder.parent)
    await engine.complete(replace(TALK, priority=Priority.PLAYER))
    await until(plays.files)


async def test_a_file_is_not_mostly_of_a_talk_that_is_over(plays: Plays) -> None:
    await plays.ask(replace(TALK, user="word " * 300))
    assert not plays.files()


async def test_a_state_that_the_server_refuses_is_read_anew(plays: Plays, monkeypatch: pytest.MonkeyPatch) -> None:
    await plays.ask(READS)
    monkeypatch.setenv("FAKE_REFUSES", "1")
    (line,) = await plays.ask(replace(TALK, priority=Priority.PLAYER))
    assert line.text == "Good morning!"
    assert not plays.files()


async def test_a_damaged_file_never_reaches_the_server(plays: Plays, log: Log) -> None:
    await plays.ask(READS)
    (file,) = plays.files()
    data = file.read_bytes()
    file.write_bytes(data[:-3] + b"???")
    restored = len(log.of("restore"))
    (line,) = await plays.ask(replace(TALK, priority=Priority.PLAYER))
    assert line.text == "Good morning!"
    assert len(log.of("restore")) == restored
    assert not plays.files()


async def test_a_state_of_which_the_server_dies_is_tried_once(plays: Plays, monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    await plays.ask(READS)
    monkeypatch.setenv("FAKE_DIES", "1")
    engine = plays.start(states_mb=10, models_folder=plays.folder.parent, deaths_max=9)
    await engine.loaded()
    restored = len(log.of("restore"))
    assert (await engine.complete(replace(TALK, priority=Priority.PLAYER))).text == "Good morning!"
    assert len(log.of("restore")) == restored + 1
    assert not plays.files()


async def test_old_server_keeps_nothing_and_answers(plays: Plays, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAKE_SLOTS")
    (line,) = await plays.ask(TALK, keeps=False)
    assert line.text == "Good morning!"
    assert not plays.files()


async def test_trial_is_made_once_for_a_model(plays: Plays, log: Log) -> None:
    await plays.ask()
    saved = len(log.of("save"))
    await plays.ask()
    assert len(log.of("save")) == saved == 1


async def test_a_trial_that_ends_the_server_is_given_up(plays: Plays) -> None:
    await plays.ask()
    (note,) = plays.folder.glob("*.trial")
    note.write_text("???")
    await plays.ask(keeps=False)


async def test_a_folder_that_cannot_be_made_keeps_nothing(plays: Plays, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("no folder")
    (line,) = await plays.ask(TALK, keeps=False)
    assert line.text == "Good morning!"


class OneSlot:
    """A server whose only slot has a prompt."""

    def __init__(self, folder: Path, prompt: list[int]) -> None:
        self.folder, self.prompt = folder, np.array(prompt, np.int32)

    def post(self, path: str, body: dict[str, str]) -> object:
        (self.folder / body["filename"]).write_bytes(b"head" + self.prompt.tobytes() + b"numbers")
        return {}


@pytest.mark.parametrize(("wanted", "found"), [([1, 2, 3], True), ([1, 2], True), ([2, 1], False)])
def test_a_slot_that_has_another_prompt_meanwhile_is_not_kept(tmp_path: Path, wanted: list[int], found: bool) -> None:
    files = SlotFiles(cast("LlamaCppServer", OneSlot(tmp_path, [1, 2, 3])), tmp_path)
    assert (files.save(0, np.array(wanted, np.int32)) is not None) == found
    assert not list(tmp_path.iterdir())
