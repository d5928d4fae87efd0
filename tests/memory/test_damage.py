"""Files that are no sound saves: a clear error, and not a byte of them changed."""

from __future__ import annotations

import asyncio
import hashlib
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlite_utils import Database

from npc_server.errors import SaveDamaged, SaveError, SaveInUse, SaveTooNew
from npc_server.memory import inbox, ledger, memories, meta, people, places, plans
from npc_server.memory.create import create
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.records import Memory, MemoryKind, Perception, PerceptionKind
from npc_server.world.tree import Node, NodeKind


def fill(db: Database) -> None:
    meta.write(db, town="Millbrook", epoch=1)
    people.insert(db, [people.Person("ada", "Ada Moss")])
    places.put_nodes(db, [Node("t", NodeKind.WORLD, "T")])
    many = [Memory("ada", n, MemoryKind.OBSERVATION, f"thing {n} " * 9, n, n, 5, evidence=(1,) if n > 1 else ()) for n in range(1, 60)]
    memories.insert(db, many, np.ones((59, 16), np.float32))
    inbox.take(db, 1, [(n, Perception("ada", PerceptionKind.PERSON, "ben", "waves", "t", 1.0, n)) for n in range(1, 20)])


class Content(bytes):
    """A file's bytes that a failing test does not print."""

    def __repr__(self) -> str:
        return f"<{len(self)} bytes>"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "s.npcsave"
    create(path, fill)
    return Content(path.read_bytes())


def fingerprint(folder: Path) -> dict[str, str]:
    """Of every file that holds something of a save; SQLite's empty bookkeeping beside it does not count."""
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    return {name: hashlib.sha256(data).hexdigest() for name, data in found.items() if not name.endswith((".lock", "-shm"))}


def open_and_close(path: Path) -> None:
    async def go() -> None:
        store = await Store.open(path)
        await store.close()

    asyncio.run(go())


def read_everything(db: Database) -> None:
    meta.read(db)
    for person in people.load(db):
        memories.load(db, person.npc)
        memories.load_vectors(db, person.npc)
        plans.load_day(db, person.npc, 0)
    places.load_nodes(db, Node)
    inbox.pending(db, 1)
    ledger.spent(db)


def newer(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA user_version = 99")


def foreign(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA application_id = 5")


def orphan(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO vectors VALUES ('ada', 999, x'00')")


def without_table(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE meta")


BREAKS: list[tuple[Callable[[sqlite3.Connection], None], type[SaveError], str]] = [
    (newer, SaveTooNew, "Update npc-server"),
    (foreign, SaveDamaged, "not a save of npc-server"),
    (orphan, SaveDamaged, "vectors belongs to nothing in memories"),
]


@pytest.mark.parametrize(("change", "error", "message"), BREAKS)
@pytest.mark.parametrize("in_log", [False, True])
def test_what_cannot_be_used_is_left_as_it_is(
    sound: bytes, tmp_path: Path, change: Callable[[sqlite3.Connection], None], error: type[SaveError], message: str, in_log: bool
) -> None:
    path = tmp_path / "s.npcsave"
    path.write_bytes(sound)
    if in_log:  # as a crash leaves it: the change stands in the log alone
        program = (
            "import os, sqlite3, sys; sys.path.insert(0, os.getcwd())\n"
            f"from tests.memory.test_damage import {change.__name__} as change\n"
            f"c = sqlite3.connect({str(path)!r}, isolation_level=None); c.execute('PRAGMA journal_mode = WAL'); change(c); os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])
        assert (tmp_path / "s.npcsave-wal").stat().st_size > 0
    else:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            change(connection)
    before = fingerprint(tmp_path)
    with pytest.raises(error, match=message):
        open_and_close(path)
    assert fingerprint(tmp_path) == before


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"SQLite format 3\0", b"SQLite format 3\0" + bytes(4080), random.Random(7).randbytes(5000), b"name: town\n" * 500],
    ids=["empty", "a letter", "the first bytes", "the first page", "noise", "a text"],
)
def test_what_is_no_save_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.npcsave"
    path.write_bytes(content)
    with pytest.raises(SaveDamaged, match=r"s\.npcsave"):
        open_and_close(path)
    assert fingerprint(tmp_path) == {"s.npcsave": hashlib.sha256(content).hexdigest()}


def test_a_file_that_can_only_be_read_is_damage_when_it_is_listed_already(sound: bytes, tmp_path: Path) -> None:
    slots = Slots(tmp_path)
    slots.path("s").write_bytes(sound[:18] + b"\x03" + sound[19:])
    assert "is damaged" in slots.saves()[0].problem
    with pytest.raises(SaveDamaged):
        slots.open_working_copy("s")


def test_a_name_that_is_no_text_in_the_schema_is_damage(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.npcsave"
    path.write_bytes(
        sound.replace(b'CREATE TABLE "memories"', b'CREATE TABLE "memori\xc5s"').replace(b"tablememories", b"tablememori\xc5s")
    )
    assert path.read_bytes() != sound
    with pytest.raises(SaveError, match=r"s\.npcsave"):
        open_and_close(path)


def test_a_save_that_another_process_writes_is_in_use_and_left_as_it_is(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.npcsave"
    path.write_bytes(sound)
    program = (
        "import asyncio, sys; from pathlib import Path; from npc_server.memory.store import Store\n"
        f"async def go():\n    store = await Store.open(Path({str(path)!r}))\n    print('open', flush=True)\n    sys.stdin.read()\n"
        "asyncio.run(go())"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        before = fingerprint(tmp_path)
        with pytest.raises(SaveInUse, match="open in another"):
            open_and_close(path)
        assert fingerprint(tmp_path) == before
        child.kill()
    open_and_close(path)


def test_a_save_that_lacks_a_table_says_so_when_it_is_opened(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.npcsave"
    path.write_bytes(sound)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        without_table(connection)
    with pytest.raises(SaveDamaged, match="it has no table 'meta'"):
        open_and_close(path)


def spoiled(data: bytes, flips: list[tuple[int, int]], cut: int | None) -> bytes:
    raw = bytearray(data)
    for place, value in flips:
        raw[place % len(raw)] ^= value
    return bytes(raw if cut is None else raw[: cut % len(raw)])


@example(flips=[(8094, 128)], cut=None)  # in the text of a migration's time
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.one_of(st.integers(0, 200), st.integers(0, 1 << 30)), st.integers(1, 255)), max_size=12),
    st.none() | st.integers(0, 1 << 30),
)
def test_a_spoiled_save_works_or_says_what_is_wrong_and_is_left_alone(
    sound: bytes, tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]], cut: int | None
) -> None:
    slots = Slots(tmp_path_factory.mktemp("spoiled"))
    path = slots.path("s")
    path.write_bytes(spoiled(sound, flips, cut))
    before = fingerprint(slots.folder)
    listed = slots.saves()
    assert [info.slot for info in listed] == ["s"]
    try:
        copy = slots.open_working_copy("s")
    except SaveError as error:
        assert str(error).endswith(".")
        assert listed[0].problem
        assert fingerprint(slots.folder) == before
        return

    async def use() -> bool:
        """Whether everything in it reads; a wrong word in a row is told when it is met. Anything else is a crash."""
        store = await Store.open(copy.path)
        try:
            await store.do(read_everything)
        except SaveError:
            return False
        finally:
            await store.close()
        return True

    reads = asyncio.run(use())
    assert not (listed[0].problem and reads)
    assert fingerprint(slots.folder)["s.npcsave"] == before["s.npcsave"]
    slots.close("s")
