"""Rows for training on a GPU: texts that begin alike share what they have in common, and several rows are computed at once.

A row is a tree. Its tokens stand in the order of a walk through it, so each token only says where its branch ends.
A file keeps rows as arrays. The machine that trains then needs neither llama.cpp nor the examples.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.shared_start import shared_start

HELD = "held back: "
"""Stands before the kinds of rows that are held back."""
MIXED = 2000
"""So many rows are drawn before they are sorted by length."""


@dataclass(frozen=True)
class PackedRow:
    """Tokens of several texts; what they share stands there once. All arrays but the last two have the row's length."""

    ids: NDArray[np.int32]
    at: NDArray[np.int32]
    """Position of each token in its own text."""
    ends: NDArray[np.int32]
    """Behind the last token that sees this one. All from here up to there see it."""
    asked: NDArray[np.int32]
    """Places of the tokens after which something is wanted."""
    wanted: NDArray[np.float32]
    """What is wanted there: the next token, or how well the text answers."""

    def __len__(self) -> int:
        return len(self.ids)


def packed(texts: Iterable[tuple[Sequence[int], Sequence[float]]]) -> PackedRow:
    """Packs texts. Each is its tokens, and what is wanted after the last of them: as many numbers as there are such tokens."""
    ids: list[int] = []
    at: list[int] = []
    asked: list[int] = []
    wanted: list[float] = []
    path: list[int] = []
    before: Sequence[int] = ()
    for tokens, numbers in sorted((list(tokens), list(numbers)) for tokens, numbers in texts):
        same = shared_start(before, tokens)
        path = [*path[:same], *range(len(ids), len(ids) + len(tokens) - same)]
        ids += tokens[same:]
        at += range(same, len(tokens))
        asked += path[len(tokens) - len(numbers) :]
        wanted += numbers
        before = tokens
    places = np.array(at, np.int32)
    return PackedRow(np.array(ids, np.int32), places, ends_of(places), np.array(asked, np.int32), np.array(wanted, np.float32))


def ends_of(at: NDArray[np.int32]) -> NDArray[np.int32]:
    """Where the tokens end that hang on each token: at the next one that is as near to the beginning of its text."""
    ends = np.full(len(at), len(at), np.int32)
    open_: list[int] = []
    for place, depth in enumerate(at):
        while open_ and at[open_[-1]] >= depth:
            ends[open_.pop()] = place
        open_.append(place)
    return ends


# ---- the file


def write(path: Path, rows: Mapping[str, Sequence[PackedRow]]) -> None:
    """Writes rows by kind."""
    arrays: dict[str, NDArray[Any]] = {}
    for kind, of in rows.items():
        arrays[f"{kind} lengths"] = np.array([(len(it.ids), len(it.asked)) for it in of], np.int32).reshape(-1, 2)
        for name, type_ in (("ids", np.uint16), ("at", np.uint16), ("asked", np.uint16), ("wanted", np.float32)):
            parts = [getattr(it, name) for it in of]
            arrays[f"{kind} {name}"] = np.concatenate([np.zeros(0, np.int32), *parts]).astype(type_)
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type, unused-ignore]


def read(path: Path) -> dict[str, list[PackedRow]]:
    """Reads rows by kind."""
    found: dict[str, list[PackedRow]] = {}
    with np.load(path) as file:
        for kind in (name.removesuffix(" lengths") for name in file.files if name.endswith(" lengths")):
            tokens, asked = file[f"{kind} lengths"].T
            ids, at = (np.split(file[f"{kind} {name}"].astype(np.int32), tokens.cumsum()[:-1]) for name in ("ids", "at"))
            places = np.split(file[f"{kind} asked"].astype(np.int32), asked.cumsum()[:-1])
            wanted = np.split(file[f"{kind} wanted"], asked.cumsum()[:-1])
            every = zip(ids, at, places, wanted, strict=True)
            found[kind] = [PackedRow(a, b, ends_of(b), c, d) for a, b, c, d in every] if len(tokens) else []
    return found


# ---- batches


def batches(rows: Sequence[PackedRow], tokens: int, rng: random.Random) -> Iterator[list[PackedRow]]:
    """All rows once in random order, with rows of about the same length together: at most so many tokens, or one row."""
    mixed = rng.sample(list(rows), len(rows))
    found: list[list[PackedRow]] = []
    for start in range(0, len(mixed), MIXED):
        found += by_length(mixed[start : start + MIXED], tokens)
    rng.shuffle(found)
    yield from found


def by_length(rows: Iterable[PackedRow], tokens: int) -> list[list[PackedRow]]:
    """The rows by length, in batches of at most so many tokens with what fills them up, or of one row."""
    found: list[list[PackedRow]] = []
    for row in sorted(rows, key=len):
        if not found or (len(found[-1]) + 1) * len(row) > tokens:
            found.append([])
        found[-1].append(row)
    return found
