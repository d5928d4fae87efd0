"""What a panel sees of the minds that are played: what everybody does and why, and their latest questions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.clock import HOUR, MINUTE
from npc_server.errors import UnknownName
from npc_server.records import AnsweredBy, MemoryKind, MindGlance, PlanOrigin
from npc_server.session.host import Host
from tests.session.conftest import PEOPLE, Game, personas, town

MakeHost = Callable[..., Host]


async def morning(host: Host) -> Game:
    """A game in which everybody is up and at work."""
    await host.create_save("one", town(), personas(), seed=7, start=0)
    game = Game(await host.open_save("one"))
    start = game.session.now
    for at in range(start, start + 4 * HOUR, 10 * MINUTE):
        await game.tick(at)
    return game


def of(game: Game, npc: str) -> MindGlance:
    return next(it for it in game.session.looking.minds() if it.npc == npc)


async def test_everybody_is_seen_with_what_they_do_and_the_plan_behind_it(make_host: MakeHost) -> None:
    game = await morning(make_host())
    assert {it.npc for it in game.session.looking.minds()} == set(PEOPLE)
    for seen in game.session.looking.minds():
        assert seen.action is not None
        texts = {step.text for step in game.session.plan(seen.npc, 0)}
        assert seen.why, f"{seen.npc} does {seen.action.sentence} without a reason"
        assert set(seen.why) <= texts
        assert seen.origin is PlanOrigin.PLANNED
        newest = game.session.memories(seen.npc, (), 0, 1)[0]
        assert (seen.latest_memory, seen.memories) == (newest.id, len(game.session.agent(seen.npc).mind.stream))


async def test_a_line_that_no_model_said_is_kept_with_who_said_it(make_host: MakeHost) -> None:
    game = await morning(make_host())
    before = of(game, "mara_voss").latest_question
    said = await game.session.say("mara_voss", "Robin", "What is your name?", lambda text: None)
    kept = game.session.looking.questions("mara_voss", 0, 5)
    line = next(it for it in kept if it.call.stage == "say" and it.reply)
    assert (line.user, line.reply) == ("What is your name?", said.text)
    assert line.by in (AnsweredBy.MEMORY, AnsweredBy.BANK, AnsweredBy.INSTINCT)
    assert line.call.wall_ms > 0
    assert of(game, "mara_voss").latest_question > before


async def test_looking_changes_nothing(make_host: MakeHost) -> None:
    game = await morning(make_host())
    stream = game.session.agent("mara_voss").mind.stream
    before = stream.latest(1_000)
    game.session.looking.minds()
    await game.session.search("mara_voss", "the bread", 10)
    game.session.looking.questions("mara_voss", 0, 10)
    assert stream.latest(1_000) == before
    assert not game.session.agent("mara_voss").mind.draft


async def test_a_load_forgets_the_questions_of_the_time_before(make_host: MakeHost) -> None:
    game = await morning(make_host())
    assert of(game, "mara_voss").latest_question
    await game.session.load_game()
    assert game.session.looking.questions("mara_voss", 0, 10) == []


async def test_somebody_who_is_not_there_is_not_found(make_host: MakeHost) -> None:
    game = await morning(make_host())
    with pytest.raises(UnknownName, match="nobody"):
        game.session.looking.questions("nobody", 0, 10)
    assert game.session.memories("mara_voss", (MemoryKind.SEED,), 0, 1)
