from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlite_utils import Database

from npc_server.clock import DAY
from npc_server.errors import SaveDamaged
from npc_server.memory import policies
from npc_server.memory.create import create
from npc_server.memory.draft import Draft
from npc_server.memory.policies import PolicyBook, PolicyChange, after, key_of
from npc_server.memory.store import Store
from npc_server.records import Policy, PolicyStep

STEPS = (PolicyStep(15, "rest", "t:green:bench", "sit", "{name} is resting", "🪑"),)
VECTOR = np.array([0.6, 0.8], np.float32)


def policy(activity: str = "rest", owner: str = "", state: str = "free") -> Policy:
    return Policy(owner, activity, 15, (("t:green:bench", state),), STEPS)


def worked(it: Policy, at: int) -> PolicyChange:
    return PolicyChange(it, at, worked=True, vector=VECTOR)


async def opened(path: Path) -> Store:
    create(path)
    return await Store.open(path)


async def test_a_policy_is_read_as_it_was_written(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.npcsave")
    drafts = [Draft(policies=[worked(policy(), 10)]), Draft(policies=[PolicyChange(policy(), 20, failed=True)])]
    for draft in drafts:
        assert draft
        await store.do(lambda db, draft=draft: policies.write(db, draft.policies))  # type: ignore[misc]
    ((kept, vector),) = await store.do(policies.load_with_vectors)
    assert kept == Policy("", "rest", 15, (("t:green:bench", "free"),), STEPS, 1, 1, False, 20, 20)
    assert vector.tolist() == VECTOR.tolist()
    assert await store.do(policies.load) == [kept]
    await store.close()


async def test_the_same_moment_gives_the_same_save_whoever_is_first(tmp_path: Path) -> None:
    changes = [worked(policy(), 10), PolicyChange(policy(), 10, failed=True), worked(policy(), 10), PolicyChange(policy(), 10)]
    found = []
    for i, order in enumerate(itertools.permutations(changes)):
        store = await opened(tmp_path / f"{i}.npcsave")
        await store.do(lambda db: policies.write(db, [worked(policy(), 5)]))
        for change in order:
            await store.do(lambda db, change=change: policies.write(db, [change]))  # type: ignore[misc]
        found.append(await store.do(policies.load))
        await store.close()
    assert found == [found[0]] * len(found)
    assert (found[0][0].worked, found[0][0].failed, found[0][0].usable) == (3, 1, False)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["worked", "failed", "begun"])), max_size=8))
def test_changes_of_one_moment_may_come_in_any_order(given_: list[tuple[int, str]]) -> None:
    def fold(changes: list[tuple[int, str]]) -> Policy | None:
        it: Policy | None = Policy("", "rest", 15, (), STEPS, 1, 0, True, 0)
        for at, what in changes:
            it = after(it, PolicyChange(policy(), at, worked=what == "worked", failed=what == "failed"))
        return it

    inwards = sorted(given_)
    backwards = sorted(given_, key=lambda it: (it[0], ["worked", "failed", "begun"].index(it[1])))
    assert fold(inwards) == fold(backwards)


async def test_the_book_and_the_save_agree(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.npcsave")
    book = PolicyBook()
    for at, change in enumerate(
        [worked(policy(), 1), worked(policy("walk"), 2), PolicyChange(policy(), 3, failed=True), worked(policy(), 4)]
    ):
        await store.do(lambda db, change=change: policies.write(db, [change]))  # type: ignore[misc]
        book.stored("ada", [change])
        book.settle(at + 2)
    assert sorted(book.seen_by("ada").values(), key=lambda it: it.activity) == await store.do(policies.load)
    await store.close()


def test_others_see_a_change_from_a_later_time_on_and_oneself_at_once() -> None:
    book = PolicyBook()
    book.stored("ada", [worked(policy(), 10)])
    book.settle(10)
    assert book.seen_by("ada")
    assert not book.seen_by("ben")
    book.settle(11)
    assert book.seen_by("ben")


def test_an_owners_policy_is_seen_by_nobody_else() -> None:
    book = PolicyBook([(policy(owner="ada"), VECTOR)])
    assert book.seen_by("ada")
    assert not book.seen_by("ben")


async def test_the_least_recently_used_go_when_there_are_too_many(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.npcsave")
    book = PolicyBook(most=2)
    changes = [worked(policy(name), i) for i, name in enumerate("abcd")]
    await store.do(lambda db: policies.write(db, changes))
    book.stored("ada", changes)
    assert book.settle(10) == []  # all were used today: somebody may be living by them
    book.stored("ben", [PolicyChange(policy("a"), DAY)])
    gone = book.settle(2 * DAY)
    assert [it.activity for it in gone] == ["b", "c"]
    await store.do(lambda db: policies.write(db, [], gone))
    assert [it.activity for it in await store.do(policies.load)] == ["a", "d"]
    assert len(book) == 2
    await store.close()


def test_a_condition_a_plan_or_an_owner_makes_another_policy() -> None:
    assert key_of(policy()) == key_of(policy())
    assert len({key_of(it) for it in (policy(), policy("walk"), policy(owner="ada"), policy(state="taken"))}) == 4


async def test_a_policy_that_cannot_be_read_is_damage(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a.npcsave")
    await store.do(lambda db: policies.put(db, [(policy(), VECTOR)]))
    for column, value in [("needs", "[["), ("steps", '[{"minutes": "x"}]'), ("steps", "7"), ("worked", "many")]:

        def spoil(db: Database, column: str = column, value: str = value) -> None:
            db.execute("DELETE FROM policies")
            policies.put(db, [(policy(), VECTOR)])
            db.execute(f"UPDATE policies SET {column} = ?", (value,))

        await store.do(spoil)
        with pytest.raises(SaveDamaged):
            await store.do(policies.load)
    await store.close()
