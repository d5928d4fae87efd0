from __future__ import annotations

from collections.abc import Callable

import pytest

from npc_server.mind import importance_sum
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemorySource
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


async def made(mind: Mind, kind: MemoryKind, importance: int) -> Memory:
    return (await mind.remember(["The pond is high"], kind=kind, at=MORNING, importance=[importance], source=MemorySource.SEEN))[0]


@pytest.mark.parametrize("kind", list(MemoryKind))
async def test_observations_conversations_and_intentions_add_to_the_sum(make_mind: MakeMind, kind: MemoryKind) -> None:
    mind = make_mind()
    await made(mind, kind, 7)
    counted = kind in (MemoryKind.OBSERVATION, MemoryKind.CONVERSATION, MemoryKind.INTENTION)
    assert mind.importance_since == (7 if counted else 0)


async def test_a_memory_that_is_rated_again_corrects_the_sum(make_mind: MakeMind) -> None:
    mind = make_mind()
    memory = await made(mind, MemoryKind.OBSERVATION, 3)
    mind.set_importance({memory.id: 8})
    assert mind.importance_since == 8


async def test_the_sum_is_never_below_0(make_mind: MakeMind) -> None:
    mind = make_mind()
    memory = await made(mind, MemoryKind.CONVERSATION, 6)
    importance_sum.reset(mind)
    importance_sum.correct(mind, before=6, after=2)
    assert mind.importance_since == 0
    importance_sum.subtract_conversations(mind, [memory])
    assert mind.importance_since == 0


async def test_undoing_subtracts_only_conversations(make_mind: MakeMind) -> None:
    mind = make_mind()
    seen, said = await made(mind, MemoryKind.OBSERVATION, 5), await made(mind, MemoryKind.CONVERSATION, 4)
    importance_sum.subtract_conversations(mind, [seen, said])
    assert mind.importance_since == 5


def test_the_threshold_is_reached_at_its_value_and_a_reset_starts_again(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.settings = mind.settings.model_copy(update={"reflection_threshold": 10})
    mind.importance_since = 9
    assert not importance_sum.reaches_threshold(mind)
    mind.importance_since = 10
    assert importance_sum.reaches_threshold(mind)
    importance_sum.reset(mind)
    assert not importance_sum.reaches_threshold(mind)
