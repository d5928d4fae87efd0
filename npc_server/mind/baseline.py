"""The interface to the baseline, which asks as the reference implementation of Generative Agents does.

A stage uses it where the settings ask for many small questions instead of fuller calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from npc_server.mind.instinct import Reaction
from npc_server.mind.replies import Deed, PlannedPart, StepRow
from npc_server.personas.routine import Stretch
from npc_server.records import Address, GameTime, Memory, NpcId, PlanStep, ScoredMemory, Source, Talk

if TYPE_CHECKING:
    from npc_server.mind.mind import Mind

Triple = tuple[str, str, str]
"""Subject, predicate and object of an event or a thought."""


@dataclass(frozen=True)
class Conclusion:
    """What a model concludes from memories, as one sentence."""

    text: str
    evidence: tuple[int, ...]
    """Ids of the memories it is drawn from."""


class Baseline(Protocol):
    """One method for each stage that asks in another way. `plain` and `usual` are instinct's answers."""

    prompts: Path
    """The folder of its prompts."""

    async def importance(self, mind: Mind, text: str, plain: int, now: GameTime, /) -> int:
        """The rating of one memory, 1 to 10."""
        ...

    async def plan_day(self, mind: Mind, day_start: GameTime, night: GameTime, now: GameTime, /) -> list[PlannedPart]:
        """The day's parts; empty without a model."""
        ...

    async def plan_steps(
        self, mind: Mind, hour: PlanStep, usual: Stretch, now: GameTime, failed: PlanStep | None, reason: str, /
    ) -> tuple[Sequence[StepRow], GameTime]:
        """The steps, without places, and when the last one ends. No steps when instinct decides."""
        ...

    async def act(
        self, mind: Mind, activity: str, places: Sequence[Address], usual: Address, here: Address, now: GameTime, /
    ) -> tuple[Deed, Source]:
        """A deed at one of `places`. Its place is a whole address."""
        ...

    async def react(
        self, mind: Mind, memory: Memory, who: NpcId, plain: Reaction, doing: str, here: Address, now: GameTime, /
    ) -> Reaction | None: ...

    async def talk_context(
        self, mind: Mind, conversation: Talk, others: Sequence[str], topic: str, now: GameTime, /
    ) -> tuple[list[str], list[ScoredMemory]]:
        """What a line rests on: what the others are to the speaker, and memories."""
        ...

    async def remember_talk(
        self, mind: Mind, conversation: Talk, spoke: Sequence[str], summed_up: str, now: GameTime, /
    ) -> list[Memory]: ...

    async def insights(self, mind: Mind, latest: Sequence[Memory], now: GameTime, /) -> list[Conclusion]:
        """The insights, each with its evidence; none without a model."""
        ...

    async def weigh(self, mind: Mind, text: str, now: GameTime, /) -> tuple[int, Triple]:
        """How much a thought matters, 1 to 10, and its subject, predicate and object."""
        ...

    async def revise_identity(self, mind: Mind, plain: str, now: GameTime, /) -> None:
        """Renews `mind.currently`."""
        ...
