from __future__ import annotations

from collections.abc import Callable, Sequence

from npc_server.agent import Agent, Doing
from npc_server.cognition.mind import Mind
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory.draft import Draft
from npc_server.records import Action, Address, MemoryKind, MemorySource, Reach, Source
from tests.cognition.conftest import MORNING, everywhere, make_mind, persona, world

__all__ = ["make_mind", "persona", "world"]  # fixtures of the stages serve here, too

PARTS = ("morning", "noon", "afternoon", "evening", "night")
DAY = "\n".join(f"{hour:02}:00 | {PARTS[(hour - 6) // 4]} | wander" for hour in range(6, 22)) + "\n21:30 | bedtime | wander"
SQUARE = "millbrook:lane:square"


def circling(request: Request) -> str:
    """A model whose every hour and deed is the same."""
    replies = {
        "plan_day": DAY,
        "plan_steps": "\n".join(["10 | wander about the square | lane:square | nothing special | 🚶"] * 6),
        "act": "place: lane:square\ndoes: nothing special\nsentence: Mara is wandering about\nemoji: 🚶",
        "identity": "nature: Mara roams.\nwork: She looks about.\nfeeling: She is restless.\ncurrently: Mara wants to see everything.",
    }
    return replies.get(request.stage, "3")


async def decide(agent: Agent, minutes: int, ticks: int) -> list[Action]:
    found: list[Action] = []
    for tick in range(ticks):
        now = MORNING + tick * minutes * 60
        if agent.due(now):
            await agent.think(now)
        found += [event for event in agent.told if isinstance(event, Action)]
        agent.told, agent.mind.draft = [], Draft()
    return found


async def test_a_mind_that_goes_in_circles_is_broken_out_by_its_routine(make_mind: Callable[..., Mind]) -> None:
    async def paths(query: str, addresses: Sequence[Address]) -> Sequence[Reach]:
        return await everywhere(addresses)

    mind = make_mind(ScriptedEngine(circling), repeat_window=4, places_offered=64)
    actions = await decide(Agent(mind, Doing(address=SQUARE), paths), 10, 12)
    assert [action.sentence for action in actions[:4]] == ["Mara is wandering about the square"] * 4
    assert actions[4].source is Source.INSTINCT
    assert actions[4].sentence != "Mara is wandering about the square"


async def test_a_routine_may_repeat_itself(make_mind: Callable[..., Mind]) -> None:
    async def paths(query: str, addresses: Sequence[Address]) -> Sequence[Reach]:
        return await everywhere(addresses)

    mind = make_mind(repeat_window=2)
    actions = await decide(Agent(mind, Doing(address=SQUARE), paths), 5, 60)
    baking = [action for action in actions if action.sentence == "Mara is baking bread"]
    assert len(baking) > 3


async def test_who_one_is_is_thought_over_after_a_reflection(make_mind: Callable[..., Mind]) -> None:
    async def paths(query: str, addresses: Sequence[Address]) -> Sequence[Reach]:
        return await everywhere(addresses)

    def reflects(request: Request) -> str:
        if request.stage == "reflect_questions":
            return "\n".join(f"What of {i}?" for i in "abc")
        return "Mara is curious | 1" if request.stage == "reflect_insights" else circling(request)

    engine = ScriptedEngine(reflects)
    mind = make_mind(engine)
    agent = Agent(mind, Doing(address=SQUARE), paths)
    await agent.think(MORNING)
    before = [request.stage for request in engine.requests].count("identity")
    await mind.remember(["Tobin is ill"], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[9], source=MemorySource.SEEN)
    mind.importance_since = mind.settings.reflection_threshold
    await agent.think(MORNING + 60)
    stages = [request.stage for request in engine.requests]
    assert stages.count("identity") == before + 1
    assert stages.index("reflect_insights") < len(stages) - 1 - stages[::-1].index("identity")
    assert mind.summary == "Mara roams. She looks about. She is restless."
