from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_eval.believability_study.conditions import ABLATIONS, Condition, under
from npc_server.cognition.interview import interview
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource, PlanLevel, PlanStep, Social
from tests.minds import MORNING

NOON = MORNING + 6 * 3600
TEXTS = {
    MemoryKind.SEED: "Mara Voss keeps the Kettle Café",
    MemoryKind.OBSERVATION: "Tobin Hale broke his chisel",
    MemoryKind.CONVERSATION: "Tobin Hale said that he needs a chisel",
    MemoryKind.PLAN: "Mara Voss plans to bake rye bread at noon",
    MemoryKind.REFLECTION: "Mara Voss worries about Tobin Hale",
}
REACHED = {
    Condition.FULL: set(TEXTS),
    Condition.NO_REFLECTION: set(TEXTS) - {MemoryKind.REFLECTION},
    Condition.NO_PLANNING: set(TEXTS) - {MemoryKind.REFLECTION, MemoryKind.PLAN},
    Condition.NONE: set(),
}


async def lived(make_mind: Callable[..., Mind]) -> Mind:
    engine = ScriptedEngine(lambda request: "I do not know." if request.stage == "interview" else "5")
    mind = make_mind(engine)
    for kind, text in TEXTS.items():
        await mind.remember([text], kind=kind, at=MORNING, importance=[5], source=MemorySource.SEEN)
    mind.plan.steps = [PlanStep("mara_voss", 1, PlanLevel.HOUR, 0, NOON, NOON + 3600, "bake rye bread")]
    mind.identity.summary, mind.identity.currently = "She feels responsible for her neighbours.", "Rye bread for the fair."
    mind.relationships.social = {
        "tobin_hale": Social("mara_voss", "tobin_hale", "neighbour", "She pities him.", "His chisel broke.", 6, 3, NOON)
    }
    return mind


@pytest.mark.parametrize("condition", ABLATIONS)
async def test_each_condition_reaches_its_part_of_one_life(make_mind: Callable[..., Mind], condition: Condition) -> None:
    mind = await lived(make_mind)
    seen = under(mind, condition)
    assert {memory.kind for memory in seen.stream.latest(10)} == REACHED[condition]
    assert bool(seen.plan.steps) == (condition in (Condition.FULL, Condition.NO_REFLECTION))
    assert bool(seen.relationships.social) == bool(seen.identity.summary) == bool(seen.identity.currently) == (condition is Condition.FULL)
    _, found = await interview(seen, "What about the chisel?", NOON)
    assert {scored.memory.kind for scored in found} == REACHED[condition]


async def test_what_is_out_of_reach_stands_in_no_prompt(make_mind: Callable[..., Mind]) -> None:
    mind = await lived(make_mind)
    engine = mind.tools.engine
    assert isinstance(engine, ScriptedEngine)
    prompts = {}
    for condition in ABLATIONS:
        await interview(under(mind, condition), "What about the chisel?", NOON)
        prompts[condition] = engine.requests[-1].system + engine.requests[-1].user
    for text, conditions in {
        "worries about Tobin": {Condition.FULL},
        "responsible for her neighbours": {Condition.FULL},
        "She pities him": {Condition.FULL},
        "plans to bake rye": {Condition.FULL, Condition.NO_REFLECTION},
        "said that he needs": {Condition.FULL, Condition.NO_REFLECTION, Condition.NO_PLANNING},
        "bakes the bread of Millbrook": set(ABLATIONS),
    }.items():
        assert {condition for condition, prompt in prompts.items() if text in prompt} == conditions, text


async def test_the_mind_itself_stays_as_it_was(make_mind: Callable[..., Mind]) -> None:
    mind = await lived(make_mind)
    for condition in ABLATIONS:
        await interview(under(mind, condition), "What about the chisel?", NOON)
    assert len(mind.stream) == len(TEXTS)
    assert mind.plan.steps
    assert mind.relationships.social
    assert mind.identity.summary
    assert all(memory.last_access == MORNING for memory in mind.stream.latest(10))
    assert not mind.draft.calls
