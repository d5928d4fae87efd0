from __future__ import annotations

from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.errors import BadInput
from npc_server.memory import inbox, meta
from npc_server.memory.store import Store
from npc_server.records import (
    Clock,
    GameEvent,
    ObjectChange,
    Outcome,
    OutcomeStatus,
    PathResult,
    Perception,
    PerceptionKind,
    Reach,
    Rejected,
    Whereabouts,
)

SEEN = Perception("ada", PerceptionKind.PERSON, "ben", "is pouring coffee", "town:cafe", 2.5, 1000)
KEPT: list[GameEvent] = [
    SEEN,
    Outcome("ada", "ada/1/1", OutcomeStatus.FAILED, "door locked", "town:cafe"),
    ObjectChange("town:cafe:stove", "burning", "ben"),
    Whereabouts("ada", "town:cafe", 4.0),
]
PASSING: list[GameEvent] = [PathResult("ada", "q1", (Reach("town:cafe", True, 30.0),)), Clock(2000), Rejected("no kind")]


async def test_what_is_of_lasting_interest_comes_back_as_it_was(store: Store) -> None:
    events = list(enumerate([*KEPT, *PASSING], start=1))
    assert await store.do(lambda db: inbox.take(db, 1, events)) == 7
    assert await store.do(lambda db: inbox.pending(db, 1)) == events[:4]
    assert (await store.do(meta.read)).last_seq == 7


async def test_the_clock_sets_the_game_time_of_the_save(store: Store) -> None:
    await store.do(lambda db: inbox.take(db, 1, [(1, Clock(5000))]))
    assert (await store.do(meta.read)).now == 5000


async def test_events_sent_again_are_stored_once(store: Store) -> None:
    events = [(n, SEEN) for n in range(1, 6)]
    assert await store.do(lambda db: inbox.take(db, 1, events[:3])) == 3
    assert await store.do(lambda db: inbox.take(db, 1, events)) == 5
    assert await store.do(lambda db: inbox.take(db, 1, events[:2])) == 5
    assert [seq for seq, _ in await store.do(lambda db: inbox.pending(db, 1))] == [1, 2, 3, 4, 5]


async def test_a_gap_is_refused_and_nothing_of_the_batch_is_kept(store: Store) -> None:
    with pytest.raises(BadInput, match="Event 2 was expected, event 3 came"):
        await store.do(lambda db: inbox.take(db, 1, [(1, SEEN), (3, SEEN)]))
    assert await store.do(lambda db: inbox.pending(db, 1)) == []
    assert (await store.do(meta.read)).last_seq == 0


async def test_another_epoch_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="epoch 2"):
        await store.do(lambda db: inbox.take(db, 2, [(1, SEEN)]))
    assert (await store.do(meta.read)).last_seq == 0


async def test_what_was_taken_in_does_not_come_back(store: Store) -> None:
    await store.do(lambda db: inbox.take(db, 1, [(1, SEEN), (2, SEEN)]))
    await store.do(lambda db: inbox.mark_done(db, 1, [1]))
    assert [seq for seq, _ in await store.do(lambda db: inbox.pending(db, 1))] == [2]
    assert await store.do(inbox.prune_done) == 1
    assert await store.do(lambda db: inbox.take(db, 1, [(1, SEEN)])) == 2


async def test_a_new_epoch_counts_from_one_and_keeps_what_waits(store: Store) -> None:
    def play(db: Database) -> None:
        inbox.take(db, 1, [(n, event) for n, event in enumerate(KEPT, start=1)])
        inbox.mark_done(db, 1, [1])
        inbox.begin_epoch(db, 2)
        inbox.take(db, 2, [(1, SEEN)])

    await store.do(play)
    assert await store.do(lambda db: inbox.pending(db, 2)) == [(-2, KEPT[1]), (-1, KEPT[2]), (0, KEPT[3]), (1, SEEN)]
    assert await store.do(lambda db: db.table("inbox").count) == 4  # what was taken in before is pruned


async def test_a_number_json_cannot_hold_is_refused(store: Store, save: Path) -> None:
    bad = Perception("ada", PerceptionKind.PERSON, "ben", "x", "town", float("nan"), 1)
    with pytest.raises(BadInput, match="finite"):
        await store.do(lambda db: inbox.take(db, 1, [(1, bad)]))


async def test_a_clock_that_goes_back_is_not_kept(store: Store) -> None:
    await store.do(lambda db: inbox.take(db, 1, [(1, Clock(5000)), (2, Clock(10))]))
    assert (await store.do(meta.read)).now == 5000
