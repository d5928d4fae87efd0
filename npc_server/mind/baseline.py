"""How the reference implementation of Generative Agents asks, to compare with: the one door to `baseline/`.

A stage takes it where the settings ask for many small questions in place of fuller ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from npc_server.mind.instinct import Conclusion, Reaction
from npc_server.mind.replies import Deed, PlannedPart, StepRow
from npc_server.personas.routine import Stretch
from npc_server.records import Address, GameTime, Memory, MemoryTopic, NpcId, PlanStep, ScoredMemory, Source, Talk

if TYPE_CHECKING:
    from npc_server.mind.mind import Mind

Triple = tuple[str, str, str]
"""Subject, predicate and object of an event or a thought."""


class Baseline(Protocol):
    """One method for each stage that asks in another way."""

    async def importance(self, mind: Mind, text: str, plain: int, now: GameTime) -> int:
        """`plain` is instinct's."""
        ...

    async def plan_day(self, mind: Mind, day_start: GameTime, night: GameTime, now: GameTime) -> list[PlannedPart]:
        """Nothing without a model."""
        ...

    async def plan_steps(
        self, mind: Mind, hour: PlanStep, usual: Stretch, now: GameTime, failed: PlanStep | None, reason: str
    ) -> tuple[Sequence[StepRow], GameTime]:
        """The steps, none of them with a place yet, and when they end. No steps when instinct decides."""
        ...

    async def act(
        self, mind: Mind, activity: str, places: Sequence[Address], usual: Address, here: Address, now: GameTime
    ) -> tuple[Deed, Source]:
        """Out of all `places`; `usual` is instinct's. The deed's place is a whole address."""
        ...

    async def react(
        self, mind: Mind, memory: Memory, who: NpcId, plain: Reaction, doing: str, here: Address, now: GameTime
    ) -> Reaction | None: ...

    async def talk_context(
        self, mind: Mind, conversation: Talk, others: Sequence[str], topic: str, now: GameTime
    ) -> tuple[list[str], list[ScoredMemory]]:
        """What a line rests on: what is between the speaker and the others, and memories."""
        ...

    async def remember_talk(self, mind: Mind, conversation: Talk, spoke: Sequence[str], summed_up: str, now: GameTime) -> list[Memory]: ...

    async def insights(self, mind: Mind, latest: Sequence[Memory], now: GameTime) -> list[Conclusion] | None:
        """None when the model has no focal points."""
        ...

    async def weigh(self, mind: Mind, text: str, topic: MemoryTopic, now: GameTime) -> tuple[int, Triple]:
        """How much a thought matters, and what it is of."""
        ...

    async def revise_identity(self, mind: Mind, plain: str, now: GameTime) -> None:
        """Renews `mind.currently`. `plain` is instinct's."""
        ...
