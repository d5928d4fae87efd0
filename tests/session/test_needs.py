"""Needs and mood in a save: they go on where they were, the game is told of them, and what is forgotten is gone from the save, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_server.clock import DAY, HOUR, MINUTE
from npc_server.records import Emotion, Feelings, MemoryKind, MemorySource, Mood
from npc_server.session.host import Host
from tests.session.conftest import Game
from tests.session.test_dialogue import MARA, play, silent

MakeHost = Callable[..., Host]


async def test_needs_and_mood_go_on_where_the_save_left_them(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    game.session.agent(MARA).mind.feelings.mood = Mood(Emotion.HAPPY, 8.0, game.session.now)
    await game.tick(game.session.now + HOUR)
    before = game.session.mind(MARA)
    assert before.needs.company < 8.0
    assert before.mood.emotion is Emotion.HAPPY
    await game.session.save_game("before")
    await game.tick(game.session.now + 5 * HOUR)
    assert game.session.mind(MARA).needs != before.needs
    await game.session.load_game("before")
    again = Game(game.session)
    assert again.session.mind(MARA).needs == before.needs
    assert again.session.mind(MARA).mood == before.mood


async def test_the_game_is_told_of_feelings_at_first_and_when_they_change(make_host: MakeHost) -> None:
    game = await play(make_host())
    told = [event for event in game.told if isinstance(event, Feelings)]
    assert {event.npc for event in told} == {"mara_voss", "tobin_hale", "ines_calder"}
    for _ in range(8):
        await game.tick(game.session.now + 15 * MINUTE)
    mara = [event for event in game.told if isinstance(event, Feelings) and event.npc == MARA]
    assert 2 <= len(mara) <= 8
    shown = [(it.mood.emotion, *(round(value) for value in vars(it.needs).values())) for it in mara]
    assert all(a != b for a, b in zip(shown, shown[1:], strict=False))


async def test_talking_with_a_player_is_company(make_host: MakeHost) -> None:
    game = await play(make_host())
    mind = game.session.agent(MARA).mind
    mind.feelings.needs = replace(mind.feelings.needs, company=2.0)
    await game.session.say(MARA, "Ada", "How are you?", silent)
    await game.tick(game.session.now + 2 * MINUTE)
    assert game.session.mind(MARA).needs.company > 2.5


async def test_what_is_forgotten_at_night_is_gone_from_the_save(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    mind = game.session.agent(MARA).mind
    sights = [f"Tobin Hale passes {i} times" for i in range(150)]
    await mind.remember(sights, kind=MemoryKind.OBSERVATION, at=game.session.now, importance=[2] * 150, source=MemorySource.SEEN)
    await game.tick(game.session.now + HOUR)
    mind.settings = mind.settings.model_copy(update={"memories_kept": 100})
    night = game.session.now - game.session.now % DAY + 3 * DAY + 23 * HOUR
    await game.tick(night)
    await game.tick(night + HOUR)
    left = [memory.id for memory in mind.stream.latest(1000)]
    assert len(left) <= 100
    await game.session.close(save=True)
    again = await host.open_save("one")
    assert [memory.id for memory in again.agent(MARA).mind.stream.latest(1000)] == left
