"""The blind judgement of talks among characters that docs/society.md tells of: the talks and what three judges said of each are kept."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).parents[2]
JUDGED = ROOT / "tests" / "recorded" / "talks" / "judged.jsonl"
JUDGES = 3
AGAIN = JUDGED.with_name("judged_again.jsonl")


def test_the_docs_tell_how_the_kept_talks_were_judged() -> None:
    talks = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    of = {version: [it for it in talks if it["version"] == version] for version in ("before", "now")}
    assert len(of["before"]) == len(of["now"]) == 28
    assert all(len(it["answers"]) == len(it["odd"]) == JUDGES and set(it["answers"]) <= {0, 1, 2, 3} for it in talks)
    answers, odd, most = ([_figure(of[version]) for version in of] for _figure in (_answers, _odd, _most))
    docs = (ROOT / "docs" / "society.md").read_text(encoding="utf-8")
    assert f"| lines answer each other, 0 to 3 | {answers[0]:.2f} | {answers[1]:.2f} |" in docs
    assert f"| talks in which most lines do | {most[0]:.0%} | {most[1]:.0%} |".replace("%", " %") in docs
    assert f"| odd lines in a talk | {odd[0]:.2f} | {odd[1]:.2f} |" in docs


def test_the_docs_tell_how_the_talks_after_that_were_judged() -> None:
    talks = [json.loads(line) for line in AGAIN.read_text(encoding="utf-8").splitlines()]
    of = {version: [it for it in talks if it["version"] == version] for version in ("before", "now")}
    assert len(of["before"]) == len(of["now"]) == 36
    docs = (ROOT / "docs" / "society.md").read_text(encoding="utf-8")
    figures = {name: [mean(score for it in of[version] for score in it[name]) for version in of] for name in ("answers", "odd", "overall")}
    fine = [mean(count == 0 for it in of[version] for count in it["odd"]) for version in of]
    assert f"| lines answer one another, 0 to 3 | {figures['answers'][0]:.2f} | {figures['answers'][1]:.2f} |" in docs
    assert f"| talks without an odd line | {fine[0]:.0%} | {fine[1]:.0%} |".replace("%", " %") in docs
    assert f"| odd lines per talk | {figures['odd'][0]:.2f} | {figures['odd'][1]:.2f} |" in docs
    assert f"| a pleasure to overhear, 0 to 3 | {figures['overall'][0]:.2f} | {figures['overall'][1]:.2f} |" in docs


def _answers(talks: list[dict[str, list[int]]]) -> float:
    return mean(score for it in talks for score in it["answers"])


def _odd(talks: list[dict[str, list[int]]]) -> float:
    return mean(count for it in talks for count in it["odd"])


def _most(talks: list[dict[str, list[int]]]) -> float:
    return mean(score >= 2 for it in talks for score in it["answers"])
