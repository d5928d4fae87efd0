"""Mind wandering: what crosses the mind, weighted against repetition."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from structlog.testing import capture_logs

from npc_server.affordable import mind_wandering
from npc_server.clock import DAY
from npc_server.cognition import plan
from npc_server.evaluation.stand_in import StandIn
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemorySource, PlanLevel
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


@pytest.fixture
def without_sklearn(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setattr(mind_wandering, "find_spec", lambda name: None)
    mind_wandering.can_cluster.cache_clear()
    yield
    mind_wandering.can_cluster.cache_clear()


@pytest.mark.usefixtures("without_sklearn")
async def test_without_scikit_learn_nothing_crosses_the_mind_and_the_log_says_once_what_to_install(make_mind: MakeMind) -> None:
    mind = make_mind()
    await see(mind, RARE)
    with capture_logs() as logs:
        assert [mind_wandering.drawn(mind, MORNING + day * DAY) for day in range(3)] == [[], [], []]
    assert len(logs) == 1
    assert "npc-server[wander]" in logs[0]["fix"]
