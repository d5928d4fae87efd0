from __future__ import annotations

from collections.abc import Callable

from npc_server.clock import DAY, HOUR
from npc_server.mind.forget import forget_asleep
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


async def test_what_is_beyond_the_limit_is_forgotten_asleep_and_with_the_thought(make_mind: MakeMind) -> None:
    mind = make_mind(memories_kept=100)
    sights = [f"Tobin Hale passes {i} times" for i in range(120)]
    await mind.remember(sights, kind=MemoryKind.OBSERVATION, at=MORNING, importance=[2] * 120, source=MemorySource.SEEN)
    later = MORNING + 7 * DAY
    assert forget_asleep(mind, later + HOUR) == [], "it is awake"
    gone = forget_asleep(mind, later + 17 * HOUR)
    assert gone == list(range(1, 21))
    assert len(mind.stream) == 100
    assert mind.draft.forgotten == gone
