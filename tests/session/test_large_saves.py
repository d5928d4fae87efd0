"""What opening and saving costs, counted: files read through, and who does the reading."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlite_utils import Database

from npc_server.memory import database, stored
from npc_server.memory.slots import Slots
from npc_server.memory.stored import StoredMemories
from npc_server.memory.working_copy import WorkingCopy
from npc_server.personas import schema
from npc_server.records import Document, NpcId
from npc_server.session import Host, persona_files
from npc_server.session.persona_files import persona_of
from tests.session.conftest import personas, town


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every file that is read through, which takes a second for each 500 MB."""
    found: list[str] = []
    check = database.check_sound

    def counted(db: Database, path: Path) -> None:
        found.append(path.name)
        check(db, path)

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
    memories = stored.load

    def persona_by(document: Document, town_id: str) -> schema.Persona:
        by.append(threading.current_thread())
        return persona_of(document, town_id)

    def load(db: Database, npc: NpcId) -> StoredMemories:
        by.append(threading.current_thread())
        return memories(db, npc)

    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    monkeypatch.setattr("npc_server.session.people.persona_of", persona_by)
    monkeypatch.setattr(stored, "load", load)
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


def test_a_persona_file_is_read_once_however_many_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    load = schema.load_persona

    def load_persona(document: Document, town_id: str = "") -> schema.Persona:
        read.append(document.name)
        return load(document, town_id)

    monkeypatch.setattr(persona_files, "load_persona", load_persona)
    persona_files.forget()
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
