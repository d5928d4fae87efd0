"""After a change of prompts, one command keeps the answers that still fit, and names the prompts that need a new one."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from npc_eval.engines.recorded import Recording
from npc_eval.engines.recording_file import RecordedAnswer, pack
from tests.recorded.keep_life import rekey
from tests.recorded.lives import DAY, HERE

LIFE = HERE / "millbrook_morning"


def recorded_before(folder: Path, change: Callable[[RecordedAnswer], RecordedAnswer | None]) -> Path:
    """The life as it would have been recorded before a change of the prompts."""
    shutil.copytree(LIFE, folder)
    pack(folder, [made for it in Recording(LIFE) if (made := change(it)) is not None])
    return folder


def test_a_changed_word_costs_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = recorded_before(tmp_path / "life", lambda it: replace(it, user=it.user.replace("Plan your day", "Plan this whole day")))
    assert asyncio.run(rekey(folder)) == 0
    assert "6 answers fit exactly, 3 nearly, 0 prompts were new." in capsys.readouterr().out
    assert list(Recording(folder)) == list(Recording(LIFE))
    assert (folder / DAY).read_bytes() == (LIFE / DAY).read_bytes()


def test_what_needs_a_new_answer_is_named_and_nothing_is_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = recorded_before(tmp_path / "life", lambda it: None if (it.npc, it.stage) == ("ines_calder", "plan_day") else it)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert asyncio.run(rekey(folder)) == 1
    said = capsys.readouterr().out
    assert "Monday 4 May, 07:00 plan_day of ines_calder: Nothing was asked then." in said
    assert "--by-hand FOLDER" in said
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
