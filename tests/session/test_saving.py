"""Loading, saving and closing: what fails leaves play as it was, and what is closed is closed."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from npc_server.config import Settings, load_settings
from npc_server.errors import FileProblem, GameLoaded, NoSession, SaveDamaged, SaveError, SaveFull, SaveNotFound
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory import files
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.records import Clock, MemoryKind, Perception, PerceptionKind, Speech
from npc_server.session import epoch
from npc_server.session.host import Host
from npc_server.session.session import Session
from npc_server.world.tree import Node, NodeKind
from tests.disks import fill_up
from tests.session.conftest import Game, personas, town
from tests.waiting import LIMIT_S

MakeHost = Callable[..., Host]
MARA = "mara_voss"


async def play(host: Host, slot: str = "one") -> Game:
    await host.create_save(slot, town(), personas(), seed=7, start=0)
    return Game(await host.open_save(slot))


def sees(text: str, at: int) -> Perception:
    return Perception(MARA, PerceptionKind.PERSON, "tobin_hale", text, "millbrook:lane:square", 2.0, at)


def seen(session: Session) -> list[str]:
    return [memory.text for memory in session.memories(MARA, (MemoryKind.OBSERVATION,), 0, 50)]


def silent(piece: str) -> None:
    pass


def spoil_a_persona(path: Path) -> None:
    """What no check of the file itself can see: somebody edited a persona, and wrongly."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE documents SET text = replace(text, 'home:', 'hone:') WHERE name = 'personas/mara_voss.yaml'")


def stores_open() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("store ")]


async def goes_on(game: Game) -> None:
    """Play does, and is kept."""
    now = game.session.now + 60
    await game.tick(now, sees("is still there", now))
    assert "Tobin Hale is still there" in seen(game.session)
    assert (await game.session.save_game()).now == now


# ---- loading


async def test_a_load_whose_people_cannot_be_brought_to_life_leaves_play_as_it_was(make_host: MakeHost, settings: Settings) -> None:
    host = make_host()
    game = await play(host)
    await host.create_save("bad", town(), personas(), seed=7, start=0)
    spoil_a_persona(settings.save.folder / "bad.npcsave")
    session, now, number = game.session, game.session.now, game.session.epoch
    await game.tick(now, sees("is singing", now))
    await game.send(*[sees(f"is doing thing {k}", now) for k in range(5)])
    with pytest.raises(FileProblem, match="hone"):
        await session.load_game("bad")
    assert (session.epoch, seen(session), session.last_stored_seq) == (number, ["Tobin Hale is singing"], game.seq)
    await goes_on(game)
    assert len(stores_open()) == 1
    await session.suspend()
    again = await host.open_save("one", resume_epoch=number)
    assert (again.recovered, again.last_stored_seq) == (True, game.seq)


@pytest.mark.unanswered
async def test_a_thought_in_flight_goes_on_when_a_load_fails(make_host: MakeHost) -> None:
    engine = ScriptedEngine(lambda request: "4", delay_s=0.001)
    host = make_host(engine)
    await host.create_save("one", town(), personas()[:1], seed=7, start=0)
    game = Game(await host.open_save("one"))
    session = game.session
    await game.send(sees("is singing", session.now), Clock(session.now, lockstep=True))
    while not engine.running:
        await asyncio.sleep(0)
    with pytest.raises(SaveNotFound):
        await session.load_game("nowhere")
    async for _, batch in game.outbox:
        if any(getattr(event, "seq", 0) == game.seq for event in batch):
            break
    assert seen(session) == ["tobin_hale is singing"]  # who is not in this save


async def test_play_goes_on_until_the_loaded_people_live(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await play(make_host())
    session, may = game.session, asyncio.Event()
    began = asyncio.Event()
    usual = epoch.begin

    async def slow(*given: object) -> object:
        began.set()
        await may.wait()
        return await usual(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("npc_server.session.open_slot.begin", slow)
    loading = asyncio.create_task(session.load_game())
    await began.wait()
    assert await game.send(sees("is singing", session.now)) == 1
    may.set()
    await loading
    assert session.epoch == game.epoch + 1


async def test_a_load_that_cannot_put_its_file_in_place_goes_on_with_what_was_played(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await play(make_host())
    session, now, number = game.session, game.session.now, game.session.epoch
    await game.tick(now, sees("is singing", now))

    async def fail(store: Store, target: Path) -> None:
        raise SaveError("It cannot be moved.", "Try again.")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "move", fail)
        with pytest.raises(SaveError, match="cannot be moved"):
            await session.load_game()
    assert (session.epoch, seen(session)) == (number, ["Tobin Hale is singing"])
    await goes_on(game)
    assert len(stores_open()) == 1


# ---- opening


async def test_an_opening_that_fails_leaves_no_working_copy_to_hide_a_save_that_is_brought_back(
    make_host: MakeHost, settings: Settings
) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    slot = settings.save.folder / "one.npcsave"
    backup = slot.read_bytes()
    spoil_a_persona(slot)
    with pytest.raises(FileProblem):
        await host.open_save("one")
    assert not [path.name for path in settings.save.folder.iterdir() if "play" in path.name]
    slot.write_bytes(backup)
    assert not (await host.open_save("one")).recovered


async def test_what_was_played_and_cannot_be_opened_says_how_to_start_from_the_save(make_host: MakeHost, settings: Settings) -> None:
    host = make_host()
    game = await play(host)
    await game.session.suspend()
    spoil_a_persona(settings.save.folder / "one.play.sqlite")
    with pytest.raises(SaveDamaged, match=r"hone(?s:.*)discard_unsaved"):
        await host.open_save("one")
    assert not (await host.open_save("one", discard_unsaved=True)).recovered


# ---- closing


async def test_a_close_that_cannot_save_leaves_the_session_open(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    host = make_host()
    game = await play(host)

    def full(*given: object) -> None:
        raise SaveFull("The disk is full.", "Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(Slots, "save", full)
        for _ in range(2):
            with pytest.raises(SaveFull):
                await game.session.close(save=True)
    assert host.session(game.session.id) is game.session
    assert await asyncio.wait_for(game.session.say(MARA, "Ada", "Hello.", silent), LIMIT_S)
    await goes_on(game)
    await game.session.close(save=True)
    with pytest.raises(NoSession):
        host.session(game.session.id)
    again = await host.open_save("one")
    assert "Tobin Hale is still there" in seen(again)


@pytest.mark.parametrize("save", [False, True])
async def test_a_save_can_be_closed_and_opened_again_after_the_disk_was_full(small_disk: Path, save: bool) -> None:
    host = Host(load_settings(save={"folder": small_disk, "commit_wait_ms": 0}), NoModelEngine("No model."), HashedWordsEmbedder())
    game = await play(host)
    session, now = game.session, game.session.now
    await game.tick(now, sees("is singing", now))
    ballast = await asyncio.to_thread(fill_up, small_disk)
    for _ in range(2):
        with pytest.raises(SaveFull):
            await game.session.take(game.epoch, [(game.seq + k, sees("y" * 1900, now)) for k in range(1, 400)])
    if save:
        with pytest.raises(SaveFull):
            await session.close(save=True)
        ballast.unlink()
    await session.close(save=save)
    ballast.unlink(missing_ok=True)
    again = await host.open_save("one")
    assert (again.recovered, seen(again)) == (False, ["Tobin Hale is singing"] if save else [])
    await host.close()
    assert stores_open() == []


async def test_a_server_that_stops_on_a_full_disk_keeps_what_was_acknowledged(small_disk: Path) -> None:
    settings = load_settings(save={"folder": small_disk, "commit_wait_ms": 0})
    host = Host(settings, NoModelEngine("No model."), HashedWordsEmbedder())
    game = await play(host)
    stored = await game.send(sees("is singing", game.session.now))
    ballast = await asyncio.to_thread(fill_up, small_disk)
    await host.close()
    ballast.unlink()
    again = await Host(settings, NoModelEngine("No model."), HashedWordsEmbedder()).open_save("one", resume_epoch=game.epoch)
    assert (again.recovered, again.last_stored_seq) == (True, stored)
    await again.suspend()


async def test_a_close_whose_working_copy_cannot_be_removed_leaves_the_session_open(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    game = await play(host)

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(files, "remove", refuse)
        with pytest.raises(SaveError, match="Permission denied"):
            await game.session.close(save=False)
    await goes_on(game)
    await game.session.close(save=False)
    assert not (await host.open_save("one")).recovered


async def test_a_session_whose_folder_is_gone_can_be_closed(make_host: MakeHost, settings: Settings) -> None:
    host = make_host()
    game = await play(host)
    for path in settings.save.folder.iterdir():
        path.unlink()
    settings.save.folder.rmdir()
    with pytest.raises(SaveError, match="moved or deleted"):
        await game.send(sees("is singing", game.session.now))
    with pytest.raises(SaveError):
        await game.session.close(save=True)
    await game.session.close(save=False)
    assert stores_open() == []
    await host.create_save("one", town(), personas(), seed=7, start=0)
    assert (await host.open_save("one")).last_stored_seq == 0


async def test_a_session_that_cannot_be_suspended_does_not_keep_the_others_open(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    first, second = await play(host, "one"), await play(host, "two")

    async def fail() -> None:
        raise SaveError("It cannot be suspended.")

    monkeypatch.setattr(first.session, "suspend", fail)
    await host.close()
    with pytest.raises(NoSession):
        host.session(second.session.id)
    monkeypatch.undo()
    await first.session.suspend()


# ---- all at once


async def test_calls_that_come_together_leave_a_slot_that_can_be_opened(make_host: MakeHost) -> None:
    """In 40 rounds, each in another order, nothing stays locked, and no thread of a store stays behind."""
    host = make_host()
    await host.create_save("other", town(), personas()[:1], seed=7, start=0)
    await host.create_save("one", town(), personas()[:1], seed=7, start=0)
    outcomes: set[str] = set()
    for round_ in range(40):
        session = await host.open_save("one")
        session.attach()
        calls: list[Callable[[], Awaitable[object]]] = [
            lambda s=session, r=round_: s.close(save=r % 2 == 0),  # type: ignore[misc]
            lambda s=session: s.load_game("other"),  # type: ignore[misc]
            lambda s=session: s.load_game(),  # type: ignore[misc]
            lambda s=session: s.save_game(),  # type: ignore[misc]
            lambda s=session: s.close(save=False),  # type: ignore[misc]
            lambda s=session: s.say(MARA, "Ada", "Hello.", silent),  # type: ignore[misc]
            lambda s=session: s.take(s.epoch, [(1, Clock(s.now + 1))]),  # type: ignore[misc]
            lambda s=session: s.register_world([Node("millbrook:x", NodeKind.SECTOR, "x")]),  # type: ignore[misc]
        ]
        random = Random(round_)
        random.shuffle(calls)
        some = calls if round_ % 3 else [call for call in calls if random.random() < 0.5]
        results = await asyncio.gather(*(call() for call in some), return_exceptions=True)
        wrong = [r for r in results if isinstance(r, BaseException) and not isinstance(r, NoSession | GameLoaded)]
        assert wrong == [], round_
        outcomes |= {type(r).__name__ for r in results}
        await session.close(save=False)
        assert stores_open() == [], round_
    assert {"NoSession", "SaveInfo", "AnsweredLine", "NoneType"} <= outcomes


# ---- what belongs to an epoch before


@pytest.mark.parametrize("call", ["say", "whisper", "interview"])
async def test_a_call_in_flight_at_a_load_says_that_a_game_was_loaded_and_nothing_of_it_is_told(make_host: MakeHost, call: str) -> None:
    engine = ScriptedEngine(lambda request: "I am well.", delay_s=600)
    game = await play(make_host(engine))
    session = game.session
    before = session.epoch
    pieces: list[str] = []
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "say": lambda: session.say(MARA, "Ada", "How are you?", pieces.append),
        "whisper": lambda: session.whisper(MARA, "I want to run for mayor."),
        "interview": lambda: session.interview(MARA, "How are you?", pieces.append),
    }
    told = asyncio.ensure_future(calls[call]())
    while not engine.running:
        await asyncio.sleep(0.001)
    await session.load_game()
    with pytest.raises(GameLoaded, match="A game was loaded") as caught:
        await told
    assert caught.value.reason == "GAME_LOADED"
    assert session.epoch > before
    assert not engine.running
    assert not [event for number, event in game.outbox._waiting if number == session.epoch or isinstance(event, Speech)]
    assert pieces == []


async def test_a_call_in_flight_when_the_save_is_closed_says_so(make_host: MakeHost) -> None:
    engine = ScriptedEngine(lambda request: "I am well.", delay_s=600)
    game = await play(make_host(engine))
    told = asyncio.ensure_future(game.session.say(MARA, "Ada", "How are you?", silent))
    while not engine.running:
        await asyncio.sleep(0.001)
    await game.session.close(save=False)
    with pytest.raises(NoSession, match="was closed"):
        await told
    for late in (game.session.say(MARA, "Ada", "Hello?", silent), game.session.load_game(), game.session.save_game()):
        with pytest.raises(NoSession, match="was closed"):
            await late


async def test_what_an_epoch_before_has_to_tell_is_not_told_under_the_new_one(make_host: MakeHost) -> None:
    game = await play(make_host())
    old = game.session._thinking._put
    await game.session.load_game()
    old([Speech(MARA, "Good morning.", 0, (), False, "talk")])
    assert list(itertools.chain(game.outbox._waiting)) == []
