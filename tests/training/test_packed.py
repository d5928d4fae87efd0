"""Rows for training on a GPU: what texts share stands there once, and a file keeps them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from models.training.packed import PackedRow, batches, packed, read, write

TEXTS = [([1, 2, 3, 4, 10], [10.0, 11.0]), ([1, 2, 3, 5, 6], [12.0]), ([1, 2, 3, 5, 7, 8, 13, 14], [13.0, 14.0, 15.0])]


def seen(row: PackedRow, place: int) -> list[int]:
    """The tokens that the one at `place` sees, in their order."""
    return [int(row.ids[it]) for it in range(place + 1) if row.ends[it] > place]


def test_each_token_sees_its_own_text_and_what_is_shared_stands_there_once() -> None:
    row = packed(TEXTS)
    assert row.ids.tolist() == [1, 2, 3, 4, 10, 5, 6, 7, 8, 13, 14]
    assert row.at.tolist() == [0, 1, 2, 3, 4, 3, 4, 4, 5, 6, 7]
    assert seen(row, 4) == [1, 2, 3, 4, 10]
    assert seen(row, 6) == [1, 2, 3, 5, 6]
    assert seen(row, 10) == [1, 2, 3, 5, 7, 8, 13, 14]


def test_what_is_wanted_stands_behind_the_last_tokens_of_each_text() -> None:
    row = packed(TEXTS)
    after = {wanted: seen(row, place)[-1] for place, wanted in zip(row.asked, row.wanted, strict=True)}
    assert after == {10.0: 4, 11.0: 10, 12.0: 6, 13.0: 8, 14.0: 13, 15.0: 14}


def test_rows_come_back_from_their_file(tmp_path: Path) -> None:
    kept = {"talks": [packed(TEXTS), packed(TEXTS[1:])], "held back: talks": []}
    write(tmp_path / "rows.npz", kept)
    found = read(tmp_path / "rows.npz")
    assert list(found) == list(kept)
    assert found["held back: talks"] == []
    for row, before in zip(found["talks"], kept["talks"], strict=True):
        for name, value in vars(before).items():
            assert np.array_equal(getattr(row, name), value), name


def test_a_pass_has_each_row_once_and_no_batch_is_larger_than_its_tokens() -> None:
    rows = [packed([(range(length), [float(length)])]) for length in range(1, 60)]
    found = list(batches(rows, 100, random.Random(1)))
    assert sorted(float(row.wanted[0]) for batch in found for row in batch) == [float(length) for length in range(1, 60)]
    assert all(len(batch) * max(map(len, batch)) <= 100 for batch in found)
    assert found != list(batches(rows, 100, random.Random(2)))
