"""Lines of players to people of the towns, and to one whom no file here knows, judged blind: `docs/eval.md` tells the counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from npc_server.llm import own_lines
from npc_server.llm.models import find_entry

FOLDER = Path(__file__).parent / "preference"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def counts(way: str, rows: list[dict[str, Any]]) -> tuple[int, int, int]:
    """Return how many lines of a way make sense, are wrong, and were liked best."""
    said = [row[way] for row in rows]
    return sum(it["makes_sense"] for it in said), sum(it["is_wrong"] for it in said), sum(row["best"] == way for row in rows)


@pytest.mark.parametrize(
    ("way", "all_of_them"), [("before", (77, 12, 11)), ("small", (73, 6, 2)), ("half", (60, 44, 2)), ("thinking", (84, 29, 18))]
)
def test_the_docs_tell_what_was_judged(way: str, all_of_them: tuple[int, int, int]) -> None:
    rows = read("four_ways.jsonl")
    assert (len(rows), len({row["to"] for row in rows})) == (150, 15)
    assert counts(way, rows) == all_of_them


@pytest.mark.parametrize(("way", "fine"), [("half", (13, 62)), ("thinking", (32, 57))])
def test_the_docs_tell_what_the_models_own_lines_are_worth(way: str, fine: tuple[int, int]) -> None:
    own = [row[way] for row in read("four_ways.jsonl") if row[way]["by_model"]]
    assert (sum(it["makes_sense"] for it in own), len(own)) == fine


def test_a_model_whose_own_lines_are_worse_than_the_small_profiles_is_no_step_up() -> None:
    small = counts("small", read("four_ways.jsonl"))[0] / 150
    assert own_lines.is_step_up(small + 0.01)
    assert not own_lines.is_step_up(small - 0.01)
    half = find_entry("qwen2.5-coder-0.5b")
    assert half is not None
    assert own_lines.of_entry(half) == round(13 / 62, 2)


def test_the_docs_tell_what_was_judged_of_a_new_person() -> None:
    rows = read("new_person.jsonl")
    assert [counts(way, rows) for way in ("small", "thinking")] == [(22, 2, 9), (22, 8, 5)]
    of_model = [row["thinking"] for row in rows if row["thinking"]["by"] == "the model"]
    assert (len(of_model), sum(it["makes_sense"] for it in of_model), sum(it["is_wrong"] for it in of_model)) == (12, 7, 6)
    of_bank = [row["thinking"] for row in rows if row["thinking"]["by"] == "memory or the bank"]
    assert (len(of_bank), sum(it["makes_sense"] for it in of_bank), sum(it["is_wrong"] for it in of_bank)) == (16, 14, 0)
