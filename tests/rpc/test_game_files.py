"""A game's own saves and files over a real server: whose save it is, what changed, and what is taken over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from npc_server.config import load_settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.records import Document
from npc_server.rpc.saves import SaveServicer
from npc_server.rpc.server import start_server
from npc_server.session.game_files import GameFiles
from npc_server.session.host import Host
from npc_server.v1 import npc_pb2 as pb
from tests.rpc.conftest import Game
from tests.rpc.fakes import FakeHost
from tests.rpc.test_interceptors import failure, info_of
from tests.session.conftest import personas, town
from tests.session.test_game_files import ADA, edited
from tests.waiting import LIMIT_S

GAME = "harbor-tale"


def sent(document: Document) -> pb.Document:
    return pb.Document(name=document.name, text=document.text, path=document.path)


Told = Callable[[str], Awaitable[pb.Notice]]


@dataclass
class Real(Game):
    async def say(self, session: str, text: str) -> None:
        request = pb.SayRequest(session_id=session, npc_id="mara_voss", speaker="Sam", text=text)
        async for _ in self.dialogue.Say(request, metadata=self.auth):
            pass

    async def memories(self, session: str) -> list[pb.Memory]:
        request = pb.ListMemoriesRequest(session_id=session, npc_id="mara_voss", page_size=1000)
        return list((await self.minds.ListMemories(request, metadata=self.auth)).memories)

    @asynccontextmanager
    async def notices(self, opened: pb.OpenSaveResponse) -> AsyncIterator[Told]:
        """What is told on the stream: the next notice of a reason. Another that comes before it is a mistake."""
        call = self.world.Play(metadata=self.auth)
        await call.write(pb.PlayRequest(session_id=opened.session_id, epoch=opened.epoch))
        waiting: list[pb.Notice] = []

        async def told(reason: str) -> pb.Notice:
            while not waiting:
                response = await asyncio.wait_for(call.read(), LIMIT_S)
                waiting.extend(event.notice for event in response.events if event.HasField("notice"))
            assert waiting[0].reason == reason, waiting
            return waiting.pop(0)

        try:
            yield told
        finally:
            call.cancel()

    async def open(self, **request: Any) -> pb.OpenSaveResponse:
        answer: pb.OpenSaveResponse = await self.saves.OpenSave(pb.OpenSaveRequest(slot="one", **request), metadata=self.auth)
        return answer


@asynccontextmanager
async def real_server(saves: Path) -> AsyncIterator[Real]:
    """A server with this folder of saves, and without a model."""
    every = load_settings(save={"folder": saves}, server={"port": 0, "stop_grace_s": 0.5})
    host = Host(every, NoModelEngine("There is none."), HashedWordsEmbedder())
    server = await start_server(host, every.server)
    async with grpc.aio.insecure_channel(server.address) as channel:
        view: Any = host
        yield Real(view, server, channel)
    await server.stop(0)
    await host.close()


@pytest_asyncio.fixture
async def real(tmp_path: Path) -> AsyncIterator[Real]:
    """A server with a save of Millbrook in the slot `one`."""
    async with real_server(tmp_path / "saves") as game:
        request = pb.CreateSaveRequest(slot="one", town=sent(town()), personas=map(sent, personas()), seed=7, game=GAME)
        made = await game.saves.CreateSave(request, metadata=game.auth)
        assert (made.save.game, made.save.town_id) == (GAME, "millbrook")
        yield game


async def test_another_games_save_is_refused_with_its_reason_and_both_names(real: Real) -> None:
    error = await failure(real.saves.OpenSave(pb.OpenSaveRequest(slot="one", game="wild-west"), metadata=real.auth))
    assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert (info_of(error).reason, dict(info_of(error).metadata)) == (
        "SAVE_OF_ANOTHER_GAME",
        {"slot": "one", "game": GAME, "asked_by": "wild-west"},
    )
    assert (await real.open(game=GAME)).save.game == GAME


async def test_a_save_of_another_town_is_refused_with_its_reason(real: Real) -> None:
    other = sent(edited(town(), "id: millbrook", "id: alderwick"))
    error = await failure(real.saves.OpenSave(pb.OpenSaveRequest(slot="one", town=other), metadata=real.auth))
    assert (error.code(), info_of(error).reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SAVE_OF_ANOTHER_TOWN")


async def test_files_taken_over_change_what_people_say_of_themselves_and_not_what_they_remember(real: Real) -> None:
    opened = await real.open(game=GAME)
    session = opened.session_id
    await real.say(session, "My dog is called Bello.")
    before = await real.memories(session)
    mara, *rest = personas()
    people = map(sent, [edited(mara, "age: 34", "age: 61"), *rest])
    request = pb.ApplyFilesRequest(session_id=session, town=sent(town()), personas=people)
    answer = await real.saves.ApplyFiles(request, metadata=real.auth)
    assert [(it.file, it.npc_id, it.kind) for it in answer.changes] == [(mara.name, "mara_voss", pb.CHANGE_KIND_CHANGED)]
    assert list(answer.npc_ids) == ["mara_voss", "tobin_hale", "ines_calder"]
    mind = await real.minds.GetMind(pb.GetMindRequest(session_id=session, npc_id="mara_voss"), metadata=real.auth)
    assert mind.identity.startswith("Mara Voss, 61 years old,")
    assert await real.memories(session) == before
    assert any("Bello" in memory.text for memory in before)


async def test_files_with_mistakes_come_back_with_all_of_them_and_change_nothing(real: Real) -> None:
    session = (await real.open(game=GAME)).session_id
    mara, tobin, ines = personas()
    people = [edited(mara, "age: 34", "age: old"), tobin, edited(ines, "home: ines_house", "home: ines_hause")]
    request = pb.ApplyFilesRequest(session_id=session, personas=map(sent, people))
    error = await failure(real.saves.ApplyFiles(request, metadata=real.auth))
    assert (error.code(), info_of(error).reason) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_FILE")
    told = str(error.details())
    assert "personas/mara_voss.yaml:9: " in told
    assert "personas/ines_calder.yaml:" in told
    mind = await real.minds.GetMind(pb.GetMindRequest(session_id=session, npc_id="mara_voss"), metadata=real.auth)
    assert mind.identity.startswith("Mara Voss, 34 years old,")


# ---- watched files


async def test_a_file_edited_while_its_save_is_open_is_told_with_the_call_that_takes_it_over(real: Real, folder: Path) -> None:
    opened = await real.open(game=GAME, town=on_disk(folder, "town.yaml"), personas=people_of(folder))
    async with real.notices(opened) as told:
        rewrite(folder / "personas/mara_voss.yaml", "age: 34", "age: 35")
        notice = await told("FILES_CHANGED")
        assert notice.level == pb.NOTICE_LEVEL_INFO
        assert notice.message.startswith("personas/mara_voss.yaml: age changed. Call SaveService.ApplyFiles to apply this")
        request = pb.ApplyFilesRequest(session_id=opened.session_id, personas=people_of(folder))
        assert [it.npc_id for it in (await real.saves.ApplyFiles(request, metadata=real.auth)).changes] == ["mara_voss"]
        rewrite(folder / "town.yaml", "name: Millbrook", "name: Great Millbrook")
        assert (await told("FILES_CHANGED")).message.startswith("town.yaml: name changed. ")


async def test_a_new_file_beside_the_others_is_told(real: Real, folder: Path) -> None:
    opened = await real.open(game=GAME, personas=people_of(folder))
    async with real.notices(opened) as told:
        (folder / "personas/notes.txt").write_text("no person")
        (folder / "personas/ada_finch.yaml").write_text(ADA.text)
        assert (await told("FILES_CHANGED")).message.startswith("personas/ada_finch.yaml is new: Ada Finch is not in this save yet.")


async def test_a_file_that_is_gone_is_told(real: Real, folder: Path) -> None:
    opened = await real.open(game=GAME, personas=people_of(folder))
    async with real.notices(opened) as told:
        (folder / "personas/tobin_hale.yaml").unlink()
        assert (await told("FILES_CHANGED")).message.startswith("personas/tobin_hale.yaml is gone; Tobin Hale stays in this save.")


async def test_a_file_that_is_broken_by_an_edit_is_told_with_its_line_and_play_goes_on(real: Real, folder: Path) -> None:
    opened = await real.open(game=GAME, personas=people_of(folder))
    async with real.notices(opened) as told:
        rewrite(folder / "personas/mara_voss.yaml", "age: 34", "age: [34")
        notice = await told("BAD_FILE")
        assert notice.level == pb.NOTICE_LEVEL_WARNING
        assert notice.message.startswith("personas/mara_voss.yaml:")
        assert "Close it with ']'" in notice.message
        (folder / "personas/tobin_hale.yaml").write_bytes(b"name: \xff\xfe\n")
        assert "Save the file with encoding UTF-8." in (await told("BAD_FILE")).message
        rewrite(folder / "personas/mara_voss.yaml", "age: [34", "age: 36")
        assert (await told("FILES_CHANGED")).message.startswith("personas/mara_voss.yaml: age changed.")
    assert (await real.minds.GetMind(pb.GetMindRequest(session_id=opened.session_id, npc_id="mara_voss"), metadata=real.auth)).name


async def test_what_was_edited_before_the_stream_was_opened_is_told_on_it(real: Real, folder: Path) -> None:
    opened = await real.open(game=GAME, personas=people_of(folder))
    rewrite(folder / "personas/mara_voss.yaml", "age: 34", "age: 35")
    session: Any = real.host
    found = session.session(opened.session_id)
    while not found._untold:
        await asyncio.sleep(0.01)
    async with real.notices(opened) as told:
        assert (await told("FILES_CHANGED")).message.startswith("personas/mara_voss.yaml: age changed.")


async def test_a_loaded_slot_that_is_older_than_the_files_is_told(real: Real, folder: Path) -> None:
    opened = await real.open(game=GAME)
    people = [edited(personas()[0], "age: 34", "age: 35"), *personas()[1:]]
    await real.saves.ApplyFiles(pb.ApplyFilesRequest(session_id=opened.session_id, personas=map(sent, people)), metadata=real.auth)
    async with real.notices(opened) as told:
        await real.saves.LoadGame(pb.LoadGameRequest(session_id=opened.session_id), metadata=real.auth)
        assert (await told("FILES_CHANGED")).message.startswith("personas/mara_voss.yaml: age changed.")


async def test_the_watching_ends_with_the_session(real: Real, folder: Path) -> None:
    opened = await real.open(game=GAME, personas=people_of(folder))
    assert watches() == 1
    await real.saves.CloseSave(pb.CloseSaveRequest(session_id=opened.session_id), metadata=real.auth)
    assert watches() == 0


async def test_nothing_is_watched_for_a_game_on_another_machine(folder: Path) -> None:
    host = FakeHost()
    servicer, request = SaveServicer(host, local=False), pb.OpenSaveRequest(slot="slot", personas=people_of(folder))
    nobody: Any = None
    await servicer.OpenSave(request, nobody)
    files = host.asked[0][-1]
    assert isinstance(files, GameFiles)
    assert [document.path for document in files.personas] == ["", "", ""]


def watches() -> int:
    return sum(task.get_name() == "watch files" for task in asyncio.all_tasks())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Millbrook's files as a modder has them."""
    (tmp_path / "game/personas").mkdir(parents=True)
    for document in [town(), *personas()]:
        (tmp_path / "game" / document.name).write_text(document.text, encoding="utf-8")
    return tmp_path / "game"


def on_disk(folder: Path, name: str) -> pb.Document:
    return pb.Document(name=name, text=(folder / name).read_text(encoding="utf-8"), path=str(folder / name))


def people_of(folder: Path) -> list[pb.Document]:
    return [on_disk(folder, document.name) for document in personas()]


def rewrite(path: Path, old: str, new: str) -> None:
    """As editors do: a new file in the place of the old one."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.with_suffix(".new").write_text(text.replace(old, new, 1), encoding="utf-8")
    path.with_suffix(".new").replace(path)


async def test_opening_tells_which_files_changed(real: Real) -> None:
    mara, *rest = personas()
    answer = await real.open(game=GAME, town=sent(town()), personas=map(sent, [edited(mara, "age: 34", "age: 35"), *rest]))
    assert list(answer.changes) == [
        pb.FileChange(file=mara.name, npc_id="mara_voss", kind=pb.CHANGE_KIND_CHANGED, summary=f"{mara.name}: age changed.")
    ]
