"""The baseline's reflection: three focal points, insights for each, and each thought weighed and taken apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from npc_server.cognition import reflect
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
REPLIES = {
    "ga_focal_points": "Who buys the mill?\nWho is lonely?\nWhat is to be done?",
    "ga_triple": "Mara Voss | worries about | the mill",
}


async def baseline(make_mind: MakeMind, engine: ScriptedEngine) -> Mind:
    mind = make_mind(engine, profile="generative-agents")
    for text in ("The mill is for sale", "Tobin Hale ate alone"):
        await mind.remember([text], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[5], source=MemorySource.SEEN)
    return mind


async def test_each_focal_point_has_insights_and_each_insight_two_calls(make_mind: MakeMind) -> None:
    count = 0

    def answer(request: Request) -> str:
        nonlocal count
        if request.stage == "ga_insights":
            count += 1
            return f"Insight {count} | 1\nAnother {count} | 2, 1"
        return REPLIES.get(request.stage, "6")

    engine = ScriptedEngine(answer)
    mind = await baseline(make_mind, engine)
    made = await reflect.reflect(mind, MORNING)
    assert [memory.text for memory in made] == [f"{kind} {i}" for i in (1, 2, 3) for kind in ("Insight", "Another")]
    assert all(memory.kind is MemoryKind.REFLECTION and memory.evidence and memory.predicate == "worries about" for memory in made)
    assert [memory.importance for memory in made] == [6] * 6
    asked = Counter(request.stage for request in engine.requests)
    assert asked == {"ga_focal_points": 1, "ga_insights": 3, "ga_triple": 6, "ga_importance": 6}
    for stage in ("ga_focal_points", "ga_insights"):
        same_as_golden(next(request for request in engine.requests if request.stage == stage), stage)


async def test_an_insight_without_evidence_that_was_shown_is_not_stored(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: REPLIES.get(request.stage, "this is blank"))
    assert not await reflect.reflect(await baseline(make_mind, engine), MORNING)
    engine = ScriptedEngine(lambda request: "Mara is rich | 17" if request.stage == "ga_insights" else REPLIES.get(request.stage, "6"))
    assert not await reflect.reflect(await baseline(make_mind, engine), MORNING)
