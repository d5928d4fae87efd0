"""Lines of players to people of the towns, and to one whom no file here knows, judged blind: `docs/eval.md` tells the counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "preference"
SEEN = ("mara_voss", "tobin_hale", "ines_calder")
"""People on whose lines the limits of `lines.aptness` were chosen."""


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def counts(way: str, rows: list[dict[str, Any]]) -> tuple[int, int, int]:
    """Return how many lines of a way make sense, are wrong, and were liked best."""
    said = [row[way] for row in rows]
    return sum(it["makes_sense"] for it in said), sum(it["is_wrong"] for it in said), sum(row["best"] == way for row in rows)


@pytest.mark.parametrize(
    ("way", "all_of_them", "unseen"),
    [("before", (28, 14, 4), (15, 8)), ("small", (25, 13, 1), (12, 8)), ("thinking", (38, 17, 18), (17, 12))],
)
def test_the_docs_tell_what_was_judged(way: str, all_of_them: tuple[int, int, int], unseen: tuple[int, int]) -> None:
    rows = read("three_ways.jsonl")
    assert counts(way, rows) == all_of_them
    assert counts(way, [row for row in rows if row["to"] not in SEEN])[:2] == unseen


def test_the_docs_tell_what_was_judged_of_a_new_person() -> None:
    rows = read("new_person.jsonl")
    assert [counts(way, rows) for way in ("small", "thinking")] == [(22, 2, 9), (22, 8, 5)]
    of_model = [row["thinking"] for row in rows if row["thinking"]["by"] == "the model"]
    assert (len(of_model), sum(it["makes_sense"] for it in of_model), sum(it["is_wrong"] for it in of_model)) == (12, 7, 6)
    of_bank = [row["thinking"] for row in rows if row["thinking"]["by"] == "memory or the bank"]
    assert (len(of_bank), sum(it["makes_sense"] for it in of_bank), sum(it["is_wrong"] for it in of_bank)) == (16, 14, 0)
