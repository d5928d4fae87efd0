"""People come up to a player, and react to what a player does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.agent import Agent
from npc_server.clock import HOUR, MINUTE
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Completion, LineInTalk, OnText, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments, relationships
from npc_server.mind.instinct import Invitation
from npc_server.records import (
    Action,
    Approach,
    Clock,
    MemoryKind,
    MemoryTopic,
    Perception,
    PerceptionKind,
    PlayerPresence,
    Social,
    Source,
    Speech,
    Whereabouts,
)
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.session.conftest import Game, personas, town
from tests.waiting import LIMIT_S

MakeHost = Callable[..., Host]
MARA, TOBIN, INES = "mara_voss", "tobin_hale", "ines_calder"
SQUARE, POND = "millbrook:lane:square", "millbrook:green:pond_side:pond"


def silent(text: str) -> None:
    pass


async def at_noon(host: Host, *present: str) -> Game:
    """A game at noon, with these people on the square. A player called Robin is not there yet."""
    await host.create_save("one", town(), personas(), seed=7, start=0)
    game = Game(await host.open_save("one"))
    await game.tick(game.session.now + 6 * HOUR, *[Whereabouts(npc, SQUARE) for npc in present])
    return game


def sees(game: Game, npc: str, text: str = "is here", player: PlayerPresence | None = PlayerPresence.FREE) -> Perception:
    return Perception(npc, PerceptionKind.PERSON, "Robin", text, SQUARE, 3.0, game.session.now, player=player)


def did(game: Game, npc: str, text: str, player: PlayerPresence = PlayerPresence.FREE) -> Perception:
    return Perception(npc, PerceptionKind.EVENT, "Robin", text, SQUARE, 3.0, game.session.now, player=player)


async def minute_later(game: Game, *events: Perception | Whereabouts, minutes: int = 1) -> None:
    await game.tick(game.session.now + minutes * MINUTE, *events)


def approaches(game: Game) -> list[Approach]:
    return [event for event in game.told if isinstance(event, Approach)]


def knows_robin(session: Session, npc: str, closeness: int = 4) -> None:
    mind = session.agent(npc).mind
    mind.relationships.social["Robin"] = Social(npc, "Robin", "friend", "", "", closeness, 0, 1)


async def promised(game: Game, npc: str, in_s: int) -> None:
    """The NPC has promised Robin this morning to come to the pond in so many game seconds."""
    now = game.session.now
    agreed = Invitation(now + in_s, now + in_s + HOUR, POND, "help with the boat")
    await appointments.promise(game.session.agent(npc).mind, agreed, ["Robin"], now)


def deciding(reaction: str, say: str = "Robin, a word.", importance: str = "6") -> ScriptedEngine:
    def answer(request: Request) -> str:
        if request.stage == "react":
            return reaction if "Robin" in request.user.rpartition("You notice:")[2].splitlines()[0] else "reaction: continue"
        return {"say": f"say: {say}\nthen: go on", "importance": importance, "listen": "yes"}.get(request.stage, "?")

    return ScriptedEngine(answer)


TALKS = "reaction: talk\nminutes: 5\nwhat: the broken window"
GOES_ON = "reaction: continue\nminutes: 1\nwhat: nothing"


async def test_a_mind_gets_ready_for_a_player_who_comes_and_not_again_while_the_player_stays(make_host: MakeHost) -> None:
    class Reader(HashedWordsEmbedder):
        ahead = 0

        def read_ahead(self, heard: LineInTalk) -> None:
            self.ahead += 1

    game = await at_noon(make_host(), MARA)
    game.session.agent(MARA).mind.tools.embedder = reader = Reader()
    for player, times in ((PlayerPresence.FREE, 1), (PlayerPresence.FREE, 1), (PlayerPresence.GONE, 1), (PlayerPresence.FREE, 2)):
        await minute_later(game, sees(game, MARA, player=player))
        assert reader.ahead == times


async def test_a_promise_that_is_due_brings_the_npc_to_the_player_and_the_answer_continues_that_talk(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    session = game.session
    await promised(game, MARA, 30 * MINUTE)
    await minute_later(game, sees(game, MARA))
    (approach,) = approaches(game)
    assert (approach.npc, approach.player, approach.source) == (MARA, "Robin", Source.INSTINCT)
    assert "help with the boat" in approach.about
    assert "help with the boat" in approach.text
    said = [event for event in game.told if isinstance(event, Speech) and event.npc == MARA and event.to == ("Robin",)]
    assert [(line.text, line.conversation) for line in said] == [(approach.text, approach.conversation)]
    opened = session.memories(MARA, (MemoryKind.CONVERSATION,), 0, 1)[0]
    assert approach.text in opened.text
    assert "Robin" in (opened.subject, opened.object)
    await session.say(MARA, "Robin", "Thank you, I had forgotten.", silent)
    lines = session._thinking.dialogues._talks[MARA, "Robin"].lines
    assert [line.text for line in lines][:2] == [approach.text, "Thank you, I had forgotten."]
    assert session.agent(MARA).doing.opened is None


async def test_a_promise_for_tomorrow_brings_nobody(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await promised(game, MARA, 24 * HOUR)
    await minute_later(game, sees(game, MARA))
    assert not approaches(game)


async def test_a_player_who_breaks_something_is_spoken_to(make_host: MakeHost) -> None:
    engine = deciding(TALKS, say="Robin! That window was my grandmother's.")
    game = await at_noon(make_host(engine), MARA)
    await minute_later(game, did(game, MARA, "throws a stone through the window"))
    (approach,) = approaches(game)
    assert approach.text == "Robin! That window was my grandmother's."
    assert approach.about == "the broken window"
    assert approach.source is Source.MODEL
    seen = next(m for m in game.session.memories(MARA, (MemoryKind.OBSERVATION,), 0, 50) if m.topic is MemoryTopic.PLAYER_DID)
    assert (seen.text, seen.subject, seen.importance) == ("Robin throws a stone through the window", "Robin", 6)
    asked = next(request for request in engine.requests if request.stage == "react" and "window" in request.user)
    assert "talk: you walk up to Robin" in asked.user


async def test_the_model_decides_whether_to_react_to_a_player(make_host: MakeHost) -> None:
    engine = deciding(GOES_ON)
    game = await at_noon(make_host(engine), MARA)
    await promised(game, MARA, 30 * MINUTE)
    await minute_later(game, sees(game, MARA))
    assert not approaches(game)
    asked = [request.user for request in engine.requests if request.stage == "react" and "Robin is here" in request.user]
    assert len(asked) == 1
    assert "help with the boat" in asked[0], "the prompt shows what was promised"
    await minute_later(game, minutes=3)
    assert len([1 for request in engine.requests if request.stage == "react" and "Robin is here" in request.user]) == 1


@pytest.mark.parametrize("presence", [PlayerPresence.BUSY, PlayerPresence.GONE, None])
async def test_nobody_comes_up_to_a_player_who_is_not_free(make_host: MakeHost, presence: PlayerPresence | None) -> None:
    game = await at_noon(make_host(), MARA)
    knows_robin(game.session, MARA)
    await promised(game, MARA, 30 * MINUTE)
    await minute_later(game, sees(game, MARA, player=presence))
    assert not approaches(game)


async def test_an_acquaintance_is_greeted_once_a_day_and_a_stranger_is_not(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA, INES)
    knows_robin(game.session, MARA)
    assert relationships.of(game.session.agent(INES).mind, "Robin").relation == relationships.STRANGER
    await minute_later(game, sees(game, MARA), sees(game, INES))
    assert [approach.npc for approach in approaches(game)] == [MARA]
    await minute_later(game, minutes=150)
    await minute_later(game, sees(game, MARA, "is fishing"))
    assert len(approaches(game)) == 1, "the cooldown is over, but it is the same day"


async def test_nobody_comes_up_twice_within_the_cooldown(make_host: MakeHost) -> None:
    game = await at_noon(make_host(deciding(TALKS)), MARA)
    await minute_later(game, did(game, MARA, "throws a stone through the window"))
    await minute_later(game, did(game, MARA, "throws another stone"), minutes=30)
    assert len(approaches(game)) == 1
    await minute_later(game, did(game, MARA, "throws a third stone"), minutes=120)
    assert len(approaches(game)) == 2


async def test_two_people_do_not_both_begin_with_one_player(make_host: MakeHost) -> None:
    game = await at_noon(make_host(deciding(TALKS)), MARA, TOBIN)
    stone = "throws a stone through the window"
    await minute_later(game, did(game, MARA, stone), did(game, TOBIN, stone))
    assert len(approaches(game)) == 1
    await minute_later(game, did(game, MARA, "runs away"), did(game, TOBIN, "runs away"))
    assert len(approaches(game)) == 1, "the player has had no time to answer the first"


async def test_nobody_comes_up_to_a_player_who_is_talking(make_host: MakeHost) -> None:
    game = await at_noon(make_host(deciding(TALKS)), MARA, TOBIN)
    await game.session.say(TOBIN, "Robin", "Good day!", silent)
    await minute_later(game, did(game, MARA, "throws a stone through the window"))
    assert not approaches(game)


async def test_a_player_who_has_left_is_not_followed(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await minute_later(game, sees(game, MARA))
    await minute_later(game, sees(game, MARA, "", PlayerPresence.GONE))
    await promised(game, MARA, 30 * MINUTE)
    await minute_later(game, minutes=20)
    assert not approaches(game)


async def test_a_game_that_lost_the_server_hears_the_line_again_and_the_answer_continues_the_talk(make_host: MakeHost) -> None:
    host = make_host()
    game = await at_noon(host, MARA)
    await promised(game, MARA, 30 * MINUTE)
    await minute_later(game, sees(game, MARA))
    (approach,) = approaches(game)
    await game.session.suspend()
    again = await host.open_save("one", resume_epoch=game.epoch)
    resumed = Game(again)
    assert again.agent(MARA).doing.opened is not None
    await minute_later(resumed, sees(resumed, MARA))
    assert approaches(resumed) == [approach], "the same line, and no second one"
    await again.say(MARA, "Robin", "I am coming.", silent)
    assert [line.text for line in again._thinking.dialogues._talks[MARA, "Robin"].lines][:2] == [approach.text, "I am coming."]


async def test_a_game_that_is_loaded_hears_the_line_and_what_everybody_does_once_it_knows_the_new_epoch(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await promised(game, MARA, 30 * MINUTE)
    await minute_later(game, sees(game, MARA))
    (approach,) = approaches(game)
    session = game.session
    doing = {npc: session.agent(npc).doing.action for npc in session.npc_ids}
    await session.save_game("two")
    await session.say(MARA, "Robin", "I am coming.", silent)
    game.told.clear()
    await session.load_game("two")
    loaded = Game.__new__(Game)
    loaded.session, loaded.outbox, loaded.told, loaded.taken = session, game.outbox, [], set()
    loaded.epoch, loaded.seq = session.epoch, 0
    await loaded.tick(session.now)
    assert approaches(loaded) == [approach], "the same line, once"
    assert {event.npc: event for event in loaded.told if isinstance(event, Action)} == doing
    await loaded.tick(session.now + 1)
    assert len(approaches(loaded)) == 1


async def test_a_line_that_breaks_off_leaves_the_talk_open(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await promised(game, MARA, 30 * MINUTE)
    await minute_later(game, sees(game, MARA))
    agent, session = game.session.agent(MARA), game.session
    opened = agent.doing.opened

    write, writes = session._thinking._context.write, list[str]()

    async def broken(of: Agent) -> None:
        writes.append(of.npc)
        if len(writes) == 2:  # the line and its answer
            raise RuntimeError("no disk")
        await write(of)

    session._thinking._context.write = broken
    with pytest.raises(RuntimeError):
        await session.say(MARA, "Robin", "I am coming.", silent)
    assert agent.doing.opened == opened


async def test_what_somebody_else_says_leaves_the_talk_open(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await promised(game, MARA, 30 * MINUTE)
    await minute_later(game, sees(game, MARA))
    await game.session.say(MARA, "Ada", "Good day!", silent)
    assert game.session.agent(MARA).doing.opened is not None


async def test_a_perception_of_a_player_with_the_id_of_an_npc_is_refused(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await minute_later(game, replace(sees(game, MARA), subject=TOBIN))
    assert [notice.reason for notice in game.told if hasattr(notice, "reason")] == ["EVENT_REJECTED"]


class Held(ScriptedEngine):
    """Says to a player what comes to mind first only when `let_go` is set."""

    def __init__(self) -> None:
        super().__init__(deciding(TALKS)._ask)
        self.reached, self.let_go = asyncio.Event(), asyncio.Event()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if request.stage == "say" and "You wanted to talk about" in request.user:
            self.reached.set()
            await self.let_go.wait()
        return await super().complete(request, on_text)


async def test_a_player_who_speaks_first_is_answered_and_nobody_comes_up(make_host: MakeHost) -> None:
    engine = Held()
    game = await at_noon(make_host(engine), MARA)
    await game.send(Clock(game.session.now + MINUTE, lockstep=False))
    await game.send(did(game, MARA, "throws a stone through the window"))
    await asyncio.wait_for(engine.reached.wait(), LIMIT_S)
    answer = await asyncio.wait_for(game.session.say(MARA, "Robin", "It was an accident!", silent), LIMIT_S)
    assert answer.text == "Robin, a word."
    agent = game.session.agent(MARA)
    assert agent.doing.opened is None
    texts = [memory.text for memory in game.session.memories(MARA, (MemoryKind.CONVERSATION,), 0, 20)]
    assert not any("came up to" in text for text in texts)
    engine.let_go.set()
    await game.tick(game.session.now + MINUTE)
    assert not approaches(game)
