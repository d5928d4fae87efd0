"""A recording is kept small, and nothing of it is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_eval.engines.recorded import Recording
from npc_eval.engines.recording_file import FILE, PROMPTS, RecordedAnswer, append, pack, read_answers
from npc_server.errors import FileProblem

ANSWERS = [
    RecordedAnswer("say", "mara_voss", f"You are Mara. {'Long story. ' * 100}", f"Line {n}?", f"Answer {n}.\nSecond row — ü", n)
    for n in range(50)
]


def recorded(folder: Path) -> Path:
    for it in ANSWERS:
        append(folder / FILE, it)
    return folder


def test_a_packed_recording_holds_the_same_answers_in_a_fraction_of_the_bytes(tmp_path: Path) -> None:
    before = recorded(tmp_path / "long")
    pack(tmp_path / "kept", read_answers(before))
    assert list(read_answers(tmp_path / "kept")) == ANSWERS
    size = sum((tmp_path / "kept" / name).stat().st_size for name in (FILE, PROMPTS))
    assert size < (before / FILE).stat().st_size / 5


def test_a_packed_recording_may_go_on(tmp_path: Path) -> None:
    pack(tmp_path, ANSWERS[:2])
    append(tmp_path / FILE, ANSWERS[2])
    assert list(read_answers(tmp_path)) == ANSWERS[:3]


def test_packing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    pack(tmp_path, ANSWERS)
    before = [(tmp_path / name).read_bytes() for name in (FILE, PROMPTS)]
    pack(tmp_path, Recording(tmp_path))
    assert [(tmp_path / name).read_bytes() for name in (FILE, PROMPTS)] == before


def test_a_recording_from_before_game_times_is_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"stage": "say", "npc": "m", "system": "s", "user": "u", "answer": "a"}\n', encoding="utf-8")
    assert list(read_answers(tmp_path)) == [RecordedAnswer("say", "m", "s", "u", "a")]


def test_lost_prompts_are_named(tmp_path: Path) -> None:
    pack(tmp_path, ANSWERS)
    (tmp_path / PROMPTS).write_bytes(b"nonsense")
    with pytest.raises(FileProblem, match="holds no prompts of a recording"):
        Recording(tmp_path)
    (tmp_path / PROMPTS).unlink()
    with pytest.raises(FileProblem, match=r"recorded\.jsonl:1: This line is no recorded answer"):
        Recording(tmp_path)
