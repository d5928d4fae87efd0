from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from npc_server.clock import DAY
from npc_server.memory.forgetting import PORTION, to_forget
from npc_server.memory.stream import MemoryStream
from npc_server.records import Memory, MemoryKind, MemorySource, MemoryTopic

NOW = 100 * DAY
PEOPLE = ("mara_voss", "Mara Voss", "Mara", "tobin_hale", "Tobin Hale", "Tobin")
PLAIN = Memory("mara_voss", 0, MemoryKind.OBSERVATION, "Tobin Hale walks by", 0, 0, 2, "Tobin Hale", "walks", "by")


def stream_of(*memories: Memory) -> MemoryStream:
    return MemoryStream("mara_voss", [replace(memory, id=i) for i, memory in enumerate(memories, start=1)])


def test_a_stream_below_its_limit_forgets_nothing() -> None:
    assert to_forget(stream_of(*[PLAIN] * 10), 10, PEOPLE, NOW) == []


def test_the_least_important_goes_first_and_of_those_the_oldest() -> None:
    stream = stream_of(replace(PLAIN, importance=3), replace(PLAIN, importance=1), PLAIN, replace(PLAIN, importance=1))
    assert to_forget(stream, 1, PEOPLE, NOW) == [2, 4, 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"importance": 5},
        {"created": NOW - DAY, "last_access": NOW - DAY},
        {"last_access": DAY},
        {"kind": MemoryKind.SEED},
        {"kind": MemoryKind.REFLECTION},
        {"kind": MemoryKind.INTENTION},
        {"source": MemorySource.TOLD, "source_person": "tobin_hale"},
        {"source": MemorySource.HEARD, "source_person": "Robin"},
        {"kind": MemoryKind.CONVERSATION, "subject": "Mara", "predicate": "talked with", "object": "Robin"},
        {"kind": MemoryKind.CONVERSATION, "object": "Tobin Hale", "topic": MemoryTopic.ANSWERED},
        {"kind": MemoryKind.PLAN, "created": NOW - 3600, "last_access": NOW - 3600},
    ],
)
def test_what_matters_is_never_forgotten(changes: dict[str, object]) -> None:
    assert to_forget(stream_of(replace(PLAIN, **changes)), 0, PEOPLE, NOW) == []  # type: ignore[arg-type]


def test_everyday_sights_talks_among_npcs_and_old_plans_are_forgotten() -> None:
    talk = replace(PLAIN, kind=MemoryKind.CONVERSATION, subject="Mara", object="Tobin Hale", topic=MemoryTopic.SMALL_TALK)
    plan = replace(PLAIN, kind=MemoryKind.PLAN, subject="", object="", topic=MemoryTopic.PLAN)
    assert to_forget(stream_of(PLAIN, talk, plan), 0, PEOPLE, NOW) == [1, 2, 3]


def test_what_an_insight_rests_on_is_kept_with_it() -> None:
    insight = replace(PLAIN, kind=MemoryKind.REFLECTION, text="Tobin often walks by", evidence=(2,))
    assert to_forget(stream_of(PLAIN, PLAIN, insight), 0, PEOPLE, NOW) == [1]


def test_thirty_thousand_memories_are_brought_to_the_limit_in_small_portions() -> None:
    memories = [replace(PLAIN, created=i, last_access=i, importance=1 + i % 6) for i in range(30_000)]
    ids = list(range(1, 30_001))
    matrix = np.ones((30_000, 8), np.float32)
    stream = MemoryStream("mara_voss", [replace(memory, id=number) for memory, number in zip(memories, ids, strict=True)], ids, matrix)
    portions = 0
    began = time.process_time()
    while gone := to_forget(stream, 20_000, PEOPLE, NOW):
        assert len(gone) <= PORTION
        stream.remove(gone)
        portions += 1
    assert (len(stream), portions) == (20_000, 20)
    assert min(memory.importance for memory in stream.latest(20_000)) == 3
    assert time.process_time() - began < 20, "a portion takes some 100 ms at most, at night"


def test_a_thought_that_breaks_remembers_again_what_it_forgot() -> None:
    stream = stream_of(PLAIN, replace(PLAIN, text="second"), replace(PLAIN, text="third"))
    stream.add(replace(PLAIN, id=stream.next_id(), text="fourth"), np.ones(4, np.float32))
    mark = stream.savepoint()
    stream.touch([2], NOW)
    stream.remove([1, 2, 4])
    stream.add(replace(PLAIN, id=stream.next_id(), text="new"))
    stream.roll_back(mark)
    assert [memory.text for memory in stream.latest(9)] == ["fourth", "third", "second", PLAIN.text]
    assert stream.get(2).last_access == 0
    assert stream.without_vector() == [1, 2, 3]
    assert stream.next_id() == 5
