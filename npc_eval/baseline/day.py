"""Plans a day as the reference does: the hour of waking, the broad strokes, then each hour, then the steps of each block.

In the reference these calls are `generate_wake_up_hour`, `generate_first_daily_plan` (the daily requirement of `revise_identity` on later
days), `generate_hourly_schedule` and `generate_task_decomp`. The reference also asks for the hours after bedtime, and asks for the whole
schedule again when it has fewer than five different activities. The baseline asks once, for the hours awake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

from npc_server import clock
from npc_server.affordable import mind_wandering
from npc_server.cognition import plan_rows
from npc_server.english.text import clipped
from npc_server.llm.reply import Integer, Text, TimeOfDay, many, one
from npc_server.mind import appointments, replies
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import ACTIVITY_CHARS, DayRow, PlannedPart, StepRow
from npc_server.mind.retrieve import memory_line
from npc_server.mind.surroundings import NOTHING
from npc_server.personas import routine
from npc_server.records import GameTime, MemoryKind, PlanLevel, PlanOrigin, PlanStep, Source

LONGEST_BLOCK = 3 * clock.HOUR
"""The longest time, in game seconds, that is decomposed at once. More does not fit into the reference's reply."""


@dataclass(frozen=True)
class WakeUp:
    hour: Annotated[int, Integer(0, 23)]


@dataclass(frozen=True)
class Stroke:
    start: Annotated[int, TimeOfDay()]
    activity: Annotated[str, Text(ACTIVITY_CHARS)]


@dataclass(frozen=True)
class Hour:
    activity: Annotated[str, Text(ACTIVITY_CHARS)]


@dataclass(frozen=True)
class Task:
    minutes: Annotated[int, Integer(5, 15)]
    activity: Annotated[str, Text(ACTIVITY_CHARS)]


def is_first(mind: Mind) -> bool:
    """Returns whether this is the first day that is planned."""
    return not mind.stream.latest(1, (MemoryKind.PLAN,))


async def plan(mind: Mind, day: GameTime, night: GameTime, now: GameTime) -> list[PlannedPart]:
    """Plans the day hour by hour, and joins equal hours that follow each other. Returns no parts without a model."""
    if not mind.tools.engine.status().ready:
        return []
    waking = day + mind.persona.wake
    up = await _wake_up(mind, day, now)
    strokes, source = await _strokes(mind, day, waking, night, now)
    usual_day = routine.routine(mind.persona, day)
    schedule: list[PlannedPart] = []
    sources = {source}
    start = waking
    while start < night:
        end = min(start - start % clock.HOUR + clock.HOUR, night)
        part = [stroke.part for stroke in strokes if stroke.start <= start][-1:] or [strokes[0].part]
        if end <= up:
            schedule.append(PlannedPart(start, part[0], routine.ASLEEP))
        else:
            usual = max(usual_day, key=lambda s: min(s.end, end) - max(s.start, start))
            text, source = await _hour(mind, start, end, strokes, schedule, usual.text, now)
            sources.add(source)
            schedule.append(PlannedPart(start, part[0], text))
        start = end
    blocks = [next(group) for _, group in groupby(schedule, key=lambda row: (row.part, row.activity.casefold()))]
    return blocks if Source.MODEL in sources else []


async def steps(
    mind: Mind, hour: PlanStep, usual: routine.Stretch, now: GameTime, failed: PlanStep | None, reason: str
) -> tuple[Sequence[StepRow], GameTime]:
    """Returns the steps of a block, still without places, and the time when they end. Returns no steps when instinct decides."""
    end = min(hour.end, now + LONGEST_BLOCK)
    minutes = max(1, (end - now) // clock.MINUTE)
    shortest, longest = mind.settings.step_minutes_min, mind.settings.step_minutes_max
    low, high = plan_rows.step_counts(mind, minutes)

    def by_instinct() -> tuple[Task, ...]:
        return tuple(
            Task(row.minutes, row.activity)
            for row in mind.instinct.plan_steps(mind, usual, [], now, end, (low, high), failed.text if failed else "")
        )

    answer = await ask(
        mind,
        "ga_steps",
        many(Task, low, high, minutes=Integer(shortest, longest)),
        by_instinct,
        now,
        check=lambda value: plan_rows.far_off([row.minutes for row in value], minutes, longest),
        max_tokens=20 * high + 16,
        schedule=_around(mind, hour, now),
        activity=hour.text,
        start=clock.hhmm(now),
        end=clock.hhmm(end),
        minutes=minutes,
        failed=failed.text if failed else "",
        reason=reason,
    )
    if answer.source is Source.INSTINCT:
        return (), end
    return [StepRow(task.minutes, task.activity, "", NOTHING, "") for task in answer.value], end


async def _wake_up(mind: Mind, day: GameTime, now: GameTime) -> GameTime:
    """Asks when the NPC wakes. It sleeps from the persona's time of getting up until then."""
    usual = mind.persona.wake // clock.HOUR
    answer = await ask(
        mind,
        "ga_wake_up",
        one(WakeUp),
        lambda: WakeUp(usual),
        now,
        check=lambda value: "" if abs(value.hour - usual) <= 3 else f"says {value.hour}, hours away from {usual}",
        max_tokens=8,
    )
    return day + answer.value.hour * clock.HOUR


async def _strokes(mind: Mind, day: GameTime, waking: GameTime, night: GameTime, now: GameTime) -> tuple[list[PlannedPart], Source]:
    low, high = mind.settings.plan_strokes_min, mind.settings.plan_strokes_max
    crossing = mind_wandering.drawn(mind, now)  # This part of AGA can be on alone, to measure what it costs.
    usual = mind.instinct.plan_day(mind, day, (low, high), (low, high), crossing)

    def on_day(strokes: Sequence[Stroke]) -> list[PlannedPart]:
        return plan_rows.on_day(mind, [DayRow(stroke.start, str(i), stroke.activity) for i, stroke in enumerate(strokes)], day)

    answer = await ask(
        mind,
        "ga_first_plan" if is_first(mind) else "ga_daily_plan",
        many(Stroke, low, high),
        lambda: tuple(Stroke(row.start, row.activity) for row in usual),
        now,
        check=lambda value: plan_rows.disorder(on_day(value), waking, night, (low, high)),
        max_tokens=40 * high,
        wake=clock.hhmm(waking),
        sleep=clock.hhmm(night),
        today=appointments.of_today(mind, now),
        wandering=[memory_line(mind, memory, now) for memory in crossing],
    )
    return [PlannedPart(row.start, clipped(row.activity, replies.PART_CHARS), row.activity) for row in on_day(answer.value)], answer.source


async def _hour(
    mind: Mind, start: GameTime, end: GameTime, strokes: Sequence[PlannedPart], schedule: Sequence[PlannedPart], usual: str, now: GameTime
) -> tuple[str, Source]:
    answer = await ask(
        mind,
        "ga_hour",
        one(Hour),
        lambda: Hour(clipped(usual, ACTIVITY_CHARS, "resting")),
        now,
        max_tokens=32,
        strokes=[f"{clock.hhmm(stroke.start)} {stroke.activity}" for stroke in strokes],
        schedule=[f"{clock.hhmm(row.start)} {row.activity}" for row in schedule],
        start=clock.hhmm(start),
        end=clock.hhmm(end),
    )
    return answer.value.activity, answer.source


def _around(mind: Mind, hour: PlanStep, now: GameTime) -> list[str]:
    """Returns lines for the block before this one, this one, and the block after it."""
    blocks = [s for s in mind.steps_of(PlanLevel.HOUR, now) if s.origin is not PlanOrigin.AGREED]
    at = next((i for i, s in enumerate(blocks) if s.id == hour.id), None)
    near = [hour] if at is None else blocks[max(0, at - 1) : at + 2]
    return [f"{clock.hhmm(s.start)} to {clock.hhmm(s.end)} {s.text}" for s in near]
