from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.clock import HOUR
from npc_server.errors import BadInput, UnknownName
from npc_server.memory.retrieval_score import Weights
from npc_server.memory.stream import MemoryStream, casefolded
from npc_server.memory.vectors import Vectors
from npc_server.records import Memory, MemoryKind, ScoredMemory

NOW = 1000 * HOUR
EVEN = Weights()


def memory(number: int, *, ago_h: float = 0, importance: int = 5, kind: MemoryKind = MemoryKind.OBSERVATION, **more: Any) -> Memory:
    at = int(NOW - ago_h * HOUR)
    return Memory("ada", number, kind, f"thing {number}", at, at, importance, **more)


def towards(cosine: float) -> Vectors:
    """A unit vector at that cosine to QUERY."""
    return np.array([cosine, math.sqrt(1 - cosine * cosine), 0], np.float32)


QUERY = towards(1.0)


def stream(*entries: tuple[Memory, Vectors | None]) -> MemoryStream:
    made = MemoryStream("ada")
    for entry, vector in entries:
        made.add(entry, vector)
    return made


def ids(found: list[ScoredMemory]) -> list[int]:
    return [scored.memory.id for scored in found]


# ---- the score


def test_recent_memory_outranks_old_one() -> None:
    """The reference's mistake 1: there the stalest memory scores highest."""
    old_first = stream((memory(1, ago_h=48), QUERY), (memory(2, ago_h=1), QUERY))
    assert ids(old_first.retrieve(QUERY, NOW, 2, EVEN, 0.995)) == [2, 1]
    new_first = stream((memory(1, ago_h=1), QUERY), (memory(2, ago_h=48), QUERY))
    assert ids(new_first.retrieve(QUERY, NOW, 2, EVEN, 0.995)) == [1, 2]


def test_recency_is_by_time_since_the_last_access_not_since_creation() -> None:
    """The reference's mistake 1."""
    used = replace(memory(1, ago_h=100), last_access=NOW - HOUR)
    found = stream((used, QUERY), (memory(2, ago_h=50), QUERY)).retrieve(QUERY, NOW, 2, EVEN, 0.995)
    assert ids(found) == [1, 2]
    assert found[0].memory.created < found[1].memory.created


def test_recency_decays_per_game_hour() -> None:
    three = stream(*((memory(n, ago_h=hours), QUERY) for n, hours in enumerate((0, 10, 40), start=1)))
    parts = {s.memory.id: s.recency for s in three.retrieve(QUERY, NOW, 3, EVEN, 0.9)}
    raw = [0.9**0, 0.9**10, 0.9**40]
    assert parts[1] == 1.0
    assert parts[2] == pytest.approx((raw[1] - raw[2]) / (raw[0] - raw[2]))
    assert parts[3] == 0.0


def test_the_score_is_the_weighted_sum_of_the_three_normalised_parts() -> None:
    weights = Weights(recency=0.5, importance=2.0, relevance=3.0)
    found = stream(
        (memory(1, ago_h=0, importance=2), towards(0.1)),
        (memory(2, ago_h=5, importance=9), towards(0.8)),
        (memory(3, ago_h=9), towards(0.5)),
    ).retrieve(QUERY, NOW, 3, weights, 0.995)
    for s in found:
        assert s.score == pytest.approx(0.5 * s.recency + 2.0 * s.importance + 3.0 * s.relevance)
    by_id = {s.memory.id: s for s in found}
    assert (by_id[1].importance, by_id[2].importance) == (0.0, 1.0)
    assert by_id[3].importance == pytest.approx(3 / 7)
    assert by_id[3].relevance == pytest.approx((0.5 - 0.1) / (0.8 - 0.1), abs=1e-5)


def test_a_part_in_which_all_are_the_same_counts_nothing_and_is_never_nan() -> None:
    same = stream(*((memory(n), QUERY) for n in range(1, 4)))
    for s in same.retrieve(QUERY, NOW, 3, EVEN, 0.995):
        assert (s.score, s.recency, s.importance, s.relevance) == (0, 0, 0, 0)


def test_one_memory_alone_is_found() -> None:
    assert ids(stream((memory(1), QUERY)).retrieve(QUERY, NOW, 5, EVEN, 0.995)) == [1]


def test_nothing_is_found_in_an_empty_stream() -> None:
    assert MemoryStream("ada").retrieve(QUERY, NOW, 5, EVEN, 0.995) == []


def test_the_newer_of_two_equals_comes_first_also_at_the_cut() -> None:
    same = stream(*((memory(n), QUERY) for n in range(1, 40)))
    assert ids(same.retrieve(QUERY, NOW, 3, EVEN, 0.995)) == [39, 38, 37]


def test_normalisation_is_over_the_candidates_only() -> None:
    mixed = stream(
        (memory(1, importance=1, kind=MemoryKind.PLAN), QUERY), (memory(2, importance=4), QUERY), (memory(3, importance=6), QUERY)
    )
    found = mixed.retrieve(QUERY, NOW, 3, EVEN, 0.995, kinds=(MemoryKind.OBSERVATION,))
    assert [(s.memory.id, s.importance) for s in found] == [(3, 1.0), (2, 0.0)]


def test_a_memory_without_a_vector_can_be_found_by_its_other_parts() -> None:
    mixed = stream((memory(1, importance=10), None), (memory(2, importance=1), towards(0.2)))
    found = mixed.retrieve(QUERY, NOW, 2, EVEN, 0.995)
    assert ids(found) == [2, 1]  # 1.0 of relevance against 1.0 of importance: a tie, and the newer first
    assert mixed.without_vector() == [1]
    assert ids(mixed.retrieve(None, NOW, 1, EVEN, 0.995)) == [1]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-50, 10**7), st.integers(1, 10), st.integers(-10, 10)), min_size=1, max_size=40),
    st.integers(1, 50),
    st.sampled_from([0.5, 0.9, 0.995, 1.0]),
)
def test_retrieval_agrees_with_the_formula_worked_out_one_by_one(rows: list[tuple[int, int, int]], k: int, decay: float) -> None:
    made = stream(*((memory(n, ago_h=hours, importance=imp), towards(cos / 10)) for n, (hours, imp, cos) in enumerate(rows, start=1)))
    found = made.retrieve(QUERY, NOW, k, EVEN, decay, touch=False)
    parts = [
        [decay ** max(0.0, (NOW - int(NOW - h * HOUR)) / HOUR) for h, _, _ in rows],
        [float(i) for _, i, _ in rows],
        [round(float(np.float32(c / 10)), 6) for _, _, c in rows],
    ]
    spread = [max(p) - min(p) for p in parts]
    score = [sum((p[i] - min(p)) / s if s else 0.0 for p, s in zip(parts, spread, strict=True)) for i in range(len(rows))]
    expected = sorted(range(len(rows)), key=lambda i: (-score[i], -i))[:k]
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        assert got.score == pytest.approx(score[want], abs=1e-6)
        assert all(math.isfinite(part) for part in (got.score, got.recency, got.importance, got.relevance))


# ---- access


def test_retrieval_sets_the_last_access_and_shows_the_one_before() -> None:
    made = stream((memory(1, ago_h=10), QUERY))
    found = made.retrieve(QUERY, NOW, 1, EVEN, 0.995)
    assert found[0].memory.last_access == NOW - 10 * HOUR
    assert made.get(1).last_access == NOW
    assert made.get(1).created == NOW - 10 * HOUR


def test_looking_without_touching_leaves_the_last_access() -> None:
    made = stream((memory(1, ago_h=10), QUERY))
    made.retrieve(QUERY, NOW, 1, EVEN, 0.995, touch=False)
    assert made.get(1).last_access == NOW - 10 * HOUR


def test_an_access_never_moves_back() -> None:
    made = stream((memory(1), QUERY))
    made.touch([1, 99], NOW - HOUR)
    assert made.get(1).last_access == NOW


# ---- growing and shrinking


def test_the_matrix_grows_and_nothing_is_lost() -> None:
    made = MemoryStream("ada")
    for n in range(1, 101):
        made.add(memory(n), towards(n / 101))
    assert len(made) == 100
    found = made.retrieve(QUERY, NOW, 100, Weights(0, 0, 1), 0.995)
    assert ids(found) == list(range(100, 0, -1))


def test_ids_count_on_and_are_never_given_twice() -> None:
    made = stream((memory(5), QUERY))
    assert [made.next_id(), made.next_id()] == [6, 7]
    made.add(memory(7), QUERY)
    made.remove([7])
    assert made.next_id() == 8


def test_removed_memories_are_gone_and_the_others_keep_their_vectors() -> None:
    made = stream(*((memory(n), towards(n / 10)) for n in range(1, 6)))
    made.remove([2, 5, 77])
    assert ids(made.retrieve(QUERY, NOW, 9, Weights(0, 0, 1), 0.995)) == [4, 3, 1]
    assert np.array_equal(made.latest_vectors(1)[1], [towards(0.4)])
    with pytest.raises(UnknownName, match="no memory 2"):
        made.get(2)
    made.add(memory(6), towards(0.9))
    assert ids(made.retrieve(QUERY, NOW, 1, Weights(0, 0, 1), 0.995)) == [6]


def test_a_stream_rolls_back_to_its_last_savepoint() -> None:
    many = [(memory(number, ago_h=3), towards(0.5)) for number in range(1, 16)]
    found, same = stream(*many), stream(*many)
    found.touch([1], NOW - HOUR)
    found.savepoint()
    found.set_importance(2, 7)
    savepoint = found.savepoint()
    found.touch([1, 2], NOW)
    found.touch([1], NOW + HOUR)
    found.set_importance(2, 10)
    for _ in range(4):  # more than there was room for
        found.add(memory(found.next_id()), towards(0.1))
    found.touch([17], NOW + HOUR)
    found.roll_back(savepoint)
    same.touch([1], NOW - HOUR)
    same.set_importance(2, 7)
    assert found.latest(100) == same.latest(100)
    assert found.retrieve(QUERY, NOW, 5, EVEN, 0.9) == same.retrieve(QUERY, NOW, 5, EVEN, 0.9)
    assert found.next_id() == 16


def test_a_stream_made_of_what_was_stored_is_the_same() -> None:
    kept = [memory(n) for n in (1, 2, 4)]
    made = MemoryStream("ada", kept, [4, 1], np.stack([towards(0.4), towards(0.1)]))
    assert made.without_vector() == [2]
    assert ids(made.retrieve(QUERY, NOW, 3, Weights(0, 0, 1), 0.995)) == [4, 1, 2]
    assert made.next_id() == 5


def test_a_memory_gets_its_vector_later() -> None:
    made = stream((memory(1), towards(0.5)), (memory(2), None), (memory(3), None))
    made.give_vectors([2, 3], np.stack([QUERY, np.zeros_like(QUERY)]))
    assert made.without_vector() == [3]
    assert ids(made.retrieve(QUERY, NOW, 3, Weights(0, 0, 1), 0.995)) == [2, 1, 3]


def test_the_first_vectors_of_a_stream_may_come_later() -> None:
    made = stream((memory(1), None), (memory(2), None))
    made.give_vectors([2], np.stack([QUERY]))
    assert made.dimensions == len(QUERY)
    assert made.without_vector() == [1]


@pytest.mark.parametrize("vector", [np.ones(4, np.float32), np.array([np.nan, 0, 0], np.float32), np.array([np.inf, 0, 0], np.float32)])
def test_a_vector_that_does_not_fit_is_refused_and_nothing_is_added(vector: Vectors) -> None:
    made = stream((memory(1), QUERY))
    for act in (lambda: made.add(memory(2), vector), lambda: made.retrieve(vector, NOW, 1, EVEN, 0.995)):
        with pytest.raises(BadInput, match="does not fit"):
            act()
    assert len(made) == 1


def test_an_id_that_is_taken_and_somebody_elses_memory_are_refused() -> None:
    made = stream((memory(1), QUERY))
    for wrong in (memory(1), replace(memory(2), npc="ben")):
        with pytest.raises(BadInput, match="cannot join"):
            made.add(wrong, QUERY)


# ---- looking


def test_the_latest_come_newest_first_by_kind_and_page() -> None:
    made = stream(*((memory(n, kind=MemoryKind.PLAN if n % 2 else MemoryKind.OBSERVATION), QUERY) for n in range(1, 9)))
    assert [m.id for m in made.latest(3)] == [8, 7, 6]
    assert [m.id for m in made.latest(2, (MemoryKind.PLAN,))] == [7, 5]
    assert [m.id for m in made.latest(2, (MemoryKind.PLAN,), before_id=5)] == [3, 1]
    assert made.count_by_kind() == {MemoryKind.OBSERVATION: 4, MemoryKind.PLAN: 4}


def test_the_newest_of_some_kinds_come_one_by_one() -> None:
    kinds = (MemoryKind.OBSERVATION, MemoryKind.PLAN, MemoryKind.OBSERVATION, MemoryKind.CONVERSATION)
    made = stream(*((memory(number, kind=kind), None) for number, kind in enumerate(kinds, start=1)))
    assert [it.id for it in made.newest((MemoryKind.OBSERVATION, MemoryKind.CONVERSATION))] == [4, 3, 1]
    assert next(made.newest((MemoryKind.PLAN,))).id == 2
    assert list(made.newest((MemoryKind.REFLECTION,))) == []


def test_names_match_whatever_the_case() -> None:
    """The reference's mistake 3: keywords are stored lower-case and looked up as typed."""
    made = stream(
        (memory(1, subject="Ben Hale", predicate="is", object="Sleeping"), QUERY),
        (memory(2, subject="Ada", predicate="greets", object="BEN HALE"), QUERY),
        (memory(3, subject="Straße"), QUERY),
    )
    assert [m.id for m in made.about("ben hale", 9)] == [2, 1]
    assert [m.id for m in made.about("Ben Hale", 1)] == [2]
    assert [m.id for m in made.about("STRASSE", 9)] == [3]
    assert casefolded(("BEN HALE", "Is", "sleeping")) in made.seen_lately(8)


def test_only_the_latest_observations_count_as_noticed() -> None:
    made = stream((memory(1, subject="ben", predicate="is", object="here"), QUERY))
    made.add(memory(2, kind=MemoryKind.PLAN), QUERY)
    made.add(memory(3), QUERY)
    assert ("ben", "is", "here") in made.seen_lately(2)
    assert ("ben", "is", "here") not in made.seen_lately(1)
    assert not made.seen_lately(0)
