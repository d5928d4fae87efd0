"""When people who know each other talk again: by appointment, after a talk, and when it did not come to it before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from npc_server.clock import HOUR, MINUTE
from npc_server.cognition import own_deeds, react
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments, replies
from npc_server.mind.instinct import WORTH_ASKING, Invitation, Reaction
from npc_server.mind.mind import Mind
from npc_server.records import Memory, Source
from tests.cognition.test_react import KITCHEN, answers, in_the_mood, meet, sees_tobin
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def agreed_to_meet_tobin(mind: Mind) -> None:
    meeting = Invitation(MORNING, MORNING + HOUR, "millbrook:mara_house", "look at the chair")
    assert appointments.keep(mind, meeting, "look at the chair", MORNING, people=["tobin_hale"])


async def met(mind: Mind, noticed: list[Memory], now: int = MORNING, talked: Sequence[tuple[str, int]] = ()) -> Reaction | None:
    """The reaction of somebody who talked with Tobin too lately to begin a talk of her own accord."""
    return await react.react(mind, noticed, "Mara is eating breakfast", KITCHEN, now, lambda who: False, talked)


TALKS = Reaction(replies.TALK, Source.INSTINCT, "tobin_hale", "look at the chair")


async def test_who_meets_somebody_by_appointment_talks_with_them_once_and_nobody_is_asked(make_mind: MakeMind) -> None:
    engine = answers("reaction: continue\nminutes: 1\nwhat: nothing")
    mind = make_mind(engine)
    agreed_to_meet_tobin(mind)
    noticed = await meet(mind)
    assert await met(mind, noticed) == TALKS
    assert "react" not in [request.stage for request in engine.requests]
    assert await met(mind, noticed, MORNING + 30 * MINUTE, [("tobin_hale", MORNING + MINUTE)]) is None


async def test_who_agreed_to_meet_talks_however_lately_they_talked(make_mind: MakeMind) -> None:
    """The talk in which they agreed is no reason for silence when they meet."""
    mind = make_mind()
    agreed_to_meet_tobin(mind)
    assert await met(mind, await meet(mind), talked=[("tobin_hale", MORNING - 30 * MINUTE)]) == TALKS


async def test_who_was_there_first_is_talked_to_when_nothing_else_is_noticed(make_mind: MakeMind) -> None:
    mind = make_mind()
    agreed_to_meet_tobin(mind)
    assert await met(mind, []) is None
    await meet(mind)
    assert await met(mind, [], MORNING + MINUTE) == TALKS


async def test_those_who_have_just_parted_talk_again_only_about_something_that_matters(make_mind: MakeMind) -> None:
    mind = make_mind(answers("reaction: talk\nminutes: 1\nwhat: the flood"))
    own_deeds.begin_talk(mind, ["tobin_hale"], KITCHEN, MORNING)
    own_deeds.end(mind, MORNING + MINUTE)
    now = in_the_mood(mind, True)
    mind.lifestyle.deeds = tuple(replace(deed, end=now - 30) for deed in mind.lifestyle.deeds)
    (sight,) = await sees_tobin(mind, now)
    assert await react.react(mind, [sight], "", KITCHEN, now, lambda who: True) is None
    agreed_to_meet_tobin(mind)
    assert await met(mind, [sight], now) is None
    grave = replace(sight, importance=WORTH_ASKING)
    assert await react.react(mind, [grave], "", KITCHEN, now, lambda who: True) == Reaction(
        replies.TALK, Source.MODEL, "tobin_hale", "the flood"
    )


async def test_a_wish_to_talk_is_kept_until_they_meet_again_and_no_longer_than_a_day(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "reaction: talk\nminutes: 5\nwhat: the broken chair")
    mind = make_mind(engine)
    now = in_the_mood(mind, True)
    first = await react.react(mind, await sees_tobin(mind, now), "", KITCHEN, now, lambda who: True)
    mind.relationships.talk_wanted["tobin_hale"] = replace(mind.relationships.talk_wanted["tobin_hale"], at=now - 5 * HOUR)
    again = await react.react(mind, await sees_tobin(mind, now + 60, "is sawing"), "", KITCHEN, now + 60, lambda who: True)
    assert again == first == Reaction(replies.TALK, Source.MODEL, "tobin_hale", "the broken chair")
    assert [request.stage for request in engine.requests].count("react") == 1
    mind.relationships.talk_wanted["tobin_hale"] = replace(mind.relationships.talk_wanted["tobin_hale"], at=now - react.WISH_KEPT_S)
    await react.react(mind, await sees_tobin(mind, now + 120, "is planing"), "", KITCHEN, now + 120, lambda who: True)
    assert [request.stage for request in engine.requests].count("react") == 2, "the old wish is forgotten, and she is asked anew"
