"""Lines of a model of 1.5 billion parameters, and beside each what memory and the bank would have said, judged blind.

Sixty are of four people, and thirty of three imported character cards, to whom players talk in longer lines.

`nats` says how much likelier the model calls their line after what was heard than after nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from npc_server.lines.aptness import apt

Row = dict[str, Any]
FOLDER = Path(__file__).parent / "preference"


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def judged(says_known: Callable[[Row], bool], name: str = "apt_lines.jsonl") -> tuple[int, int, int]:
    """Return how many lines make sense, are wrong, and make sense without being wrong, where a rule says who speaks.

    A row without a line of the model, which wrote none that could be said, is spoken by memory or the bank.
    """
    said = [(row, "known" if says_known(row) or not row["model"] else "model") for row in rows(name)]
    sense = [row[f"{who}_makes_sense"] for row, who in said]
    wrong = [row[f"{who}_is_wrong"] for row, who in said]
    return sum(sense), sum(wrong), sum(fine and not bad for fine, bad in zip(sense, wrong, strict=True))


def is_apt(row: Row) -> bool:
    return row["nats"] is not None and row["nats"] >= apt().nats and row["chance"] >= apt().chance


def test_the_docs_tell_what_was_judged() -> None:
    assert judged(lambda row: False) == (36, 28, 27)
    assert judged(lambda row: True) == (34, 5, 33)
    assert judged(lambda row: row["chance"] >= 0.67) == (33, 22, 25)
    assert judged(is_apt) == (40, 15, 35)


def test_what_the_model_finds_apt_is_better_than_each_source_alone_and_than_the_surer_one() -> None:
    now = judged(is_apt)
    for other in (lambda row: False, lambda row: True, lambda row: row["chance"] >= 0.67):
        assert now[0] > judged(other)[0]
        assert now[2] > judged(other)[2]


def test_the_docs_tell_what_was_judged_of_imported_cards() -> None:
    cards = "imported_cards.jsonl"
    assert judged(lambda row: True, cards) == (7, 5, 7)
    assert judged(lambda row: False, cards) == (15, 14, 11)
    assert judged(is_apt, cards) == (15, 11, 12)
