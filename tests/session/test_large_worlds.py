"""Registering a world costs what is new in it, and nobody waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.errors import BadInput
from npc_server.memory import database, places
from npc_server.memory.create import create
from npc_server.records import ObjectChange
from npc_server.session.host import Host
from npc_server.world.tree import Node, NodeKind, World
from tests.session.conftest import personas, town

LAMP = "millbrook:hall:lamp"


def things(count: int, first: int = 0) -> list[Node]:
    made = [Node(f"millbrook:hall:thing {n}", NodeKind.OBJECT, f"thing {n}") for n in range(first, first + count)]
    return [Node("millbrook:hall", NodeKind.SECTOR, "hall"), Node(LAMP, NodeKind.OBJECT, "lamp", state="off", states=("off", "on")), *made]


def steps_to_put(path: Path, there: int, count: int) -> int:
    """SQLite's instructions for `count` nodes more than `there` are."""
    create(path, lambda db: places.put_nodes(db, things(there)))
    taken = 0

    def step() -> int:
        nonlocal taken
        taken += 1
        return 0

    db = database.open_writer(path)
    db.conn.set_progress_handler(step, 1)
    with db.atomic():
        places.put_nodes(db, things(count, first=there))
    db.close()
    return taken


def test_a_node_costs_the_same_however_many_there_are(tmp_path: Path) -> None:
    few, many = steps_to_put(tmp_path / "few.npcsave", 100, 200), steps_to_put(tmp_path / "many.npcsave", 4_000, 200)
    # Once through the places for the last position, and not once for each node.
    assert many < few + 10 * 4_000


async def test_a_world_that_is_registered_again_is_not_stored_again(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    put: list[int] = []
    store = places.put_nodes

    def counted(db: Database, nodes: list[Node], bodies: dict[str, str] | None = None) -> None:
        put.append(len(nodes))
        store(db, nodes, bodies)

    monkeypatch.setattr(places, "put_nodes", counted)
    before = session.addresses()
    known, _ = await session.register_world(things(500))
    assert session.addresses() == [*before, *(node.address for node in things(500))]
    version = session.world.version
    assert await session.register_world(things(500)) == (known, [])
    assert (put, session.world.version) == ([502], version)
    assert (await session.register_world(things(501)))[0] == known + 1
    assert put == [502, 1]


async def test_a_registered_state_takes_the_place_of_one_that_changed(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    await session.register_world(things(3))
    await session.take(session.epoch, [(1, ObjectChange(LAMP, "on"))])
    assert session.world.node(LAMP).state == "on"
    await session.register_world(things(3))
    assert session.world.node(LAMP).state == "off"
    await session.save_game()
    await session.load_game()
    assert session.world.node(LAMP).state == "off"


async def test_a_world_without_a_parent_changes_nothing(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    before = list(session.world)
    with pytest.raises(BadInput, match="no parent"):
        await session.register_world([*things(3), Node("nowhere:at:all", NodeKind.OBJECT, "x")])
    assert list(session.world) == before


async def test_the_event_loop_encodes_no_nodes(make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch) -> None:
    by: list[threading.Thread] = []
    encode = places.bodies_of

    def encoded(nodes: Iterable[Node]) -> dict[str, str]:
        by.append(threading.current_thread())
        return encode(nodes)

    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    monkeypatch.setattr(places, "bodies_of", encoded)
    await session.register_world(things(10))
    assert len(by) == 1
    assert threading.main_thread() not in by


def test_merging_tells_what_is_new_or_differs() -> None:
    world = World([Node("t", NodeKind.WORLD, "T"), Node("t:a", NodeKind.SECTOR, "A")])
    version = world.version
    assert world.merge([Node("t", NodeKind.WORLD, "T")]) == []
    assert world.version == version
    fresh = [Node("t:a", NodeKind.SECTOR, "A burnt"), Node("t:b", NodeKind.SECTOR, "B")]
    assert world.merge([Node("t", NodeKind.WORLD, "T"), *fresh]) == fresh
    assert world.version == version + 1
