"""What instinct suggests is a whole, valid answer to each question of talk, reaction and reflection, so a stand-in can use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_eval.stand_in import StandIn
from npc_server.affordable.social_memory import revise
from npc_server.clock import MINUTE
from npc_server.cognition import converse, react, reflect, remember_talk
from npc_server.mind.mind import Mind
from npc_server.personas.schema import Offer
from npc_server.records import CallOutcome, Line, Memory, MemoryKind, MemorySource, PlanLevel, PlanStep, Social, Source, Talk
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
STOVE = "millbrook:mara_house:kitchen:stove"
AWKWARD = 'Have you heard? "A | B"\nis\x00 burning, ' + "and on and on " * 40
TALK = Talk("t", ("tobin_hale", "mara_voss"), "millbrook:lane:square", MORNING, (Line("tobin_hale", AWKWARD, MORNING),))


async def sees(mind: Mind, subject: str, text: str, importance: int = 6) -> Memory:
    common = {"kind": MemoryKind.OBSERVATION, "at": MORNING, "source": MemorySource.SEEN, "address": STOVE}
    return (await mind.remember([text], importance=[importance], triples=[(subject, "is", text)], **common))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("profile", ["affordable", "generative-agents"])
@pytest.mark.parametrize("social_memory", [True, False])
@pytest.mark.parametrize("fuller_calls", [True, False])
async def test_every_suggestion_can_be_used(make_mind: MakeMind, profile: str, social_memory: bool, fuller_calls: bool) -> None:
    mind = make_mind(StandIn(), profile=profile, social_memory=social_memory, fuller_calls=fuller_calls, calm_reactions=False)
    mind.persona = replace(mind.persona, offers=(Offer("open_shop", "let a customer see the goods"),))
    mind.relationships.social["ines_calder"] = Social("mara_voss", "ines_calder", "rival | foe", AWKWARD, AWKWARD, 1, 0, 0)
    step = PlanStep("mara_voss", 0, PlanLevel.HOUR, 0, MORNING, MORNING + 60 * MINUTE, "bake", source=Source.MODEL)
    (hour,) = mind.add_steps([step])
    mind.add_steps([PlanStep("mara_voss", 0, PlanLevel.STEP, hour.id, MORNING, MORNING + 60 * MINUTE, AWKWARD, STOVE)])
    mind.world.set_state(STOVE, "burning")
    for subject in ("Tobin Hale", STOVE):
        await react.react(mind, [await sees(mind, subject, AWKWARD)], "", STOVE, MORNING, lambda who: True)
    for who in ("tobin_hale", "ines_calder"):
        await converse.listen(mind, who, MORNING, hurried=False)
    await converse.say(mind, TALK, MORNING, frozenset())
    await converse.say(mind, replace(TALK, lines=()), MORNING, frozenset(), about=AWKWARD)
    await remember_talk.remember(mind, TALK, MORNING)
    await sees(mind, "Ines Calder", AWKWARD)
    await revise(mind, "ines_calder", MORNING)
    assert await reflect.reflect(mind, MORNING)
    assert {call.stage: call.outcome for call in mind.draft.calls if call.outcome is not CallOutcome.USED} == {}
    assert len({call.stage for call in mind.draft.calls}) >= 6
