"""Social Memory in a save: of players' talks when they are over, through restart and load, and with lines taken back."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.clock import HOUR, MINUTE
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import Emotion, Social
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.session.conftest import Game
from tests.session.test_dialogue import MARA, play, silent

MakeHost = Callable[..., Host]
SLOW = 11 * MINUTE


def relating() -> ScriptedEngine:
    """Sums up by counting; answers everything else so that it is left to instinct."""
    count = 0

    def answer(request: Request) -> str:
        nonlocal count
        if request.stage != "talk_relation":
            return "4"
        count += 1
        return f"relation: customer\nfeeling: She wonders about her.\nbetween: Summary {count}.\ncloseness: {count}"

    return ScriptedEngine(answer)


def kept(session: Session, who: str = "Ada") -> Social:
    return session.agent(MARA).mind.relationships.social[who]


def asked(engine: ScriptedEngine) -> list[str]:
    return [request.user for request in engine.requests if request.stage == "talk_relation"]


async def later(game: Game, seconds: int = SLOW) -> None:
    await game.tick(game.session.now + seconds)


async def test_a_players_talk_is_taken_in_when_it_is_over_and_each_line_once(make_host: MakeHost) -> None:
    engine = relating()
    game = await play(make_host(engine))
    await game.session.say(MARA, "Ada", "I come from the hills.", silent)
    await later(game, 5 * MINUTE)
    await game.session.say(MARA, "Ada", "It is colder there.", silent)
    await later(game, 9 * MINUTE)
    assert not asked(engine)
    await later(game)
    await game.session.say(MARA, "Ada", "I sell wool.", silent)
    await later(game)
    await later(game, 2 * HOUR)
    first, second = asked(engine)
    assert "from the hills" in first
    assert "colder there" in first
    assert "wool" in second
    assert "Summary 1." in second
    assert "hills" not in second
    assert (kept(game.session).between, kept(game.session).closeness) == ("Summary 2.", 2)


async def test_a_long_talk_with_a_player_is_taken_in_while_it_goes_on_and_each_line_once(make_host: MakeHost) -> None:
    engine = relating()
    game = await play(make_host(engine))
    lines = ["I come from the hills.", "It is colder there.", "I sell wool.", "My cart broke.", "I lost a wheel."]
    for number, text in enumerate(lines, start=1):
        await game.session.say(MARA, "Ada", text, silent)
        await game.tick(game.session.now)
        assert len(asked(engine)) == (1 if number >= 3 else 0), "six lines are three of hers and three answers"
    assert kept(game.session).between == "Summary 1."
    await later(game)
    first, second = asked(engine)
    assert all(f'"{text}"' in first and f'"{text}"' not in second for text in lines[:3])
    assert all(f'"{text}"' in second and f'"{text}"' not in first for text in lines[3:])
    assert "Summary 1." in second
    assert kept(game.session).closeness == 2


async def test_a_line_of_a_long_talk_that_is_taken_back_is_taken_back_from_the_summary(make_host: MakeHost) -> None:
    game = await play(make_host(relating()))
    for text in ("I come from the hills.", "It is colder there.", "I burned the mill."):
        await game.session.say(MARA, "Ada", text, silent)
    await game.tick(game.session.now)
    assert kept(game.session).between == "Summary 1."
    await game.session.undo(MARA, "Ada")
    assert "Ada" not in game.session.agent(MARA).mind.relationships.social


async def test_a_long_talk_wakes_the_mind_for_its_revision_and_then_it_sleeps_until_its_action_ends(make_host: MakeHost) -> None:
    game = await play(make_host(relating()))
    agent = game.session.agent(MARA)
    await game.tick(game.session.now)
    for text in ("I come from the hills.", "It is colder there.", "I sell wool."):
        assert not agent.due(game.session.now)
        await game.session.say(MARA, "Ada", text, silent)
    assert agent.due(game.session.now), "the third line makes it think"
    await game.tick(game.session.now)
    assert agent.doing.action is not None
    assert agent.next_wake == agent.doing.action.end > game.session.now


async def test_it_is_there_after_a_restart_and_nothing_is_taken_in_again(make_host: MakeHost) -> None:
    engine = relating()
    host = make_host(engine)
    game = await play(host)
    await game.session.say(MARA, "Ada", "I come from the hills.", silent)
    await later(game)
    before = kept(game.session)
    await game.session.close(save=True)
    again = Game(await host.open_save("one"))
    assert kept(again.session) == before
    await again.tick(again.session.now + HOUR)
    assert len(asked(engine)) == 1


async def test_a_talk_that_a_restart_broke_off_is_taken_in_after_it(make_host: MakeHost) -> None:
    engine = relating()
    host = make_host(engine)
    game = await play(host)
    await game.session.say(MARA, "Ada", "I come from the hills.", silent)
    await game.session.close(save=True)
    again = Game(await host.open_save("one"))
    await later(again)
    assert "from the hills" in asked(engine)[0]


async def test_loading_an_older_save_brings_back_what_was_between_people_then(make_host: MakeHost) -> None:
    game = await play(make_host(relating()))
    await game.session.say(MARA, "Ada", "I come from the hills.", silent)
    await later(game)
    before = kept(game.session)
    await game.session.save_game("before")
    await game.session.say(MARA, "Ada", "I burned the mill.", silent)
    await later(game)
    assert kept(game.session).between == "Summary 2."
    await game.session.load_game("before")
    assert kept(game.session) == before


async def test_a_line_that_is_taken_back_is_taken_back_from_the_summary(make_host: MakeHost) -> None:
    engine = relating()
    game = await play(make_host(engine))
    session = game.session
    await session.say(MARA, "Ada", "I come from the hills.", silent)
    await later(game)
    before = kept(session)
    await session.say(MARA, "Ada", "It is colder there.", silent)
    await session.say(MARA, "Ada", "I burned the mill.", silent)
    await later(game)
    assert "burned the mill" in asked(engine)[1]
    await session.undo(MARA, "Ada")
    assert kept(session) == before
    await later(game)  # what was said beside it is unseen again
    assert "colder there" in asked(engine)[2]
    assert "burned" not in asked(engine)[2]
    assert "hills" not in asked(engine)[2]
    await session.undo(MARA, "Ada")
    assert kept(session) == before
    await session.undo(MARA, "Ada")
    assert "Ada" not in session.agent(MARA).mind.relationships.social


async def test_what_was_taken_back_stays_so_after_a_restart(make_host: MakeHost) -> None:
    host = make_host(relating())
    game = await play(host)
    await game.session.say(MARA, "Ada", "I burned the mill.", silent)
    await later(game)
    await game.session.close(save=True)
    again = Game(await host.open_save("one"))
    await again.session.undo(MARA, "Ada")
    await again.session.close(save=True)
    third = await host.open_save("one")
    assert "Ada" not in third.agent(MARA).mind.relationships.social


async def test_without_a_model_the_last_things_a_player_told_are_kept(make_host: MakeHost) -> None:
    game = await play(make_host())
    await game.session.say(MARA, "Ada", "The old mill is burning!", silent)
    await later(game)
    assert kept(game.session).between == 'Ada said: "The old mill is burning!"'
    assert kept(game.session).relation == "acquaintance"


async def test_relations_name_the_closest_first(make_host: MakeHost) -> None:
    game = await play(make_host())
    await game.session.say(MARA, "Ada", "The old mill is burning!", silent)
    await later(game)
    found = game.session.relations(MARA)
    assert [it.closeness for it in found] == sorted((it.closeness for it in found), reverse=True)
    assert {"tobin_hale", "Ada"} <= {it.other for it in found}


async def test_an_insult_leaves_the_mood_that_the_model_names_with_its_cause_and_the_next_line_shows_it(make_host: MakeHost) -> None:
    felt = "mood: angry\nbecause: Robin called her bread stale"
    over = f"relation: stranger\nfeeling: She minds him.\nbetween: He is rude.\ncloseness: 0\n{felt}"
    answers = {"talk_relation": over, "say": "say: Well.\nthen: go on", "importance": "9"}
    engine = ScriptedEngine(lambda request: answers.get(request.stage, "4"))
    game = await play(make_host(engine))
    await game.session.say(MARA, "Robin", "Your bread is stale!", silent)
    await later(game)
    left = game.session.mind(MARA).mood
    assert (left.emotion, left.cause) == (Emotion.ANGRY, "Robin called her bread stale")
    await game.session.say(MARA, "Robin", "Good morning.", silent)
    last = next(request.user for request in reversed(engine.requests) if request.stage == "say" and request.npc == MARA)
    question = last.index("What do you say next?")
    assert "You feel angry: Robin called her bread stale. You speak as you feel." in last[question - 500 : question]
