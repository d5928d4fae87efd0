from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.memory import actions, inbox, memories, meta, people, plans
from npc_server.memory.create import create
from npc_server.memory.database import as_database, connect
from npc_server.memory.migrations import APPLICATION_ID, migrate, newest_version, steps
from npc_server.memory.store import Store
from tests.memory.streams import load_stream

SAVES = Path(__file__).parent / "saves"


def from_sql(name: str, path: Path) -> Path:
    """A save as an older version left it, from its text in `saves`."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SAVES / name).read_text(encoding="utf-8"))
    return path


def header(path: Path) -> tuple[int, int]:
    raw = path.read_bytes()[:100]
    return int.from_bytes(raw[60:64], "big"), int.from_bytes(raw[68:72], "big")


def test_a_new_save_says_whose_it_is_and_of_which_version(tmp_path: Path) -> None:
    path = tmp_path / "new.npcsave"
    create(path)
    assert header(path) == (newest_version(), APPLICATION_ID)


def test_there_is_an_old_save_of_every_version() -> None:
    assert {path.name for path in SAVES.glob("*.sql")} == {f"v{n}.sql" for n in range(1, newest_version() + 1)}


@pytest.mark.parametrize("name", sorted(path.name for path in SAVES.glob("*.sql")))
def test_a_save_of_an_older_version_opens_with_everything_in_it(name: str, tmp_path: Path) -> None:
    path = from_sql(name, tmp_path / "old.npcsave")

    async def look() -> None:
        store = await Store.open(path)
        assert (await store.do(meta.read)).town == "Millbrook"
        assert [p.name for p in await store.do(people.load)] == ["Ada Moss", "Ben Hale"]
        stream = await load_stream(store, "ada")
        assert [m.text for m in stream.latest(9)] == ["Ben waves.", "Ada Moss bakes."]
        assert stream.get(2).evidence == (1,)
        assert stream.without_vector() == [2]
        assert len(await store.do(lambda db: plans.load_day(db, "ada", 0))) == 1
        assert len(await store.do(lambda db: inbox.pending(db, 1))) == 1
        assert [step.people for step in await store.do(lambda db: plans.load(db, "ada"))] == [("ben",)]
        assert [record.action.talks_with for record in await store.do(lambda db: actions.load(db))] == [("ben",)]
        await store.close()

    asyncio.run(look())
    assert header(path)[0] == newest_version()


def more_columns(db: Database) -> None:
    db.table("memories").add_column("mood", str, not_null_default="calm")


def half_done(db: Database) -> None:
    db.execute("CREATE TABLE half (x)")
    db.execute("UPDATE meta SET value = '\"lost\"'")
    raise ValueError("no further")


def test_a_later_migration_runs_on_an_old_save(tmp_path: Path) -> None:
    path = from_sql("v1.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        migrate(db, (*steps(), more_columns))
        assert db.execute("SELECT DISTINCT mood FROM memories").fetchall() == [("calm",)]
        assert len(memories.load(db, "ada")) == 2
        migrate(db, (*steps(), more_columns))
    assert header(path)[0] == newest_version() + 1


def test_a_migration_that_fails_leaves_the_save_at_the_version_before(tmp_path: Path) -> None:
    path = from_sql("v1.sql", tmp_path / "old.npcsave")
    with closing(connect(path, "rw")) as connection:
        db = as_database(connection)
        with pytest.raises(ValueError, match="no further"):
            migrate(db, (*steps(), more_columns, half_done))
        assert meta.read(db).town == "Millbrook"
        assert "half" not in db.table_names()
    assert header(path)[0] == newest_version() + 1
