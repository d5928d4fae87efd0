"""What a reader would stumble over in meetings, days, reactions, summaries and reflections is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from models.speak import review_kinds, worlds
from models.speak.review import main
from tests.speak.ferry import DAY, FERRY, MEETING, REACTION, REFLECTION, SUMMARY, write

PLAN = DAY["plan"]


def _found(folder: Path, kind: str, *examples: dict[str, Any]) -> str:
    write(folder, {**FERRY, kind: list(examples)})
    world = worlds.load("ferry", folder)
    return "\n".join(str(fault) for fault in [*review_kinds.faults(world), *review_kinds.faults_of_all([world])])


def _replies(*texts: str) -> dict[str, Any]:
    return {**MEETING, "turns": [{**line, "text": text} for line, text in zip(MEETING["turns"], texts, strict=True)]}


def _plan(*rows: tuple[str, str, str]) -> dict[str, Any]:
    return {**DAY, "plan": [{"start": start, "goal": goal, "activity": activity} for start, goal, activity in rows]}


def test_the_examples_that_we_train_on_have_no_fault() -> None:
    found = [worlds.load(name) for name in worlds.names()]
    assert sum(len(world.reactions) for world in found) >= 15
    assert [str(fault) for world in found for fault in review_kinds.faults(world)] == []
    assert [str(fault) for fault in review_kinds.faults_of_all(found)] == []


def test_good_examples_have_no_fault(tmp_path: Path) -> None:
    assert _found(tmp_path, worlds.DAYS, DAY) == ""


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (("Joost, the rope is frayed.", "Ask Marten.", "So.", "Well."), "names Marten"),
        (("Joost, the rope is frayed.", "*nods* I have tar.", "So.", "Well."), "narration"),
        (("Joost, the rope is frayed.", "I bought it two hours ago.", "You bought tar 2 times?", "No."), "names 2"),
        (("The rope is frayed.", "No hurry.", "But it will tear.", "Let it."), "repeats a line of the voice"),
        (("The rope is frayed.", "I see.", "The rope is frayed.", "I heard."), "says 'The rope is frayed.' twice"),
        (("I was afraid of water since my brother drowned.", "I see.", "You do?", "I do."), "gives the secret away"),
    ],
)
def test_a_faulty_line_of_a_meeting_is_found(tmp_path: Path, texts: tuple[str, ...], why: str) -> None:
    assert why in _found(tmp_path, worlds.MEETINGS, _replies(*texts))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"plan": PLAN[1:]}, "the plan begins 120 minutes after getting up"),
        ({"plan": PLAN[:-1]}, "the last line is 240 minutes before bedtime"),
        ({"plan": [*PLAN[:2], *PLAN[3:2:-1], PLAN[2], *PLAN[4:]]}, "10:00 comes after a later line"),
        ({"plan": [*PLAN[:1], *PLAN[2:]]}, "240 minutes before it; 180 may pass"),
        ({"plan": [{**hour, "goal": "live"} for hour in PLAN]}, "the day has 1 goals; 5 to 8 may be"),
        ({"plan": [{**PLAN[0], "activity": "wait for Marten"}, *PLAN[1:]]}, "names Marten"),
        ({"plan": [*PLAN[:4], {**PLAN[4], "activity": "row Robin over"}, *PLAN[5:]]}, "stands in the plan twice"),
        ({"agreed": ["12:00 row Robin over", "15:00 visit Joost"]}, "the plan has no line at 15:00 for 'visit Joost'"),
        ({"agreed": ["12:00 row Robin over", "noon: visit Joost"]}, "does not begin with its time"),
        ({"sleep": "19:00"}, "19:30 is not before bedtime at 19:00"),
    ],
)
def test_a_faulty_day_is_found(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    assert why in _found(tmp_path, worlds.DAYS, {**DAY, **change})


def test_a_day_may_end_after_midnight(tmp_path: Path) -> None:
    late = [*PLAN, {"start": "21:30", "goal": "rest", "activity": "sing"}, {"start": "00:30", "goal": "rest", "activity": "undress"}]
    assert _found(tmp_path, worlds.DAYS, {**DAY, "sleep": "01:00", "plan": late}) == ""


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"what": "why Marten shouts"}, "names Marten"),
        ({"what": "Ask about the hole."}, "is a sentence"),
        ({"minutes": 5}, "who talks has no `minutes`"),
        ({"reaction": "wait", "minutes": 90}, "90 minutes; 1 to 60 may be"),
        ({"what": "one | two"}, "separates fields"),
    ],
)
def test_a_faulty_reaction_is_found(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    assert why in _found(tmp_path, worlds.REACTIONS, {**REACTION, **change})


def test_a_file_of_one_reaction_only_is_found(tmp_path: Path) -> None:
    goes_on = {**REACTION, "reaction": "continue", "what": ""}
    talks = [{**REACTION, "what": what} for what in ("the hole", "tar")]
    waits = [{**goes_on, "reaction": "wait", "what": what} for what in ("Joost to look up", "the rain to pass")]
    changes = [{**goes_on, "reaction": "change", "what": what} for what in ("fetch the tar", "bail out the boat")]
    assert "100% of the reactions are 'continue'; 45% to 65% may be" in _found(tmp_path, worlds.REACTIONS, *[goes_on] * 15)
    assert _found(tmp_path, worlds.REACTIONS, *[goes_on] * 9, *talks, *waits, *changes) == ""


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"about": "Somebody wanted to be rowed over."}, "`about` does not name Robin"),
        ({"feeling": "Likes Robin well enough."}, "`feeling` does not name Hanne Brook"),
        ({"closeness": 4}, "closeness goes from 0 to 4 in one talk"),
        ({"told": ["Robin said that Marten pays."]}, "names Marten"),
        ({"mood": "happy", "because": "she met Marten"}, "names Marten"),
        ({"told": ["The boat leaves at noon."]}, "does not say who told it"),
        ({"told": ["Robin dislikes ferries, bridges and every kind of weather."]}, "of the words of"),
        ({"promised": "to row over at noon"}, "`promised` does not name Hanne Brook"),
    ],
)
def test_a_faulty_summary_is_found(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    assert why in _found(tmp_path, worlds.SUMMARIES, {**SUMMARY, **change})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"questions": ["Who is Marten?", *REFLECTION["questions"][1:]]}, "names Marten"),
        ({"questions": ["Joost and the rope", *REFLECTION["questions"][1:]]}, "is no question"),
        ({"insights": [{"text": "Joost looks after the rope", "memories": [2]}, REFLECTION["insights"][1]]}, "cites one memory"),
        ({"insights": [{"text": "Everything passes in the end", "memories": [1, 3]}, REFLECTION["insights"][1]]}, "shares fewer than 2"),
        ({"insights": [REFLECTION["insights"][0]] * 2}, "stands there twice"),
    ],
)
def test_a_faulty_reflection_is_found(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    assert why in _found(tmp_path, worlds.REFLECTIONS, {**REFLECTION, **change})


def test_the_same_answer_in_two_examples_is_found(tmp_path: Path) -> None:
    twice = [{**REACTION, "what": "the large hole in the boat"}] * 2
    assert "reactions/ferry.jsonl:1, reactions/ferry.jsonl:2: the same reply" in _found(tmp_path, worlds.REACTIONS, *twice)


def test_the_command_reviews_one_file_of_any_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {**FERRY, "reactions": [{**REACTION, "minutes": 5}]})
    assert main([str(tmp_path / "days" / "ferry.jsonl")]) == 0
    assert "1 days: 0 faults" in capsys.readouterr().out
    assert main([str(tmp_path / "reactions" / "ferry.jsonl")]) == 1
    assert main([], tmp_path) == 1
    assert "1 talks, 1 meetings, 1 days, 1 reactions, 1 summaries, 1 reflections: 1 faults" in capsys.readouterr().out
    assert main([str(tmp_path / "days" / "nowhere.jsonl")]) == 2
    assert "There is no file" in capsys.readouterr().err
