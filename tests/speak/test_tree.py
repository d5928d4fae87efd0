"""Prompts that begin alike become one row, in which each token sees its own prompt and nothing else."""

from __future__ import annotations

import random

import numpy as np

from models.speak.tree import STEP, Row, filled, pack

TALK = [([1, 2, 3, 4], [10, 11]), ([1, 2, 3, 5, 6], [12]), ([1, 2, 3, 5, 7, 8], [13, 14, 15])]


def path_of(row: Row, place: int) -> list[int]:
    """The tokens that a place sees, in the order of their positions."""
    seen = np.nonzero(row.sees[place])[0]
    return [int(row.ids[i]) for i in seen[np.argsort(row.at[seen])]]


def test_what_prompts_share_stands_in_a_row_once() -> None:
    row = pack(TALK)
    assert row.ids.tolist() == [1, 2, 3, 4, 10, 5, 6, 7, 8, 13, 14]


def test_each_token_of_an_answer_is_foretold_from_its_own_prompt_and_what_it_said_before() -> None:
    row = pack(TALK)
    wanted = [(prompt + answer[:i], answer[i]) for prompt, answer in TALK for i in range(len(answer))]
    assert [(path_of(row, place), token) for place, token in zip(row.asked, row.answers.tolist(), strict=True)] == wanted


def test_positions_are_those_in_the_own_prompt() -> None:
    row = pack(TALK)
    for place in range(len(row.ids)):
        seen = np.nonzero(row.sees[place])[0]
        assert sorted(row.at[seen].tolist()) == list(range(len(seen)))


def test_any_prompts_are_packed_rightly() -> None:
    rng = random.Random(3)
    for _ in range(50):
        pairs = [([0, *rng.choices(range(3), k=rng.randint(0, 6))], rng.choices(range(3), k=rng.randint(1, 3))) for _ in range(5)]
        row = pack(pairs)
        wanted = [(prompt + answer[:i], answer[i]) for prompt, answer in pairs for i in range(len(answer))]
        assert [(path_of(row, place), token) for place, token in zip(row.asked, row.answers.tolist(), strict=True)] == wanted


def test_what_fills_a_row_up_is_seen_by_nobody() -> None:
    row = filled(pack(TALK))
    assert len(row.ids) == STEP
    assert row.sees[:11, 11:].sum() == 0
    assert row.sees[11:].sum() == STEP - 11
