"""People who are silent, or take no notice, for a scripted scene."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.agent import Wish
from npc_server.clock import HOUR, MINUTE
from npc_server.records import Perception, PerceptionKind, PlayerPresence, Restraint, RestraintKind, Talk
from npc_server.session import approach, talks
from npc_server.session.host import Host
from tests.session.test_dialogue import MARA, play, silent, texts
from tests.session.test_talks import stage

MakeHost = Callable[..., Host]
SILENT, UNAWARE = RestraintKind.SILENT, RestraintKind.UNAWARE


def seen(text: str, at: int) -> Perception:
    return Perception(MARA, PerceptionKind.EVENT, "", text, "millbrook:lane:square", 1.0, at)


async def test_somebody_silent_hears_a_line_and_does_not_answer_until_the_scene_is_over(make_host: MakeHost) -> None:
    game = await play(make_host())
    session = game.session
    await game.send(Restraint(MARA, SILENT, True))
    answer = await session.say(MARA, "Ada", "The bridge is down.", silent)
    assert (answer.text, answer.ended) == ("", True)
    assert 'Ada said: "The bridge is down."' in texts(session)
    assert await session.undo(MARA, "Ada") == 1
    await game.tick(session.now + MINUTE)
    assert (await session.say(MARA, "Ada", "Hello?", silent)).text == "", "the order went with the thought that took it in"
    await game.send(Restraint(MARA, SILENT, False))
    assert (await session.say(MARA, "Ada", "Hello, Mara.", silent)).text


async def test_who_takes_no_notice_remembers_nothing_of_the_scene_and_all_before_and_after(make_host: MakeHost) -> None:
    game = await play(make_host())
    session, now = game.session, game.session.now + MINUTE
    order, end = Restraint(MARA, UNAWARE, True), Restraint(MARA, UNAWARE, False)
    await game.tick(now, seen("A bell rings.", now), order, seen("A ghost walks by.", now), end, seen("A cock crows.", now))
    await game.tick(now + MINUTE, order, seen("A witch flies by.", now + MINUTE))
    assert (await session.say(MARA, "Ada", "Do you see the witch?", silent)).text == ""
    told = " ".join(texts(session))
    assert "A bell rings." in told
    assert "A cock crows." in told
    assert not any(word in told for word in ("ghost", "witch"))


async def test_a_restraint_ends_at_its_hour_and_is_in_the_save_until_then(make_host: MakeHost) -> None:
    game = await play(make_host())
    session, now = game.session, game.session.now + MINUTE
    await game.tick(now, Restraint(MARA, UNAWARE, True, now + HOUR))
    await session.save_game()
    await session.load_game()
    game.epoch, game.seq = session.epoch, 0
    assert (await session.say(MARA, "Ada", "Hello?", silent)).text == ""
    await game.tick(now + HOUR, seen("A ghost walks by.", now + HOUR - 1), seen("A cock crows.", now + HOUR))
    told = " ".join(texts(session))
    assert "ghost" not in told
    assert "A cock crows." in told
    assert (await session.say(MARA, "Ada", "Hello?", silent)).text


async def test_nobody_begins_a_talk_with_somebody_silent_nor_do_they(make_host: MakeHost) -> None:
    on = await stage(make_host())
    mara, tobin = on.agents[MARA], on.agents["tobin_hale"]
    order = Restraint(MARA, SILENT, True)
    for wisher, wanted in ((mara, tobin), (tobin, mara)):
        wisher.wish = Wish(wanted.npc, "the weather")
        mara.mailbox = [(1, order)]
        assert talks.meetings(on.floor, ()) == []
        mara.mailbox = []
        wisher.wish = Wish(wanted.npc, "the weather")
        assert talks.meetings(on.floor, ())
    near = Perception(MARA, PerceptionKind.PERSON, "Ada", "stands here", "millbrook:lane:square", 1.0, on.now, "", PlayerPresence.FREE)
    mara.mind.talks.players[near.subject] = frozenset()
    mara.doing, mara.wish = replace(mara.doing, restraints=(order,)), Wish("Ada", "a greeting")
    assert approach.visits(on.floor, ()) == []
    mara.doing = replace(mara.doing, restraints=(Restraint(MARA, UNAWARE, True),))
    talk = Talk("t", ("tobin_hale",), on.floor.room("tobin_hale"), on.now)
    assert on.floor.present(talk) == ["ines_calder"]


async def test_an_order_holds_though_the_thoughts_that_took_it_in_broke(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await play(make_host())
    session, now = game.session, game.session.now

    async def broken(*arguments: object) -> list[object]:
        raise RuntimeError("a bug")

    monkeypatch.setattr("npc_server.cognition.perceive.perceive", broken)
    await game.tick(now + MINUTE, Restraint(MARA, SILENT, True))
    for minutes in (10, 20, 30):
        await game.tick(now + minutes * MINUTE)
    monkeypatch.undo()
    assert not session.agent(MARA).mailbox
    assert (await session.say(MARA, "Ada", "Hello?", silent)).text == ""


async def test_an_order_to_be_silent_ends_the_talk_that_she_is_in_with_others(make_host: MakeHost) -> None:
    game = await play(make_host())
    context = game.session._thinking._context
    context.may_break_off = True  # as where the clock does not wait
    context.calls[MARA] = asyncio.Event()
    await game.send(Restraint(MARA, SILENT, False))
    assert not context.calls[MARA].is_set()
    await game.send(Restraint(MARA, SILENT, True))
    assert context.calls[MARA].is_set()
    context.let_go(MARA)
