from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_server.agent import Agent
from npc_server.clock import HOUR
from npc_server.cognition.importance import AT_ONCE
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.memory.draft import Draft
from npc_server.mind import importance_sum
from npc_server.mind.doing import Doing
from npc_server.mind.mind import Mind
from npc_server.mind.today import today_so_far
from npc_server.records import (
    Action,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    Outcome,
    OutcomeStatus,
    Perception,
    PerceptionKind,
    PlanLevel,
    PlanOrigin,
    PlanStep,
    Source,
)
from tests.minds import MORNING, answering, make_mind, persona, world

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
        "identity": "nature: Mara roams.\nwork: She looks about.\nfeeling: She is restless.\ncurrently: Mara looks around.\nmood: neutral",
    }
    return replies.get(request.stage, "3")


async def decide(agent: Agent, minutes: int, ticks: int) -> list[Action]:
    found: list[Action] = []
    for tick in range(ticks):
        now = MORNING + tick * minutes * 60
        if agent.due(now):
            await agent.think(now)
        found += [event for event in agent.outgoing if isinstance(event, Action)]
        agent.outgoing, agent.mind.draft = [], Draft()
    return found


async def test_a_mind_that_goes_in_circles_is_broken_out_by_its_routine(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind(ScriptedEngine(circling), repeat_window=4, places_offered=64)
    actions = await decide(Agent(mind, Doing(address=SQUARE), answering), 10, 12)
    assert [action.sentence for action in actions[:4]] == ["Mara is wandering about the square"] * 4
    assert actions[4].source is Source.INSTINCT
    assert actions[4].sentence != "Mara is wandering about the square"


async def test_a_routine_may_repeat_itself(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind(repeat_window=2)
    actions = await decide(Agent(mind, Doing(address=SQUARE), answering), 5, 60)
    baking = [action for action in actions if action.sentence == "Mara is baking bread"]
    assert len(baking) > 3


async def test_who_one_is_is_thought_over_after_a_reflection(make_mind: Callable[..., Mind]) -> None:
    def reflects(request: Request) -> str:
        if request.stage == "reflect_questions":
            return "\n".join(f"What of {i}?" for i in "abc")
        return f"Mara is curious about {request.seed} | 1" if request.stage == "reflect_insights" else circling(request)

    engine = ScriptedEngine(reflects)
    mind = make_mind(engine)
    agent = Agent(mind, Doing(address=SQUARE), answering)
    await agent.think(MORNING)

    async def asked_at(now: int) -> list[str]:
        engine.asked.clear()
        await agent.think(now)
        return [request.stage for request in engine.requests]

    await mind.remember(["Tobin is ill"], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[9], source=MemorySource.SEEN)
    mind.reflecting.importance_since = mind.settings.reflection_threshold
    soon = await asked_at(MORNING + 60)
    assert "reflect_insights" in soon
    assert "identity" not in soon, "nobody becomes another every hour"
    mind.reflecting.importance_since = mind.settings.reflection_threshold
    later = await asked_at(MORNING + mind.settings.identity_hours * HOUR)
    assert later.index("reflect_insights") < later.index("identity")
    assert mind.identity.summary == "Mara roams. She looks about. She is restless."


async def test_overheard_lines_are_rated_together_and_then_count(make_mind: Callable[..., Mind]) -> None:
    def rates(request: Request) -> str:
        if request.stage == "importance":
            return "\n".join("9" for line in request.user.split("\n") if line[:1].isdigit())
        return circling(request)

    engine = ScriptedEngine(rates)
    mind = make_mind(engine, attention_bandwidth=AT_ONCE)
    agent = Agent(mind, Doing(address=SQUARE), answering)

    def overhears(first: int, last: int) -> None:
        said = [f"The comet of number {n} wants a word with the mayor" for n in range(first, last)]
        # Each in another talk: of one talk, only the weightiest line is rated.
        at = [MORNING + n * importance_sum.ONE_TALK_S for n in range(first, last)]
        heard = [Perception("mara", PerceptionKind.SPEECH, "ines", text, SQUARE, 3.0, when) for text, when in zip(said, at, strict=True)]
        agent.mailbox += list(enumerate(heard, start=first))

    overhears(1, AT_ONCE)
    await agent.think(MORNING + AT_ONCE * importance_sum.ONE_TALK_S)
    assert "importance" not in [request.stage for request in engine.requests]
    overhears(AT_ONCE, AT_ONCE + 1)
    await agent.think(MORNING + AT_ONCE * importance_sum.ONE_TALK_S + 60)
    assert [request.stage for request in engine.requests].count("importance") == 1
    overheard = [memory for memory in mind.stream.latest(50) if memory.source is MemorySource.HEARD]
    assert len(overheard) == AT_ONCE
    assert {memory.importance for memory in overheard} == {9}
    assert mind.draft.importance_set == {memory.id: 9 for memory in overheard}


async def test_a_day_by_instinct_is_remembered_hour_by_hour(make_mind: Callable[..., Mind]) -> None:
    mind = make_mind()
    agent = Agent(mind, Doing(address="millbrook:mara_house:bedroom:bed"), answering)
    now = MORNING
    while now < MORNING + 4 * HOUR:
        await agent.think(now)
        for action in [event for event in agent.outgoing if isinstance(event, Action)]:
            agent.mailbox.append((0, Outcome("mara_voss", action.id, OutcomeStatus.ARRIVED, address=action.address)))
        agent.outgoing, agent.mind.draft = [], Draft()
        now += 60
    deeds = [memory.text for memory in reversed(mind.stream.latest(99)) if memory.topic is MemoryTopic.OWN_DEEDS]
    assert [deed[: len("Mara, 06:01")] for deed in deeds] == ["Mara, 06:01", "Mara, 07:01", "Mara, 07:51"]
    assert deeds[0].startswith("Mara, 06:01-06:30 at the bathroom in Mara's house: showering; resting at home. ")
    assert "at the kitchen in the Kettle Café: baking bread. " in deeds[1]
    assert today_so_far(mind, now)[:3] == deeds


async def test_where_somebody_walks_through_is_where_it_is(make_mind: Callable[..., Mind]) -> None:
    agent = Agent(make_mind(), Doing(address=SQUARE), answering)
    agent.mailbox = [
        (1, Perception("mara_voss", PerceptionKind.PLACE, "millbrook:cafe:kitchen", "", "millbrook:cafe:kitchen", 0.0, MORNING))
    ]
    await agent.think(MORNING)
    assert agent.doing.address == "millbrook:cafe:kitchen"
    assert agent.doing.action is not None
    oven = "millbrook:cafe:kitchen:oven"
    agent.mailbox = [
        (2, Outcome("mara_voss", agent.doing.action.id, OutcomeStatus.ARRIVED, address=oven)),
        (3, Perception("mara_voss", PerceptionKind.PLACE, "millbrook:cafe:kitchen", "", "millbrook:cafe:kitchen", 0.0, MORNING + 60)),
    ]
    await agent.think(MORNING + 60)
    assert agent.doing.address == oven


async def test_who_has_just_woken_is_doing_nothing_that_could_be_interrupted(make_mind: Callable[..., Mind]) -> None:
    def replies(request: Request) -> str:
        return "reaction: continue\nminutes: 1\nwhat: nothing" if request.stage == "react" else circling(request)

    engine, now = ScriptedEngine(replies), MORNING + 24 * HOUR
    mind = make_mind(engine)
    agent = Agent(mind, Doing(address="millbrook:mara_house:bedroom:bed"), answering)
    await agent.think(now - 2 * HOUR)
    assert agent.doing.action is not None
    assert (agent.doing.action.sentence, agent.doing.action.end) == ("Mara is sleeping", now)
    agent.mailbox = [(1, Perception("mara_voss", PerceptionKind.PERSON, "tobin_hale", "is crying", "millbrook:mara_house", 1.0, now))]
    await agent.think(now)
    asked = [request.user for request in engine.requests if request.stage == "react"]
    assert len(asked) == 1
    assert "What you are doing: nothing at the moment" in asked[0]


async def test_what_was_broken_off_is_carried_on_in_the_same_way_without_a_question(make_mind: Callable[..., Mind]) -> None:
    engine = ScriptedEngine(circling)
    mind = make_mind(engine, places_offered=64)
    (dough,) = mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, 0, MORNING, MORNING + HOUR, "wander", source=Source.MODEL)])
    agent = Agent(mind, Doing(address=SQUARE), answering)
    mind.update_step(replace(dough, origin=PlanOrigin.REACTION))
    await agent.think(MORNING)
    first = agent.doing.action
    agent.begin_talk("talk", ["tobin_hale"], MORNING + 60, MORNING + 120)
    agent.end_talk(["tobin_hale"], MORNING + 60, MORNING + 120)
    engine.asked.clear()
    await agent.think(MORNING + 120)
    again = agent.doing.action
    assert first is not None
    assert again is not None
    assert (again.sentence, again.address, again.emoji) == (first.sentence, first.address, first.emoji)
    assert again.sentence == "Mara is wandering about"
    assert "act" not in [request.stage for request in engine.requests]
