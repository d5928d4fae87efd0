"""`npc-server answer`: what those who answer a run by hand read, and what they are told."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from npc_eval.commands.answer import answer
from npc_eval.engines.by_hand import RunState
from npc_server.errors import BadInput

STORY = "Mara Voss is the baker of Millbrook, and she has kept the Kettle Café for nine years now."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of this process that asks Mara and Tobin a question each."""
    (tmp_path / "questions").mkdir()
    (tmp_path / "answers").mkdir()
    say_run(tmp_path, RunState.RUNNING)
    for number, npc in ((1, "mara_voss"), (2, "tobin_hale")):
        asked = {"number": number, "stage": "say", "npc": npc, "time": "Monday 4 May, 10:20", "note": "", "system": STORY, "user": "Well?"}
        (tmp_path / "questions" / f"{number:04}.json").write_text(json.dumps(asked), encoding="utf-8")
    return tmp_path


def say_run(folder: Path, state: RunState) -> None:
    (folder / "run.json").write_text(json.dumps({"state": state.value, "process": os.getpid()}), encoding="utf-8")


def run(*words: object, text: str = "") -> Any:
    app = Typer(pretty_exceptions_enable=False)
    app.command()(answer)
    return CliRunner().invoke(app, [*map(str, words), "--wait", "0"], input=text)


def test_all_open_questions_are_printed_and_a_text_that_repeats_only_once(folder: Path) -> None:
    said = run(folder).stdout
    assert said.index("=== 1  say  mara_voss  Monday 4 May, 10:20") < said.index("=== 2  say  tobin_hale")
    assert said.count(STORY) == 1
    assert said.count("… (as before)") == 1
    assert said.count("[question]\nWell?") == 2


def test_who_gives_a_name_does_not_read_the_same_text_again(folder: Path) -> None:
    assert STORY in run(folder, "--me", "ann", "--npc", "mara").stdout
    assert STORY not in run(folder, "--me", "ann", "--npc", "mara").stdout
    assert STORY in run(folder, "--me", "bob", "--npc", "mara").stdout


def test_who_is_not_asked_now_is_told_who_is(folder: Path) -> None:
    assert run(folder, "--npc", "ines").stdout == "No question is open for you. Ask again. Others are asked: mara_voss 1, tobin_hale 1.\n"


def test_an_answer_that_is_not_taken_is_said_and_the_command_fails(folder: Path) -> None:
    done = run(folder, "--several", text="=== 9\nyes\n")
    assert done.stdout == "9: NOT TAKEN. There is no question 9. Look at what is open now.\n"
    assert done.exit_code == 1


@pytest.mark.parametrize(("state", "said"), [(RunState.ENDED, "The run has ended."), (RunState.RUNNING, "The run was broken off.")])
def test_the_end_of_a_run_is_said(folder: Path, state: RunState, said: str) -> None:
    for path in (folder / "questions").iterdir():
        path.unlink()
    (folder / "run.json").write_text(json.dumps({"state": state.value, "process": 2**22 + 1}), encoding="utf-8")
    assert run(folder).stdout.startswith(said)


def test_a_folder_without_a_run_and_a_strange_name_are_refused(tmp_path: Path, folder: Path) -> None:
    assert "No run asks in" in str(run(tmp_path / "nowhere").exception)
    assert isinstance(run(folder, "--me", "../x").exception, BadInput)
