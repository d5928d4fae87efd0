"""Mods over a real server: they count in new saves and, once applied, in old ones, and their mistakes keep nobody from playing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import pytest_asyncio

from npc_server.rpc.saves import SaveServicer
from npc_server.session.game_files import GameFiles
from npc_server.v1 import npc_pb2 as pb
from tests.rpc.fakes import FakeHost
from tests.rpc.test_game_files import GAME, Real, real_server, rewrite, sent
from tests.rpc.test_interceptors import failure, info_of
from tests.session.conftest import personas, town

RAIN = "mods/rain/personas/mara_voss.yaml"
ODO = "name: Odo Lind\nage: 50\nidentity: Odo Lind fishes for eels\nhome: green:lawn\n"


@pytest_asyncio.fixture
async def real(tmp_path: Path) -> AsyncIterator[Real]:
    """A server without saves."""
    async with real_server(tmp_path / "saves") as game:
        yield game


@pytest.fixture
def mods(tmp_path: Path) -> Path:
    """The folder of mods, with one."""
    put(tmp_path / "mods", "age: 60\nadd:\n  identity: Mara fears the river\n")
    return tmp_path / "mods"


def put(folder: Path, text: str, name: str = RAIN) -> None:
    path = folder.parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def files_in(mods: Path) -> list[pb.Document]:
    return [
        pb.Document(name=path.relative_to(mods.parent).as_posix(), text=path.read_text("utf-8"), path=str(path))
        for path in sorted(mods.glob("*/personas/*.yaml"))
    ]


async def create(real: Real, mods: list[pb.Document]) -> pb.CreateSaveResponse:
    request = pb.CreateSaveRequest(slot="one", town=sent(town()), personas=map(sent, personas()), seed=7, game=GAME, mods=mods)
    made: pb.CreateSaveResponse = await real.saves.CreateSave(request, metadata=real.auth)
    return made


async def opened(real: Real, mods: list[pb.Document]) -> pb.OpenSaveResponse:
    return await real.open(game=GAME, town=sent(town()), personas=map(sent, personas()), mods=mods)


async def apply(real: Real, session: str, mods: list[pb.Document]) -> pb.ApplyFilesResponse:
    request = pb.ApplyFilesRequest(session_id=session, town=sent(town()), personas=map(sent, personas()), mods=mods)
    applied: pb.ApplyFilesResponse = await real.saves.ApplyFiles(request, metadata=real.auth)
    return applied


async def identity(real: Real, session: str, npc: str = "mara_voss") -> str:
    mind = await real.minds.GetMind(pb.GetMindRequest(session_id=session, npc_id=npc), metadata=real.auth)
    return str(mind.identity)


async def test_mods_count_in_a_new_save(real: Real, mods: Path) -> None:
    put(mods, ODO, "mods/rain/personas/odo_lind.yaml")
    made = await create(real, files_in(mods))
    assert not made.warnings
    assert "Odo Lind" in made.save.people
    session = await opened(real, files_in(mods))
    assert not session.changes
    assert (await identity(real, session.session_id)).startswith("Mara Voss, 60 years old,")
    assert "Mara fears the river" in {it.text for it in await real.memories(session.session_id)}


async def test_a_mod_with_a_mistake_keeps_no_game_from_starting(real: Real, mods: Path) -> None:
    put(mods, "age: [\n")
    put(mods, "home: mara_hause:bedroom\n", "mods/snow/personas/tobin_hale.yaml")
    made = await create(real, files_in(mods))
    assert [warning.split(": ")[0] for warning in made.warnings] == [f"{RAIN}:2", "mods/snow/personas/tobin_hale.yaml:1"]
    session = await opened(real, files_in(mods))
    told = [(it.file, "as in the save" in it.summary) for it in session.changes]
    assert told == [(RAIN, True), ("mods/snow/personas/tobin_hale.yaml", True)]
    assert (await identity(real, session.session_id)).startswith("Mara Voss, 34 years old,")


async def test_a_mod_counts_in_an_old_save_once_it_is_applied_and_no_longer_when_it_is_gone(real: Real, mods: Path) -> None:
    await create(real, [])
    session = await opened(real, files_in(mods))
    assert [it.summary for it in session.changes] == ["personas/mara_voss.yaml: age and identity changed."]
    assert (await identity(real, session.session_id)).startswith("Mara Voss, 34 years old,")
    applied = await apply(real, session.session_id, files_in(mods))
    assert [it.npc_id for it in applied.changes] == ["mara_voss"]
    assert (await identity(real, session.session_id)).startswith("Mara Voss, 60 years old,")
    assert not (await apply(real, session.session_id, files_in(mods))).changes
    await apply(real, session.session_id, [])
    assert (await identity(real, session.session_id)).startswith("Mara Voss, 34 years old,")
    assert "Mara fears the river" not in {it.text for it in await real.memories(session.session_id)}


async def test_a_mod_whose_place_does_not_exist_is_left_out_when_files_are_applied(real: Real, mods: Path) -> None:
    await create(real, [])
    put(mods, "home: mara_hause:bedroom\n", "mods/snow/personas/tobin_hale.yaml")
    session = await opened(real, [])
    applied = await apply(real, session.session_id, files_in(mods))
    assert [it.npc_id for it in applied.changes] == ["mara_voss"]
    (warning,) = applied.warnings
    assert warning.startswith("mods/snow/personas/tobin_hale.yaml:1: There is no place or object 'mara_hause:bedroom'.")


async def test_an_edit_of_a_mod_is_told_while_its_save_is_open(real: Real, mods: Path) -> None:
    await create(real, files_in(mods))
    session = await opened(real, files_in(mods))
    async with real.notices(session) as told:
        rewrite(mods.parent / RAIN, "age: 60", "age: 61")
        assert (await told("FILES_CHANGED")).message.startswith("personas/mara_voss.yaml: age changed. Call SaveService.ApplyFiles")
        rewrite(mods.parent / RAIN, "age: 61", "age: old")
        broken = await told("BAD_FILE")
        assert broken.message.startswith(f"{RAIN}:1: 'age' is 'old' where a whole number belongs.")
        assert broken.message.endswith("Play goes on as in the save until this file of a mod is fixed.")
        put(mods, ODO, "mods/rain/personas/odo_lind.yaml")
        new = (await told("FILES_CHANGED")).message
        assert new.startswith("mods/rain/personas/odo_lind.yaml is new: Odo Lind is not in this save yet. Call")


async def test_a_person_whose_mod_is_broken_in_play_stays_as_in_the_save(real: Real, mods: Path) -> None:
    put(mods, ODO, "mods/rain/personas/odo_lind.yaml")
    await create(real, files_in(mods))
    session = await opened(real, files_in(mods))
    put(mods, "age: old\n")
    put(mods, "age: old\n", "mods/rain/personas/odo_lind.yaml")
    applied = await apply(real, session.session_id, files_in(mods))
    assert not applied.changes
    assert (await identity(real, session.session_id)).startswith("Mara Voss, 60 years old,")
    assert (await identity(real, session.session_id, "odo_lind")).startswith("Odo Lind is 50.")
    put(mods, "age: 70\n")
    applied = await apply(real, session.session_id, files_in(mods))
    assert [it.npc_id for it in applied.changes] == ["mara_voss"]
    assert [warning.split(":")[0] for warning in applied.warnings] == ["mods/rain/personas/odo_lind.yaml"]


async def test_more_files_of_mods_than_a_request_may_have_are_refused(real: Real, mods: Path) -> None:
    error = await failure(create(real, files_in(mods) * 501))
    assert (error.code(), info_of(error).reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_INPUT")
    assert "mods" in str(error.details())


async def test_no_mod_of_this_machine_is_watched_for_a_game_on_another(mods: Path) -> None:
    host = FakeHost()
    await SaveServicer(host, local=False).OpenSave(pb.OpenSaveRequest(slot="slot", mods=files_in(mods)), None)  # type: ignore[arg-type]
    files = host.asked[0][-1]
    assert isinstance(files, GameFiles)
    assert [(document.name, document.path) for document in files.mods] == [(RAIN, "")]
