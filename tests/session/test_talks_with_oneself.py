"""Nobody talks with themselves, whatever the game tells them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.clock import HOUR
from npc_server.records import Notice, Perception, PerceptionKind
from npc_server.session.host import Host
from tests.session.conftest import Game, personas, town

MakeHost = Callable[..., Host]
SQUARE = "millbrook:lane:square"


@pytest.mark.parametrize("kind", [PerceptionKind.SPEECH, PerceptionKind.OBJECT])
async def test_who_is_told_what_they_said_themselves_begins_no_talk_with_themselves(make_host: MakeHost, kind: PerceptionKind) -> None:
    host = make_host()
    await host.create_save("one", town(), personas(), seed=7, start=0)
    game = Game(await host.open_save("one"))
    now = game.session.now + 10 * HOUR
    for number in range(12):  # whether one is in the mood to talk changes by the hour
        name = "tobin_hale" if kind is PerceptionKind.SPEECH else "Tobin Hale"
        await game.tick(now, Perception("tobin_hale", kind, name, f"The bakery burned down, number {number}!", SQUARE, 0.0, now))
        now += 2 * HOUR
    assert not [event for event in game.told if isinstance(event, Notice)]
    assert not [memory.text for memory in game.session.memories("tobin_hale", (), 0, 1000) if "with Tobin" in memory.text]
    assert not game.session.agent("tobin_hale").may_talk_to("tobin_hale", now)
