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
    assert mind.reflecting.importance_since == (7 if counted else 0)


async def test_a_memory_that_is_rated_again_corrects_the_sum(make_mind: MakeMind) -> None:
    mind = make_mind()
    memory = await made(mind, MemoryKind.OBSERVATION, 3)
    mind.set_importance({memory.id: 8})
    assert mind.reflecting.importance_since == 8


async def test_the_sum_is_never_below_0(make_mind: MakeMind) -> None:
    mind = make_mind()
    memory = await made(mind, MemoryKind.CONVERSATION, 6)
    importance_sum.reset(mind)
    importance_sum.correct(mind, memory, after=2)
    assert mind.reflecting.importance_since == 0
    importance_sum.subtract_conversations(mind, [memory])
    assert mind.reflecting.importance_since == 0


async def overheard(mind: Mind, importance: int, at: int = MORNING) -> Memory:
    (memory,) = await mind.remember(
        [f'Bob said: "{importance}"'], kind=MemoryKind.OBSERVATION, at=at, importance=[importance], source=MemorySource.HEARD
    )
    return memory


async def test_lines_of_one_talk_that_is_overheard_count_as_the_weightiest(make_mind: MakeMind) -> None:
    mind = make_mind()
    first = await overheard(mind, 4)
    await overheard(mind, 7, MORNING + 60)
    await overheard(mind, 5, MORNING + 120)
    assert mind.reflecting.importance_since == 7
    mind.set_importance({first.id: 6})
    assert mind.reflecting.importance_since == 7
    mind.set_importance({first.id: 9})
    assert mind.reflecting.importance_since == 9
    await overheard(mind, 4, MORNING + 3600)
    assert mind.reflecting.importance_since == 13


async def told(mind: Mind, who: str, importance: int) -> None:
    await mind.remember(
        [f"{who} told Mara a thing of {importance}"],
        kind=MemoryKind.CONVERSATION,
        at=MORNING,
        importance=[importance],
        source=MemorySource.TOLD,
        source_person=who,
    )


@pytest.mark.parametrize("who", ["tobin_hale", "Robin"])
async def test_what_one_is_told_counts_line_by_line(make_mind: MakeMind, who: str) -> None:
    mind = make_mind()
    for importance in (4, 6, 5):
        await told(mind, who, importance)
    await overheard(mind, 3)
    assert mind.reflecting.importance_since == 15 + 3


async def test_each_line_that_is_overheard_counts_as_in_the_reference_without_the_saving(make_mind: MakeMind) -> None:
    mind = make_mind(rule_importance=False)
    await overheard(mind, 4)
    await overheard(mind, 7)
    assert mind.reflecting.importance_since == 11


async def test_undoing_subtracts_only_conversations(make_mind: MakeMind) -> None:
    mind = make_mind()
    seen, said = await made(mind, MemoryKind.OBSERVATION, 5), await made(mind, MemoryKind.CONVERSATION, 4)
    importance_sum.subtract_conversations(mind, [seen, said])
    assert mind.reflecting.importance_since == 5


def test_the_threshold_is_reached_at_its_value_and_a_reset_starts_again(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.settings = mind.settings.model_copy(update={"reflection_threshold": 10})
    mind.reflecting.importance_since = 9
    assert not importance_sum.reaches_threshold(mind)
    mind.reflecting.importance_since = 10
    assert importance_sum.reaches_threshold(mind)
    importance_sum.reset(mind)
    assert not importance_sum.reaches_threshold(mind)


async def test_of_what_is_overheard_at_one_time_the_weightiest_line_is_shown(make_mind: MakeMind) -> None:
    mind = make_mind()
    seen = await made(mind, MemoryKind.OBSERVATION, 2)
    lines = [await overheard(mind, importance) for importance in (4, 7, 5)]
    later = await overheard(mind, 3, MORNING + 3600)
    assert importance_sum.talks_once(mind, [seen, *lines, later]) == [seen, lines[1], later]
