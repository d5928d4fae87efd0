"""Blind judgements of talks among characters, each before and after a change: the talks and what judges said of each are kept."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).parents[2]
JUDGED = ROOT / "tests" / "recorded" / "talks" / "judged.jsonl"
JUDGES = 3
AGAIN = JUDGED.with_name("judged_again.jsonl")


def test_characters_that_have_replies_to_remarks_answer_each_other() -> None:
    talks = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    of = {version: [it for it in talks if it["version"] == version] for version in ("before", "now")}
    assert len(of["before"]) == len(of["now"]) == 28
    assert all(len(it["answers"]) == len(it["odd"]) == JUDGES and set(it["answers"]) <= {0, 1, 2, 3} for it in talks)
    answers, odd, most = ([round(_figure(of[version]), 2) for version in of] for _figure in (_answers, _odd, _most))
    assert (answers, odd, most) == ([0.25, 2.58], [1.31, 0.07], [0.04, 0.92])


def test_the_readme_tells_how_talks_were_judged_after_the_last_change() -> None:
    talks = [json.loads(line) for line in AGAIN.read_text(encoding="utf-8").splitlines()]
    of = {version: [it for it in talks if it["version"] == version] for version in ("before", "now")}
    assert len(of["before"]) == len(of["now"]) == 36
    docs = (ROOT / "tests" / "recorded" / "README.md").read_text(encoding="utf-8")
    figures = {name: [mean(score for it in of[version] for score in it[name]) for version in of] for name in ("answers", "odd", "overall")}
    fine = [mean(count == 0 for it in of[version] for count in it["odd"]) for version in of]
    assert f"| lines answer one another, 0 to 3 | {figures['answers'][1]:.2f} |" in docs
    assert f"| talks without an odd line | {fine[1]:.0%} |".replace("%", " %") in docs
    assert f"| odd lines per talk | {figures['odd'][1]:.2f} |" in docs
    assert f"| a pleasure to overhear, 0 to 3 | {figures['overall'][1]:.2f} |" in docs


def _answers(talks: list[dict[str, list[int]]]) -> float:
    return mean(score for it in talks for score in it["answers"])


def _odd(talks: list[dict[str, list[int]]]) -> float:
    return mean(count for it in talks for count in it["odd"])


def _most(talks: list[dict[str, list[int]]]) -> float:
    return mean(score >= 2 for it in talks for score in it["answers"])
