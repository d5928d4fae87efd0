"""Examples of all kinds are read with errors that say what is wrong, and refer to each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from models.speak import worlds
from models.speak.lines import BadExample
from tests.speak.ferry import DAY, FERRY, JOOST, MEETING, REACTION, REFLECTION, SUMMARY, write


def _load(folder: Path, **changed: dict[str, Any]) -> worlds.World:
    write(folder, {kind: [changed.get(kind, examples[0])] for kind, examples in FERRY.items()})
    return worlds.load("ferry", folder)


def test_a_person_of_the_talks_is_named_by_the_name_alone(tmp_path: Path) -> None:
    world = _load(tmp_path)
    assert world.person("Hanne Brook").age == 41
    assert world.person("Joost Vane").identity[0] == "Joost Vane, 60, makes ropes."


@pytest.mark.parametrize(
    ("kind", "example", "why"),
    [
        ("days", {**DAY, "person": "Hanne Brok"}, "days/ferry.jsonl:1: nobody in talks/ferry.jsonl is called 'Hanne Brok'"),
        ("days", {**DAY, "sleep": "9 pm"}, "days/ferry.jsonl:1: sleep"),
        ("days", {**DAY, "memories": ["Robin came."]}, r"does not say when that was; begin it with e.g. '\(yesterday\) '"),
        ("days", {**DAY, "weather": "fair"}, "weather"),
        ("reactions", {**REACTION, "other": None}, "nobody stands in `other`"),
        ("reactions", {**REACTION, "reaction": "continue"}, "who continues has no `what`"),
        ("reactions", {**REACTION, "what": ""}, "say in `what` what for"),
        ("reactions", {**REACTION, "other": {**REACTION["other"], "relation": "the neighbor"}}, "begins with an article"),
        ("meetings", {**MEETING, "turns": [*MEETING["turns"][1:], MEETING["turns"][0]]}, "line 1 of the talk is by 'Joost'"),
        ("meetings", {**MEETING, "sides": [MEETING["sides"][1], MEETING["sides"][1]]}, "`other.who` is 'Hanne Brook'"),
        ("summaries", {**SUMMARY, "talk": 2}, "summaries/ferry.jsonl:1: talks/ferry.jsonl has no line 2"),
        ("summaries", {**SUMMARY, "person": "Joost Vane"}, "talk 1 is one of Hanne Brook, and `person` is 'Joost Vane'"),
        ("summaries", {**SUMMARY, "mood": "happy"}, "a mood needs its reason"),
        ("summaries", {**SUMMARY, "meeting": 1}, "and not both"),
        ("summaries", {**SUMMARY, "talk": 0, "meeting": 1}, "meeting 1 is with 'Joost Vane', and `other.who` is 'Robin'"),
        ("reflections", {**REFLECTION, "insights": [{"text": "So", "memories": [4]}] * 2}, "insight 1 cites memory 4, and there are 3"),
        ("reflections", {**REFLECTION, "questions": ["Why?"]}, "questions"),
    ],
)
def test_a_wrong_example_is_reported_with_file_line_and_reason(tmp_path: Path, kind: str, example: dict[str, Any], why: str) -> None:
    with pytest.raises(BadExample, match=why):
        _load(tmp_path, **{kind: example})


def test_an_agreement_of_a_meeting_needs_hour_place_and_purpose(tmp_path: Path) -> None:
    turns = [*MEETING["turns"][:3], {"who": "Joost", "text": "I will.", "agrees": "Wednesday at the landing"}]
    with pytest.raises(BadExample, match="is no agreement; write it as"):
        _load(tmp_path, meetings={**MEETING, "turns": turns})


def test_a_summary_may_be_of_a_meeting(tmp_path: Path) -> None:
    other = {"who": "Hanne Brook", "relation": "neighbor", "closeness": 4}
    world = _load(tmp_path, summaries={**SUMMARY, "talk": 0, "meeting": 1, "person": JOOST["name"], "other": other})
    talk = world.conversation(world.summaries[0].example)
    assert [line.who for line in talk.lines[:2]] == ["Hanne Brook", "Joost Vane"]
    assert "Joost bought tar." in talk.known
    assert "The rope was frayed." not in talk.known


def test_the_summary_of_a_talk_is_held_back_with_the_talk(tmp_path: Path) -> None:
    write(tmp_path, {**FERRY, "talks": FERRY["talks"] * 10, "summaries": [SUMMARY, {**SUMMARY, "talk": 10}] + [SUMMARY] * 8})
    world = worlds.load("ferry", tmp_path)
    assert [world.holds_back(written) for written in world.talks] == [False] * 9 + [True]
    assert [world.holds_back(written) for written in world.summaries] == [False, True] + [False] * 8
