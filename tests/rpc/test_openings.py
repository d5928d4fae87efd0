"""Who asks again for a save that is still being opened gets that session."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

import grpc
import pytest

from npc_server.errors import SaveInUse
from npc_server.memory.slots import Slots
from npc_server.memory.working_copy import WorkingCopy
from npc_server.rpc.openings import AskedSlot, Openings
from npc_server.session.game_files import NO_FILES, GameFiles
from npc_server.v1 import npc_pb2 as pb
from tests.rpc.fakes import FakeHost, FakeSession
from tests.rpc.test_game_files import real_server, sent
from tests.rpc.test_interceptors import failure
from tests.session.conftest import personas, town

ONE = AskedSlot("one", 3, False, NO_FILES)


class Door:
    """Opens sessions when the test lets it, and counts them."""

    def __init__(self) -> None:
        self.host = FakeHost()
        self.openings = Openings(self.host.session)
        self.may_open = asyncio.Event()
        self.fails: Exception | None = None
        self.begun = 0

    async def _open(self) -> FakeSession:
        await self.may_open.wait()
        if self.fails is not None:
            raise self.fails
        return self.host.session_

    def _begin(self) -> asyncio.Task[FakeSession]:
        self.begun += 1
        return asyncio.get_running_loop().create_task(self._open())

    def call(self, asked: AskedSlot = ONE) -> asyncio.Task[object]:
        return asyncio.get_running_loop().create_task(self.openings.session(asked, self._begin))

    async def call_and_hang_up(self, asked: AskedSlot = ONE) -> None:
        call = self.call(asked)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call


async def test_a_second_call_joins_an_opening_whose_caller_hung_up() -> None:
    door = Door()
    await door.call_and_hang_up()
    again = door.call()
    await asyncio.sleep(0)
    door.may_open.set()
    assert await again is door.host.session_
    assert door.begun == 1
    assert await door.call() is door.host.session_
    assert door.begun == 2, "a session that was got is not given to the next"


async def test_a_session_that_nobody_got_is_given_to_who_asks_again() -> None:
    door = Door()
    await door.call_and_hang_up()
    door.may_open.set()
    await asyncio.sleep(0.01)
    assert await door.call() is door.host.session_
    assert door.begun == 1


async def test_a_session_that_was_closed_meanwhile_is_opened_anew() -> None:
    door = Door()
    await door.call_and_hang_up()
    door.may_open.set()
    await asyncio.sleep(0.01)
    door.host.session_.closed = True
    await door.call()
    assert door.begun == 2


@pytest.mark.parametrize("asked", [AskedSlot("one", 3, True, NO_FILES), AskedSlot("ONE", 3, False, GameFiles("other", None, (), ()))])
async def test_who_asks_for_something_else_waits_and_then_opens_anew(asked: AskedSlot) -> None:
    door = Door()
    await door.call_and_hang_up()
    again = door.call(asked)
    await asyncio.sleep(0.01)
    assert door.begun == 1
    door.may_open.set()
    await again
    assert door.begun == 2


async def test_two_games_never_get_one_session() -> None:
    door = Door()
    first, second = door.call(), door.call()
    await asyncio.sleep(0.01)
    assert door.begun == 2
    door.may_open.set()
    await asyncio.gather(first, second)


async def test_who_joins_gets_the_error_and_may_ask_again() -> None:
    door = Door()
    door.fails = SaveInUse("It is open.", "Close it.")
    await door.call_and_hang_up()
    again = door.call()
    await asyncio.sleep(0)
    door.may_open.set()
    with pytest.raises(SaveInUse):
        await again
    door.fails = None
    assert await door.call() is door.host.session_
    await door.call_and_hang_up()


async def test_a_wait_for_another_opening_that_is_given_up_leaves_it_to_the_next() -> None:
    door = Door()
    await door.call_and_hang_up()
    await door.call_and_hang_up(AskedSlot("one", 9, False, NO_FILES))
    again = door.call()
    await asyncio.sleep(0)
    door.may_open.set()
    await again
    assert door.begun == 1


async def test_a_real_save_that_opens_slower_than_its_caller_waits_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    find = Slots.open_working_copy

    def slow(self: Slots, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False) -> WorkingCopy:
        opened.append(slot)
        copy = find(self, slot, resume_epoch, discard_unsaved)
        time.sleep(1.5)
        return copy

    async with real_server(tmp_path / "saves") as game:
        made = pb.CreateSaveRequest(slot="one", town=sent(town()), personas=map(sent, personas()), seed=7)
        await game.saves.CreateSave(made, metadata=game.auth)
        monkeypatch.setattr(Slots, "open_working_copy", slow)
        request = pb.OpenSaveRequest(slot="one")
        for _ in range(2):
            error = await failure(game.saves.OpenSave(request, metadata=game.auth, timeout=0.2))
            assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        answer = await game.saves.OpenSave(request, metadata=game.auth)
        assert (answer.epoch, answer.recovered) == (1, False)
        assert opened == ["one"]
