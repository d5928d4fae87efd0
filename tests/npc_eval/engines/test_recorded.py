from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from npc_eval.engines.recorded import RecordedEngine, Recording, asked_as
from npc_eval.engines.recording_file import FILE, digest
from npc_server.config import EngineSettings
from npc_server.errors import BadInput, FileProblem, ModelMissing
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.llm.start import open_engine
from tests.llm.kinds import KINDS


def ask(user: str = "Where is Tobin?", stage: str = "say", system: str = "You are Mara.") -> Request:
    return Request(system=system, user=user, reply=KINDS["text"], seed=1, npc="mara_voss", stage=stage)


async def recorded(folder: Path, *asked: Request) -> list[str]:
    """Answers of a scripted model, recorded."""
    engine = RecordedEngine(Recording(folder), ScriptedEngine({"say": [f"answer {i}" for i in range(len(asked))]}))
    return [(await engine.complete(request)).text for request in asked]


async def test_what_was_answered_is_answered_again_whatever_the_seed(tmp_path: Path) -> None:
    first = await recorded(tmp_path, ask("one"), ask("two"))
    engine = RecordedEngine(Recording(tmp_path))
    assert [(await engine.complete(replace(ask(user), seed=9))).text for user in ("two", "one")] == first[::-1]
    engine.require_complete()


async def test_a_recording_is_asked_as_its_model_was(tmp_path: Path) -> None:
    model = ScriptedEngine({}, chats=True, weak_at=["react"]).status()
    kept = json.loads(json.dumps(asked_as(model)))
    again = RecordedEngine(Recording(tmp_path), asked_as=kept).status()
    assert (again.chats, again.weak_at, again.own_lines) == (True, frozenset({"react"}), model.own_lines)
    assert not RecordedEngine(Recording(tmp_path)).status().chats


async def test_a_prompt_that_came_up_twice_gets_its_answers_in_order_and_then_the_last(tmp_path: Path) -> None:
    await recorded(tmp_path, ask(), ask())
    engine = RecordedEngine(Recording(tmp_path))
    assert [(await engine.complete(ask())).text for _ in range(3)] == ["answer 0", "answer 1", "answer 1"]


@pytest.mark.parametrize("change", [{"npc": "tobin_hale"}, {"stage": "act"}, {"system": "You are Tobin."}, {"user": "Where?"}])
def test_each_part_of_a_prompt_names_it(change: dict[str, Any]) -> None:
    assert digest(replace(ask(), **change)) != digest(ask())


async def test_a_new_prompt_is_named_with_the_line_that_changed(tmp_path: Path) -> None:
    await recorded(tmp_path, ask("It is noon.\nWhere is Tobin?"), ask("It is late.\nWho are you?"))
    engine = RecordedEngine(Recording(tmp_path))
    with pytest.raises(ModelMissing, match="'say' of 'mara_voss' is not recorded"):
        await engine.complete(ask("It is noon.\nWhere is Ines?"))
    with pytest.raises(BadInput) as caught:
        engine.require_complete()
    assert ": 1. The first is 'say' of 'mara_voss'." in str(caught.value)
    assert "has 'Where is Tobin?' where this one has 'Where is Ines?'" in str(caught.value)
    assert f"by-hand:{tmp_path}" in caught.value.fix
    assert "No prompt 'act' of 'mara_voss' is recorded." in engine.recording.difference(ask(stage="act"))
    assert "'(no more lines)' where this one has 'Say.'" in engine.recording.difference(ask("It is noon.\nWhere is Tobin?\nSay."))


async def test_a_run_that_was_broken_off_goes_on_where_it_was(tmp_path: Path) -> None:
    await recorded(tmp_path, ask("one"))
    with (tmp_path / FILE).open("a", encoding="utf-8") as file:
        file.write('{"stage": "say", "npc": "ma')  # the machine went off
    engine = RecordedEngine(Recording(tmp_path), ScriptedEngine({"say": ["new"]}))
    assert [(await engine.complete(ask(user))).text for user in ("one", "two")] == ["answer 0", "new"]
    assert len(Recording(tmp_path)) == 2
    assert [json.loads(line)["user"] for line in (tmp_path / FILE).read_text(encoding="utf-8").splitlines()] == ["one", "two"]


@pytest.mark.parametrize("line", ["nonsense", "[]", '{"stage": "say"}', '{"stage": 1, "npc": "", "system": "", "user": "", "answer": ""}'])
def test_a_line_that_is_no_answer_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / FILE).write_text(line + "\n", encoding="utf-8")
    with pytest.raises(FileProblem, match=r"recorded\.jsonl:1: This line is no recorded answer"):
        Recording(tmp_path)


async def test_the_settings_name_a_recording_in_place_of_a_model(tmp_path: Path) -> None:
    await recorded(tmp_path, ask())
    engine = await open_engine(EngineSettings(model=f"recorded:{tmp_path}"))
    assert (await engine.complete(ask())).text == "answer 0"
    assert engine.status().ready
    with pytest.raises(BadInput, match="no recorded answers"):
        await open_engine(EngineSettings(model=f"recorded:{tmp_path / 'nowhere'}"))
