"""The baseline as `mind.baseline.Baseline`; each method hands its question to the file that asks it."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.baseline import action, day, morning, parts, rate, react, reflect, talk
from npc_server.mind.baseline import Triple
from npc_server.mind.instinct import Conclusion, Reaction
from npc_server.mind.mind import Mind
from npc_server.mind.replies import Deed, PlannedPart, StepRow
from npc_server.personas.routine import Stretch
from npc_server.records import Address, GameTime, Memory, MemoryTopic, NpcId, PlanStep, ScoredMemory, Source, Talk


class GenerativeAgents:
    """Asks as the code of the paper does: many questions, each small."""

    async def importance(self, mind: Mind, text: str, plain: int, now: GameTime) -> int:
        return await rate.rate(mind, text, plain, now)

    async def plan_day(self, mind: Mind, day_start: GameTime, night: GameTime, now: GameTime) -> list[PlannedPart]:
        return await day.plan(mind, day_start, night, now)

    async def plan_steps(
        self, mind: Mind, hour: PlanStep, usual: Stretch, now: GameTime, failed: PlanStep | None, reason: str
    ) -> tuple[Sequence[StepRow], GameTime]:
        return await day.steps(mind, hour, usual, now, failed, reason)

    async def act(
        self, mind: Mind, activity: str, places: Sequence[Address], usual: Address, here: Address, now: GameTime
    ) -> tuple[Deed, Source]:
        return await action.choose(mind, activity, places, usual, here, now)

    async def react(
        self, mind: Mind, memory: Memory, who: NpcId, plain: Reaction, doing: str, here: Address, now: GameTime
    ) -> Reaction | None:
        return await react.react(mind, memory, who, plain, doing, here, now)

    async def talk_context(
        self, mind: Mind, conversation: Talk, others: Sequence[str], topic: str, now: GameTime
    ) -> tuple[list[str], list[ScoredMemory]]:
        return await talk.context(mind, conversation, others, topic, now)

    async def remember_talk(self, mind: Mind, conversation: Talk, spoke: Sequence[str], summed_up: str, now: GameTime) -> list[Memory]:
        return await talk.remember(mind, conversation, spoke, summed_up, now)

    async def insights(self, mind: Mind, latest: Sequence[Memory], now: GameTime) -> list[Conclusion] | None:
        return await reflect.insights(mind, latest, now)

    async def weigh(self, mind: Mind, text: str, topic: MemoryTopic, now: GameTime) -> tuple[int, Triple]:
        return await parts.weigh(mind, text, now, topic)

    async def revise_identity(self, mind: Mind, plain: str, now: GameTime) -> None:
        await morning.revise(mind, plain, now)
