"""Sixty lines of players to six people, answered in three ways, and judged blind: `docs/eval.md` tells the counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LINES = Path(__file__).parent / "preference" / "three_ways.jsonl"
SEEN = ("mara_voss", "tobin_hale", "ines_calder")
"""People on whose lines the limits of `lines.aptness` were chosen."""


def counts(way: str, rows: list[dict[str, Any]]) -> tuple[int, int, int]:
    """Return how many lines of a way make sense, are wrong, and were liked best."""
    said = [row[way] for row in rows]
    return sum(it["makes_sense"] for it in said), sum(it["is_wrong"] for it in said), sum(row["best"] == way for row in rows)


@pytest.mark.parametrize(
    ("way", "all_of_them", "unseen"),
    [("before", (28, 14, 4), (15, 8)), ("small", (25, 13, 1), (12, 8)), ("thinking", (38, 17, 18), (17, 12))],
)
def test_the_docs_tell_what_was_judged(way: str, all_of_them: tuple[int, int, int], unseen: tuple[int, int]) -> None:
    rows = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    assert counts(way, rows) == all_of_them
    assert counts(way, [row for row in rows if row["to"] not in SEEN])[:2] == unseen
