"""Memories as rows: read in bulk, and just as strictly."""

from __future__ import annotations

import gc
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from sqlite_utils import Database

from npc_server.errors import SaveDamaged
from npc_server.memory import lazy_memories, memories
from npc_server.memory.database import as_database
from npc_server.memory.migrations import migrate
from npc_server.memory.retrieval_score import Weights
from npc_server.memory.stream import MemoryStream
from npc_server.records import Memory, MemoryKind, MemorySource, MemoryTopic

N = 400
KINDS, TOPICS = tuple(MemoryKind), tuple(MemoryTopic)


VECTORS = np.random.default_rng(1).standard_normal((N, 8)).astype(np.float32)


def memory(number: int) -> Memory:
    kind, source = KINDS[number % len(KINDS)], tuple(MemorySource)[number % 5]
    evidence, topic, weight = (1, 2) if number == N else (), TOPICS[number % len(TOPICS)], number % 10 + 1
    return Memory(
        "ada", number, kind, f"thing {number}", number, 2 * number, weight, f"S{number}", "is", "o", source, "ben", "t", evidence, topic
    )


@pytest.fixture
def db() -> Database:
    made = as_database(sqlite3.connect(":memory:", isolation_level=None))
    migrate(made)
    memories.insert(made, [memory(n) for n in range(1, N + 1)], VECTORS)
    return made


def stream_of(db: Database) -> MemoryStream:
    return MemoryStream("ada", lazy_memories.load(db, "ada"), *memories.load_vectors(db, "ada"))


def test_a_record_is_made_when_it_is_looked_at_and_then_kept(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    make = lazy_memories.LazyMemories.record

    def counted(self: lazy_memories.LazyMemories, place: int) -> Memory:
        made.append(place)
        return make(self, place)

    monkeypatch.setattr(lazy_memories.LazyMemories, "record", counted)
    stream = stream_of(db)
    stream.count_by_kind()
    stream.without_vector()
    assert made == []
    assert [m.id for m in stream.latest(2)] == [N, N - 1]
    assert [m.id for m in stream.about("s7", 3)] == [7]
    assert stream.get(7) is stream.get(7)
    found = stream.retrieve(None, 10_000, 3, Weights(), 0.995)
    assert len(made) == len(set(made)) <= 3 + len(found)


def test_a_stream_of_rows_is_as_one_of_records(db: Database) -> None:
    rows, records = stream_of(db), MemoryStream("ada", [memory(n) for n in range(1, N + 1)], *memories.load_vectors(db, "ada"))
    query = np.eye(2, 8, dtype=np.float32)[1]
    for stream in (rows, records):
        stream.touch([3, 9], 5_000)
        stream.set_importance(4, 10)
        stream.remove([5, 6])
        stream.add(replace(memory(7), id=stream.next_id(), text="new"), query)
    assert rows.latest(N) == records.latest(N)
    assert rows.latest(3, (MemoryKind.PLAN,), 50) == records.latest(3, (MemoryKind.PLAN,), 50)
    assert rows.about("S9", 2) == records.about("S9", 2)
    assert rows.count_by_kind() == records.count_by_kind()
    assert rows.without_vector() == records.without_vector() == []
    assert rows.retrieve(query, 9_000, 20, Weights(), 0.995) == records.retrieve(query, 9_000, 20, Weights(), 0.995)
    (one, first), (other, second) = rows.latest_vectors(5, (MemoryKind.SEED,)), records.latest_vectors(5, (MemoryKind.SEED,))
    assert one == other
    assert np.array_equal(first, second)
    assert rows.get(N).evidence == (1, 2)
    assert all(rows.get(n).topic is memory(n).topic for n in range(20, 20 + len(TOPICS)))


def test_thousands_of_memories_are_no_work_for_the_search_for_garbage(db: Database) -> None:
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        stream = stream_of(db)
        assert len(gc.get_objects()) - before < N / 4
    finally:
        gc.enable()
    assert len(stream) == N


@pytest.mark.parametrize("odd", [b"abc", np.ones(9, "<f4").tobytes(), np.full(8, np.nan, "<f4").tobytes()])
@pytest.mark.parametrize("number", [1, 300, N])
def test_a_vector_that_does_not_read_takes_no_other_with_it(db: Database, odd: bytes, number: int) -> None:
    db.execute("UPDATE vectors SET vector = ? WHERE id = ?", (odd, number))
    ids, matrix = memories.load_vectors(db, "ada")
    assert ids == [n for n in range(1, N + 1) if n != number]
    assert np.array_equal(matrix, VECTORS[[n - 1 for n in ids]])
    assert stream_of(db).without_vector() == [number]


@pytest.mark.parametrize("column", lazy_memories.COLUMNS)
@pytest.mark.parametrize("value", ["x'41'", "1.5", "NULL", "'words'", "1e30"])
def test_a_value_of_the_wrong_type_in_any_column_is_damage(db: Database, column: str, value: str) -> None:
    if value == "'words'" and column not in ("id", "created", "last_access", "importance", "kind", "source"):
        return
    db.execute("CREATE TABLE loose AS SELECT * FROM memories")
    db.execute("DROP TABLE vectors")
    db.execute("DROP TABLE evidence")
    db.execute("DROP VIEW memories_readable")
    db.execute("DROP TABLE memories")
    db.execute(f"CREATE TABLE memories (npc, {', '.join(lazy_memories.COLUMNS)})")
    db.execute("CREATE TABLE evidence (npc, memory, rests_on)")
    db.execute(f"INSERT INTO memories SELECT npc, {', '.join(lazy_memories.COLUMNS)} FROM loose")
    assert len(lazy_memories.load(db, "ada")) == N
    db.execute(f"UPDATE memories SET {column} = {value} WHERE rowid = 7")
    with pytest.raises(SaveDamaged):
        lazy_memories.load(db, "ada")


def test_evidence_that_is_no_number_is_damage(db: Database) -> None:
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("INSERT INTO evidence VALUES ('ada', 3, 'x')")
    with pytest.raises(SaveDamaged, match="evidence"):
        lazy_memories.load(db, "ada")


def test_a_memory_of_a_time_that_no_calendar_has_is_damage(db: Database) -> None:
    db.execute("UPDATE memories SET created = 9000000000000000000 WHERE id = 3")
    with pytest.raises(SaveDamaged, match="time"):
        lazy_memories.load(db, "ada")
