"""The talks from which the model in the box learns to speak."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.speak.lines import BadExample, held_back
from models.speak.review import main
from models.speak.review_talks import faults
from models.speak.talks import read, read_all
from tests.speak.ferry import TALK


def _file(folder: Path, *talks: dict[str, Any]) -> Path:
    path = folder / "ferry.jsonl"
    path.write_text("".join(json.dumps(talk) + "\n" for talk in talks), encoding="utf-8")
    return path


def _with_reply(text: str) -> dict[str, Any]:
    turns = [*TALK["turns"][:3], {"who": "npc", "text": text}]
    return {**TALK, "turns": turns}


def _found(folder: Path, *talks: dict[str, Any]) -> str:
    return "\n".join(str(fault) for fault in faults(list(read(_file(folder, *talks)))))


def test_the_talks_that_we_train_on_have_no_fault() -> None:
    talks = read_all()
    assert len(talks) >= 240
    assert [str(fault) for fault in faults(talks)] == []


def test_a_good_talk_has_no_fault(tmp_path: Path) -> None:
    assert _found(tmp_path, TALK) == ""


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("At noon. Ask for Marten.", "names Marten"),
        ("That makes 12 coins.", "names 12"),
        ("*nods* At noon.", "narration"),
        ('"At noon."', "narration"),
        ("Hanne: at noon.", "begins with the speaker's name"),
        ("Mind the plank.", "repeats a line of the voice"),
        ("I am. Watch that plank, it's loose.", "twice"),
        ("I was always afraid of water, since my brother drowned.", "gives the secret away"),
        ("I row and " * 21, "63 words"),
    ],
)
def test_a_faulty_reply_is_found(tmp_path: Path, reply: str, why: str) -> None:
    assert why in _found(tmp_path, _with_reply(reply))


def test_names_from_the_talk_itself_are_no_fault(tmp_path: Path) -> None:
    assert _found(tmp_path, _with_reply("Very well, Robin. Tuesday suits me.")) == ""


def test_the_same_reply_in_two_talks_is_found(tmp_path: Path) -> None:
    assert "the same reply" in _found(tmp_path, TALK, {**TALK, "place": "the other bank"})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"age": "old"}, "ferry.jsonl:1: age"),
        ({"turns": [*TALK["turns"][1:], TALK["turns"][0]]}, "the player begins"),
        ({"turns": TALK["turns"][:3]}, "turns"),
        ({"mood": "cheerful"}, "mood"),
    ],
)
def test_a_line_that_is_no_talk_is_reported_with_its_place(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    with pytest.raises(BadExample, match=why):
        list(read(_file(tmp_path, {**TALK, **change})))


def test_the_command_ends_with_1_for_faults_and_with_2_for_a_bad_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(_file(tmp_path, TALK))]) == 0
    assert "1 talks: 0 faults" in capsys.readouterr().out
    assert main([str(_file(tmp_path, _with_reply("Ask Marten.")))]) == 1
    assert main([str(tmp_path / "nowhere.jsonl")]) == 2


def test_a_tenth_of_each_file_is_held_back() -> None:
    assert [number for number in range(1, 41) if held_back(number)] == [10, 20, 30, 40]
