"""Vectors on disk: one that is broken takes no other with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from npc_server.memory import policies
from npc_server.memory.create import create
from npc_server.memory.store import Store
from npc_server.memory.vectors import read_same_length, read_sound, to_bytes
from npc_server.records import Policy, PolicyStep

ONE, TWO = (to_bytes(np.array(numbers, np.float32)) for numbers in ([1, 2, 3], [4, 5, 6]))
NOT_FINITE = to_bytes(np.array([1, np.nan, 3], np.float32))


@pytest.mark.parametrize(
    ("blobs", "places"),
    [
        ([], []),
        ([ONE, TWO], [0, 1]),
        ([b"abc", ONE, TWO], [1, 2]),
        ([ONE[:4], ONE, TWO], [1, 2]),
        ([ONE, None, TWO, "text", b"", NOT_FINITE], [0, 2]),
        ([None, b"abc"], []),
    ],
)
def test_what_does_not_read_is_left_out_wherever_it_stands(blobs: Sequence[object], places: list[int]) -> None:
    found, vectors = read_sound(blobs)
    assert found == places
    assert vectors.shape == (len(places), 3 if places else 0)


@pytest.mark.parametrize("at_once", [1, 2, 7])
def test_vectors_alike_are_read_in_parts_as_if_all_at_once(at_once: int) -> None:
    blobs = [to_bytes(np.array([n, -n, 0.5], np.float32)) for n in range(7)]
    found = read_same_length([blobs[at : at + at_once] for at in range(0, 7, at_once)])
    assert found is not None
    assert found.dtype == np.float32
    assert found.flags.writeable
    assert np.array_equal(found, read_sound(blobs)[1])


@pytest.mark.parametrize("odd", [b"", b"abc", ONE[:4], ONE + ONE, None, "text", NOT_FINITE])
@pytest.mark.parametrize("place", [0, 1, 3])
def test_what_is_not_as_the_others_is_left_to_be_read_one_by_one(odd: object, place: int) -> None:
    blobs: list[object] = [ONE, TWO, ONE]
    blobs.insert(place, odd)
    assert read_same_length([blobs[:2], blobs[2:]]) is None


async def test_a_save_opens_with_a_policy_whose_vector_is_broken(tmp_path: Path) -> None:
    create(tmp_path / "a.npcsave")
    store = await Store.open(tmp_path / "a.npcsave")
    steps = (PolicyStep(15, "rest", "t:green:bench", "sit", "{name} is resting", "🪑"),)
    kept = [Policy("", activity, 15, (), steps) for activity in ("nap", "rest", "sit")]
    await store.do(lambda db: policies.put(db, [(policy, ONE) for policy in kept]))
    await store.do(lambda db: db.execute("UPDATE policies SET vector = ? WHERE activity = 'nap'", (b"abc",)).rowcount)
    assert [policy.activity for policy, _ in await store.do(policies.load_with_vectors)] == ["rest", "sit"]
    assert len(await store.do(policies.load)) == 3
    await store.close()
