from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from npc_eval.engines.by_hand import ByHandEngine
from npc_eval.engines.recorded import Recording
from npc_server.config import EngineSettings
from npc_server.errors import BadInput
from npc_server.llm.engine import Request
from npc_server.llm.start import open_engine
from tests.llm.kinds import KINDS
from tests.waiting import until


def ask(user: str = "How many?", kind: str = "number") -> Request:
    return Request(system="You are Mara.", user=user, reply=KINDS[kind], seed=1, npc="mara_voss", stage="say")


def waiting(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / "questions").glob("*.json"))]


def answer(folder: Path, number: int, text: str) -> None:
    (folder / "answers" / f"{number:04}.txt").write_text(text, encoding="utf-8")


async def test_a_question_waits_as_a_file_until_its_answer_is_written(tmp_path: Path) -> None:
    engine = ByHandEngine(tmp_path, poll_s=0)
    pieces: list[str] = []
    asked = asyncio.create_task(engine.complete(ask("How much does it matter?", "integer"), pieces.append))
    await until(lambda: waiting(tmp_path))
    (question,) = waiting(tmp_path)
    assert (question["system"], question["user"]) == ("You are Mara.", "How much does it matter?")
    assert (question["stage"], question["npc"], question["number"]) == ("say", "mara_voss", 1)
    assert engine.status().waiting == 1
    assert "answers/NNNN.txt" in (tmp_path / "README.txt").read_text(encoding="utf-8")
    answer(tmp_path, 1, "7\n")
    assert (await asked).text == "7"
    assert pieces == ["7"]
    assert engine.status().waiting == 0
    assert not list((tmp_path / "questions").iterdir())
    assert not list((tmp_path / "answers").iterdir())


async def test_an_answer_that_cannot_be_read_is_asked_for_again_with_what_is_wrong(tmp_path: Path) -> None:
    asked = asyncio.create_task(ByHandEngine(tmp_path, poll_s=0).complete(ask(kind="integer")))
    await until(lambda: waiting(tmp_path))
    answer(tmp_path, 1, "seven")
    await until(lambda: waiting(tmp_path)[0]["note"])
    (question,) = waiting(tmp_path)
    assert "has 'importance' that" in question["note"]
    assert "You wrote: seven" in question["note"]
    assert (tmp_path / "answers" / "0001.refused.txt").read_text(encoding="utf-8") == "seven\n"
    answer(tmp_path, 1, "7")
    assert (await asked).text == "7"


async def test_questions_wait_side_by_side_and_one_that_is_given_up_goes_away(tmp_path: Path) -> None:
    engine = ByHandEngine(tmp_path, poll_s=0)
    asked = [asyncio.create_task(engine.complete(ask(name, "text"))) for name in ("one", "two", "three")]
    await until(lambda: len(waiting(tmp_path)) == 3)
    asked[1].cancel()
    await until(lambda: len(waiting(tmp_path)) == 2)
    answer(tmp_path, 3, "third")
    answer(tmp_path, 1, "first")
    assert [(await asked[0]).text, (await asked[2]).text] == ["first", "third"]


async def test_what_an_earlier_run_left_is_no_longer_asked_but_its_answers_count(tmp_path: Path) -> None:
    broken_off = ByHandEngine(tmp_path, poll_s=0)
    asked = [asyncio.create_task(broken_off.complete(ask(name, "text"))) for name in ("one", "two")]
    await until(lambda: len(waiting(tmp_path)) == 2)
    left = {path: path.read_text(encoding="utf-8") for path in (tmp_path / "questions").iterdir()}
    for task in asked:
        task.cancel()
    await asyncio.wait(asked)
    for path, text in left.items():  # as after a crash
        path.write_text(text, encoding="utf-8")
    answer(tmp_path, 2, "written while nothing ran")
    answer(tmp_path, 9, "to nothing")
    engine = ByHandEngine(tmp_path, poll_s=0)
    assert not waiting(tmp_path)
    assert not list((tmp_path / "answers").iterdir())
    assert (await engine.complete(ask("two", "text"))).text == "written while nothing ran"


async def test_the_settings_name_a_folder_in_place_of_a_model_and_answers_are_recorded(tmp_path: Path) -> None:
    engine = await open_engine(EngineSettings(model=f"by-hand:{tmp_path}"))
    asked = asyncio.create_task(engine.complete(ask("one", "text")))
    await until(lambda: waiting(tmp_path))
    answer(tmp_path, 1, "first")
    assert (await asked).text == "first"
    assert Recording(tmp_path).answers_to(ask("one", "text")) == ["first"]
    again = await open_engine(EngineSettings(model=f"by-hand:{tmp_path}"))
    assert (await again.complete(ask("one", "text"))).text == "first"


async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BadInput, match="cannot be written"):
        await open_engine(EngineSettings(model=f"by-hand:{tmp_path / 'file' / 'below'}"))
