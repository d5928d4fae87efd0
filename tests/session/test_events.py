"""What a save can keep of the game's events."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.clock import DAY
from npc_server.config import Settings
from npc_server.memory import meta
from npc_server.memory.database import reading
from npc_server.records import Clock, MemoryKind, Notice, Perception, PerceptionKind, Settled
from npc_server.session.events import MOST_AHEAD_S
from npc_server.session.host import Host
from tests.session.conftest import Game, personas, town

MakeHost = Callable[..., Host]


async def play(host: Host, start: int = 0) -> Game:
    await host.create_save("one", town(), personas(), seed=7, start=start)
    return Game(await host.open_save("one"))


def refusals(game: Game) -> list[Notice]:
    return [event for event in game.told if isinstance(event, Notice)]


@pytest.mark.parametrize("wrong", [lambda now: 0, lambda now: now - 1, lambda now: now + MOST_AHEAD_S + 1])
async def test_a_clock_that_cannot_be_right_lets_time_stand_still_and_is_answered(
    make_host: MakeHost, settings: Settings, wrong: Callable[[int], int]
) -> None:
    host = make_host()
    game = await play(host)
    session = game.session
    now = session.now + 3 * DAY
    await game.tick(now)
    refused = game.seq + 1
    await game.tick(wrong(now))
    assert Settled in {type(event) for event in game.told if getattr(event, "seq", 0) == refused}
    assert session.now == now
    (notice,) = refusals(game)
    assert (notice.reason, notice.seq) == ("CLOCK_REFUSED", refused)
    assert f"it is {now}" in notice.message
    await session.save_game("saved")
    with reading(settings.save.folder / "saved.npcsave") as db:
        assert meta.read(db).now == now
    await session.suspend()
    again = await host.open_save("one", resume_epoch=game.epoch)
    assert (again.now, again.last_stored_seq) == (now, game.seq)


async def test_the_clock_goes_on_after_one_that_was_refused(make_host: MakeHost) -> None:
    game = await play(make_host())
    now = game.session.now + DAY
    await game.tick(now)
    await game.tick(now - DAY)
    await game.tick(now + 60, Perception("mara_voss", PerceptionKind.EVENT, "", "The bell rings.", "millbrook", 1.0, now + 60))
    assert game.session.now == now + 60
    (memory, *_) = game.session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 1)
    assert memory.created == now + 60


async def test_a_game_that_stays_behind_hears_of_it_once(make_host: MakeHost) -> None:
    game = await play(make_host())
    now = game.session.now
    await game.tick(now + DAY)
    for k in range(5):
        await game.tick(now + k)
    assert len(refusals(game)) == 1
    await game.tick(now + 2 * DAY)
    await game.tick(now)
    assert len(refusals(game)) == 2


async def test_clocks_in_one_message_are_held_against_each_other(make_host: MakeHost) -> None:
    game = await play(make_host())
    now = game.session.now
    await game.send(Clock(now + DAY))
    await game.send(Clock(now + 2 * DAY), Clock(now + DAY))
    assert game.session.now == now + 2 * DAY


async def test_events_that_come_again_are_not_held_against_the_clock(make_host: MakeHost) -> None:
    game = await play(make_host())
    now = game.session.now
    await game.send(Clock(now + 60), Clock(now + 120))
    assert await game.session.take(game.epoch, [(1, Clock(now + 60)), (2, Clock(now + 120)), (3, Clock(now + 180))]) == 3
    assert game.session.now == now + 180
    async for _, batch in game.outbox:
        game.told += batch
        break
    assert refusals(game) == []


async def test_a_save_that_had_no_time_yet_begins_at_any(make_host: MakeHost) -> None:
    host = make_host()
    await host.create_save("one", None, personas(), seed=7, start=0)
    game = Game(await host.open_save("one"))
    assert game.session.now == 0
    await game.send(Clock(3 * MOST_AHEAD_S // 2))
    assert (game.session.now, refusals(game)) == (3 * MOST_AHEAD_S // 2, [])


async def test_something_that_happened_in_a_far_future_is_refused(make_host: MakeHost) -> None:
    game = await play(make_host())
    now = game.session.now
    bell = Perception("mara_voss", PerceptionKind.EVENT, "", "The bell rings.", "millbrook", 1.0, now + MOST_AHEAD_S + 1)
    await game.tick(now + 60, bell)
    (notice,) = refusals(game)
    assert (notice.reason, notice.seq) == ("EVENT_REJECTED", 1)
    assert not game.session.memories("mara_voss", (MemoryKind.OBSERVATION,), 0, 5)
