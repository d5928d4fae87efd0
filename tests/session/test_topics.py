"""Whoever makes a memory whose sentence the mind writes itself says what it is of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from npc_eval.topics import topic_of
from npc_server.clock import MINUTE
from npc_server.cognition import remember_talk
from npc_server.records import Line, Memory, MemoryTopic, Outcome, OutcomeReason, OutcomeStatus, Perception, PerceptionKind, Talk
from npc_server.session.host import Host
from tests.session.conftest import Game, personas, town
from tests.session.test_talks import OVER, says, script, stage

MakeHost = Callable[..., Host]
MARA, TOBIN, INES = "mara_voss", "tobin_hale", "ines_calder"


async def play(host: Host) -> Game:
    await host.create_save("one", town(), personas(), seed=7, start=0)
    return Game(await host.open_save("one"))


def topics(memories: Iterable[Memory]) -> set[MemoryTopic]:
    """What they are of; each as its sentence reads."""
    found = list(memories)
    assert {memory.text: memory.topic for memory in found} == {memory.text: topic_of(memory.text) for memory in found}
    return {memory.topic for memory in found}


def memories(game: Game, npc: str = MARA) -> list[Memory]:
    return game.session.memories(npc, (), 0, 1000)


async def test_a_player_who_speaks_and_asks_is_remembered_so_and_answered(make_host: MakeHost) -> None:
    game = await play(make_host())
    await game.tick(game.session.now)
    await game.session.say(MARA, "Ada", "The mill is sold.", lambda _: None)
    await game.session.say(MARA, "Ada", "Who bought it?", lambda _: None)
    assert topics(memories(game)) >= {MemoryTopic.SAID, MemoryTopic.ASKED, MemoryTopic.ANSWERED}


async def test_what_was_overheard_planned_and_could_not_be_done_is_remembered_so(make_host: MakeHost) -> None:
    game = await play(make_host())
    actions = await game.tick(game.session.now)
    first = next(it for it in actions if it.npc == MARA)
    heard = Perception(MARA, PerceptionKind.SPEECH, TOBIN, "The barn burned down!", first.address, 2.0, game.session.now)
    failed = Outcome(MARA, first.id, OutcomeStatus.FAILED, "the door is locked", first.address, code=OutcomeReason.OTHER)
    await game.tick(game.session.now + MINUTE, heard, failed)
    assert topics(memories(game)) >= {MemoryTopic.SAID, MemoryTopic.PLAN, MemoryTopic.FAILED}


async def test_what_a_model_says_a_talk_was_about_is_remembered_as_a_talk(make_host: MakeHost) -> None:
    on = await stage(make_host(script([says("Hello."), says("Bye.", "leave"), says("Bye.")])))
    await on.hold(MARA, TOBIN)
    about = OVER.partition("\n")[0].removeprefix("about: ")
    assert topic_of(about) is MemoryTopic.OTHER, "no pattern knows a model's words"
    assert {memory.text: memory.topic for memory in on.agents[MARA].mind.stream.latest(10)}[about] is MemoryTopic.TALKED


async def test_a_talk_in_which_nothing_was_told_is_remembered_as_small_talk_and_a_round_as_meetings(make_host: MakeHost) -> None:
    on = await stage(make_host())
    lines = tuple(Line(npc, "Hello.", on.now, claims=()) for npc in (MARA, TOBIN, INES))
    mind = on.agents[MARA].mind
    assert topics(await remember_talk.remember(mind, Talk("t", (MARA, TOBIN), "", on.now, lines[:2]), on.now)) == {MemoryTopic.SMALL_TALK}
    made = await remember_talk.remember(mind, Talk("t", (MARA, TOBIN, INES), "", on.now, lines), on.now)
    assert topics(made) == {MemoryTopic.SMALL_TALK, MemoryTopic.MET}
    told = replace(lines[1], claims=("The mill is sold",))
    made = await remember_talk.remember(mind, Talk("t", (MARA, TOBIN), "", on.now, (lines[0], told)), on.now)
    assert topics(made) == {MemoryTopic.TALKED, MemoryTopic.OTHER}
