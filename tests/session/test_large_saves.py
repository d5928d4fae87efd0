"""What opening and saving costs, counted: files read through, and who does the reading."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server import documents
from npc_server.config import Settings
from npc_server.errors import FileProblem
from npc_server.memory import database, lazy_memories, memories
from npc_server.memory.lazy_memories import LazyMemories
from npc_server.memory.slots import Slots
from npc_server.memory.working_copy import WorkingCopy
from npc_server.mind.retrieve import retrieve
from npc_server.personas import schema
from npc_server.records import Document, NpcId
from npc_server.session import persona_files
from npc_server.session.host import Host
from npc_server.session.persona_files import persona_of
from tests.session.conftest import personas, town


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every file that is read through, which takes a second for each 500 MB."""
    found: list[str] = []
    check = database.check_sound

    def counted(db: Database, path: Path, just_written: bool = False) -> None:
        found.append(path.name)
        check(db, path, just_written)

    monkeypatch.setattr(database, "check_sound", counted)
    return found


async def test_a_save_is_read_through_once_to_be_opened_and_once_to_be_written(make_host: Callable[..., Host], checks: list[str]) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    assert len(checks) == 1
    checks.clear()
    session = await host.open_save("one")
    assert len(checks) == 1
    checks.clear()
    await session.save_game()
    assert len(checks) == 1
    checks.clear()
    await session.load_game()
    assert len(checks) == 1
    checks.clear()
    await session.close(save=False)
    assert checks == []


async def test_the_event_loop_reads_neither_persona_files_nor_memories(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    by: list[threading.Thread] = []
    found = lazy_memories.load

    def persona_by(document: Document, town_id: str) -> schema.Persona:
        by.append(threading.current_thread())
        return persona_of(document, town_id)

    def load(db: Database, npc: NpcId) -> LazyMemories:
        by.append(threading.current_thread())
        return found(db, npc)

    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    monkeypatch.setattr("npc_server.session.people.persona_of", persona_by)
    monkeypatch.setattr(lazy_memories, "load", load)
    session = await host.open_save("one")
    assert len(by) == 2 * len(session.npc_ids)
    assert threading.main_thread() not in by


async def test_nobody_looks_into_a_file_while_it_is_opened_to_write(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looks keeps SQLite from opening it, and the save would be said to be in use."""
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    await (await host.open_save("one")).suspend()
    look, begin = Slots.people_files, Slots.open_working_copy
    opening, looking, met = threading.Event(), threading.Event(), list[bool]()

    def people_files(self: Slots, slot: str, discard_unsaved: bool = False) -> tuple[str, list[Document]]:
        looking.set()
        opening.wait(0.5)  # so that an opening that does not wait for the look comes upon it
        found = look(self, slot, discard_unsaved)
        looking.clear()
        return found

    def open_working_copy(self: Slots, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False) -> WorkingCopy:
        met.append(looking.is_set())
        opening.set()
        return begin(self, slot, resume_epoch, discard_unsaved)

    monkeypatch.setattr(Slots, "people_files", people_files)
    monkeypatch.setattr(Slots, "open_working_copy", open_working_copy)
    assert (await host.open_save("one")).recovered
    assert met == [False]


async def test_a_minds_retrieval_runs_no_statement_of_sql(make_host: Callable[..., Host]) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    statements: list[str] = []
    await session._store.do(lambda db: db.conn.set_trace_callback(statements.append))
    statements.clear()
    mind = session.agent("mara_voss").mind
    assert await retrieve(mind, "the mill", session.now, 20)
    assert await session.search("mara_voss", "the mill", 20)
    assert mind.stream.about("Ines Calder", 5) is not None
    assert statements == []
    await session._store.do(lambda db: memories.load(db, "mara_voss"))
    assert any("FROM memories" in it for it in statements), "the statements are not seen"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every document of which the YAML is read, of whatever kind."""
    found: list[str] = []
    load = documents.load_yaml

    def load_yaml(document: Document, max_values: int = documents.MAX_VALUES) -> documents.Parsed:
        found.append(document.name)
        return load(document, max_values)

    monkeypatch.setattr(documents, "load_yaml", load_yaml)
    persona_files.forget()
    return found


async def test_a_new_game_reads_each_of_its_files_once(make_host: Callable[..., Host], read: list[str]) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    await session.load_game()
    assert sorted(read) == sorted(it.name for it in [town(), *personas()])


async def test_a_save_that_is_opened_again_reads_no_file_again(make_host: Callable[..., Host], read: list[str]) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    persona_files.forget()
    read.clear()
    await (await host.open_save("one")).close(save=False)
    assert sorted(read) == sorted(it.name for it in personas())
    await host.open_save("one")
    assert len(read) == len(personas())


async def test_a_person_sent_twice_is_told_although_the_file_is_read_once(make_host: Callable[..., Host], read: list[str]) -> None:
    mara = personas()[0]
    with pytest.raises(FileProblem, match="'mara_voss' is taken by"):
        await make_host().create_save("one", town(), [mara, mara], seed=7, start=0)
    assert read.count(mara.name) == 1


async def test_a_file_with_a_mistake_is_told_of_each_time_it_comes(make_host: Callable[..., Host], read: list[str]) -> None:
    wrong = Document("mara.yaml", personas()[0].text.replace("age:", "aeg:"))
    for _ in range(2):
        with pytest.raises(FileProblem, match=r"mara.yaml:\d+: Key 'aeg' is not known. Did you mean 'age'?"):
            await make_host().create_save("one", town(), [wrong], seed=7, start=0)


async def test_a_damaged_vector_is_made_again_when_the_save_is_opened(make_host: Callable[..., Host], settings: Settings) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    with closing(sqlite3.connect(settings.save.folder / "one.npcsave")) as connection, connection:
        connection.execute("UPDATE vectors SET vector = x'0000c07f' WHERE npc = 'mara_voss' AND id = 2")
    session = await host.open_save("one")
    assert not session.agent("mara_voss").mind.stream.without_vector()
    await session.close(save=True)
    assert not (await host.open_save("one")).agent("mara_voss").mind.stream.without_vector()


async def test_a_file_that_was_just_written_is_not_brought_into_memory_before_it_is_checked(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead: list[str] = []
    bring = database.read_ahead

    def read_ahead(path: Path, db: Database) -> None:
        ahead.append(path.name)
        bring(path, db)

    monkeypatch.setattr(database, "read_ahead", read_ahead)
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    await session.save_game()
    await session.load_game()
    assert ahead == []
    await session.suspend()
    await host.open_save("one")
    assert ahead == ["one.play.sqlite"]


def test_a_persona_file_is_read_once_however_many_want_it(read: list[str]) -> None:
    document = personas()[0]
    found: list[schema.Persona] = []
    threads = [threading.Thread(target=lambda: found.append(persona_of(document, "millbrook"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read == [document.name]
    assert all(persona is found[0] for persona in found)
    assert persona_of(document, "elsewhere").home.startswith("elsewhere:")
