"""Mind wandering: what crosses the mind, weighted against repetition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from npc_eval.stand_in import StandIn
from npc_server.affordable import mind_wandering
from npc_server.clock import DAY
from npc_server.cognition import converse, plan, react
from npc_server.english.text import PROMISED
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import for_prompt, on_topic
from npc_server.records import Memory, MemoryKind, MemorySource, PlanLevel
from tests.cognition.gossip import GOSSIP
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
OFTEN = [f"Tobin Hale is mending a chair ({i})" for i in range(40)]
RARE = ["A heron stood in the pond", "The piano is out of tune", "Ines dropped a jar of honey"]


async def see(mind: Mind, texts: list[str], subject: str = "") -> list[Memory]:
    return await mind.remember(
        texts,
        kind=MemoryKind.OBSERVATION,
        at=MORNING - 3600,
        importance=[3] * len(texts),
        source=MemorySource.SEEN,
        triples=[(subject, "", "mending a chair" if subject else "")] * len(texts),
    )


async def test_what_is_seen_all_the_time_crosses_the_mind_as_rarely_as_what_is_seen_once(make_mind: MakeMind) -> None:
    mind = make_mind(wandering_memories=1)
    await see(mind, OFTEN + RARE)
    found = Counter(memory.text in RARE for day in range(60) for memory in mind_wandering.drawn(mind, MORNING + day * DAY))
    assert sum(found.values()) == 60
    assert found[True] > 30, "three of four clusters hold one memory each"


async def test_the_same_seed_draws_the_same_and_another_day_something_else(make_mind: MakeMind) -> None:
    draws: list[list[list[str]]] = []
    for _ in range(2):
        mind = make_mind()
        await see(mind, OFTEN[:5] + RARE)
        draws.append([[m.text for m in mind_wandering.drawn(mind, MORNING + day * DAY)] for day in range(4)])
    assert draws[0] == draws[1]
    assert len({tuple(day) for day in draws[0]}) > 1
    assert all(len(set(day)) == 3 for day in draws[0]), "drawn without putting back"
    mind.seed += 1
    assert [[m.text for m in mind_wandering.drawn(mind, MORNING + day * DAY)] for day in range(4)] != draws[0]


async def test_a_mind_with_few_memories_or_none_wanders_among_these(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert mind_wandering.drawn(mind, MORNING) == []
    await see(mind, RARE[:2])
    assert [m.text for m in mind_wandering.drawn(mind, MORNING)] == RARE[:2]


async def test_only_the_latest_memories_are_drawn_from_and_no_plans(make_mind: MakeMind) -> None:
    mind = make_mind(wandering_window=1, wandering_memories=5)
    await see(mind, RARE)
    await mind.remember(["Mara's plan"], kind=MemoryKind.PLAN, at=MORNING, importance=[5], source=MemorySource.THOUGHT)
    assert [m.text for m in mind_wandering.drawn(mind, MORNING)] == RARE[-1:]


async def test_what_is_alike_is_one_cluster_and_what_is_like_nothing_one_of_its_own(make_mind: MakeMind) -> None:
    vectors = np.array([[1, 0], [1, 0.05], [0.99, 0], [0, 1], [-1, 0]], np.float32)
    assert mind_wandering.cluster_sizes(vectors, 0.3, 2).tolist() == [3, 3, 3, 1, 1]
    assert mind_wandering.cluster_sizes(np.eye(3, dtype=np.float32), 0.3, 2).tolist() == [1, 1, 1]


async def test_it_can_be_switched_off(make_mind: MakeMind) -> None:
    for settings in ({"wandering": False}, {"profile": "generative-agents"}):
        mind = make_mind(**settings)
        await see(mind, RARE)
        assert mind_wandering.drawn(mind, MORNING) == []


async def test_what_crosses_the_mind_stands_in_the_question_for_the_day(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine, wandering_memories=8)
    await see(mind, OFTEN + RARE)
    await plan.plan_day(mind, MORNING)
    asked = next(request for request in engine.requests if request.stage == "plan_day")
    comes, _, crosses = asked.user.partition("What else crosses your mind:\n")
    lines = crosses.split("\n\n")[0].splitlines()
    assert lines
    assert all(line.startswith("- (an hour ago) ") and line not in comes for line in lines)


async def test_what_instinct_suggests_takes_it_up_where_there_is_time(make_mind: MakeMind) -> None:
    mind = make_mind(StandIn())
    await see(mind, ["Tobin Hale is mending a chair"], "Tobin Hale")
    await plan.plan_day(mind, MORNING)
    texts = [step.text for step in mind.steps_of(PlanLevel.HOUR, MORNING)]
    assert "look for Tobin Hale and talk about mending a chair" in texts
    assert "work at the café" in texts, "work is no free time"


CROSSES = "What else crosses your mind:\n- (an hour ago) "


async def lines_and_reactions(make_mind: MakeMind, count: int = 1, **settings: object) -> list[str]:
    """The prompts of a few lines and reactions of a mind that has seen a few things."""
    engine = ScriptedEngine(
        lambda request: "say: Hm.\nthen: go on" if request.stage == "say" else "reaction: continue\nminutes: 1\nwhat: nothing"
    )
    mind = make_mind(engine, calm_reactions=False, social_memory=False, **settings)
    seen = await see(mind, OFTEN[:9] + RARE)
    for i in range(count):
        await converse.say(mind, GOSSIP, MORNING + i, frozenset())
        await react.react(mind, seen[:1], "eating", "", MORNING + i, lambda who: True)
    return [request.user for request in engine.requests if request.stage in ("say", "react")]


async def test_a_memory_crosses_the_mind_in_a_talk_and_at_a_reaction(make_mind: MakeMind) -> None:
    said, reacted = await lines_and_reactions(make_mind, wandering_rate=1.0, retrieval_count=1)
    assert said.count(CROSSES) == reacted.count(CROSSES) == 1


async def test_how_often_is_a_setting(make_mind: MakeMind) -> None:
    asked = await lines_and_reactions(make_mind, 60, wandering_rate=0.25, retrieval_count=1)
    assert 12 < sum(CROSSES in user for user in asked) < 48
    for off in ({"wandering_rate": 0.0}, {"wandering": False}):
        assert not any(CROSSES in user for user in await lines_and_reactions(make_mind, 9, **off))


async def test_lines_at_the_same_game_time_are_drawn_for_separately_and_the_same_with_the_same_seed(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}), wandering_rate=0.5)
    await see(mind, RARE)
    found = [[mind_wandering.crossing(mind, "say", line, MORNING, []) for line in range(20)] for _ in range(2)]
    assert found[0] == found[1]
    assert len({tuple(lines) for lines in found[0]}) == 1 + len(RARE)


async def test_a_memory_that_the_prompt_shows_anyway_does_not_cross_the_mind(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}), wandering_rate=1.0)
    await see(mind, RARE[:1])
    assert mind_wandering.crossing(mind, "say", 0, MORNING, []) == [f"(an hour ago) {RARE[0]}"]
    assert mind_wandering.crossing(mind, "say", 0, MORNING, [f"(an hour ago) {RARE[0]}"]) == []
    assert mind_wandering.crossing(mind, "react", 0, MORNING, [RARE[0]]) == []


async def test_a_secret_never_crosses_the_mind_in_a_talk(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}), wandering_rate=1.0)
    text = "Mara has lost the café at cards"
    mind.persona = replace(mind.persona, secrets=(text,))
    await mind.remember([text], kind=MemoryKind.SEED, at=MORNING, importance=[5], source=MemorySource.KNOWN)
    assert mind_wandering.crossing(mind, "say", 0, MORNING, []) == []


async def test_what_the_identity_says_crosses_no_mind_and_stands_in_no_prompt_twice(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}), wandering_rate=1.0, wandering_memories=5)
    own, town = "Mara Voss bakes the bread of Millbrook", "Bread is gone by one o'clock"
    importance, source = [5, 5], MemorySource.KNOWN
    await mind.remember([own, town], kind=MemoryKind.SEED, at=MORNING, importance=importance, source=source)
    assert [memory.text for memory in mind_wandering.drawn(mind, MORNING)] == [town]
    assert mind_wandering.crossing(mind, "say", 0, MORNING, []) == [f"(always) {town}"]
    assert [it.memory.text for it in await for_prompt(mind, "listen", "bread", MORNING, 8)] == [town]
    assert [it.memory.text for it in await on_topic(mind, "say", "bread", MORNING, 8)] == [town]


async def test_what_is_already_in_the_talk_or_promised_does_not_cross_the_mind(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}), wandering_rate=1.0)
    (said,) = await see(mind, RARE[:1])
    kind, source, triple = MemoryKind.INTENTION, MemorySource.THOUGHT, ("Mara", PROMISED, "Tobin Hale")
    await mind.remember(["Mara promised to come"], kind=kind, at=MORNING, importance=[6], source=source, triples=[triple])
    assert mind_wandering.crossing(mind, "say", 0, MORNING, []) == [f"(an hour ago) {RARE[0]}"]
    assert mind_wandering.crossing(mind, "say", 0, MORNING, [], [said.id]) == []


async def test_nothing_is_drawn_where_no_model_is_asked(make_mind: MakeMind) -> None:
    for engine in (None, ScriptedEngine({}, weak_at=["say"])):
        mind = make_mind(engine, wandering_rate=1.0)
        await see(mind, RARE)
        assert mind_wandering.crossing(mind, "say", 0, MORNING, []) == []
