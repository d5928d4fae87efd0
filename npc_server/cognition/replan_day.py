"""The rest of a day, planned anew because something changed it: an intention, or what was agreed in a talk.

Generative Agents, section 3.2 (the inner voice) and 4.3.1 (the plan is made anew from now on). What is being done now goes on to its end,
appointments stay, and so does what is past. Where no model plans, the day goes on as it is: by the plan, or by routine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server import clock
from npc_server.cognition import plan_rows
from npc_server.cognition.importance import rate
from npc_server.english.text import clipped
from npc_server.llm.reply import many
from npc_server.mind import appointments, promises
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import ACTIVITY_CHARS, PART_CHARS, DayRow, PlannedPart
from npc_server.mind.retrieve import as_lines, on_topic
from npc_server.personas import routine
from npc_server.records import GameTime, MemoryKind, MemorySource, MemoryTopic, PlanLevel, PlanOrigin, PlanStatus, PlanStep, Source

QUESTION = "replan_day"
MEMORIES = 6
"""Memories shown at most. The reason itself stands in the prompt."""
WORTH_PLANNING_S = clock.HOUR
"""Game seconds of the day that must be left."""
TALKED_OUT_S = 10 * clock.MINUTE
"""Game seconds without a word after which the talking is over."""


async def replan_day(mind: Mind, reason: str, now: GameTime) -> list[PlanStep]:
    """Plans the rest of the day anew because of `reason`, a sentence. Returns the new hours; none where the plan stays as it is."""
    mind.plan.again = ""
    night = routine.bedtime(mind.persona, mind.day_of(now))
    start = _free_from(mind, now)
    ahead = [hour for hour in _planned(mind, PlanLevel.HOUR, now) if hour.end > start]
    # A model that is weak at whole days is not asked for the rest of one.
    asks = mind.answerer.asks(QUESTION) and mind.answerer.asks("plan_day")
    if not ahead or not asks or not mind.settings.planning or mind.answerer.singly or night - start < WORTH_PLANNING_S:
        return []
    planned = await _asked(mind, reason, ahead, start, night, now)
    if not planned:
        return []
    await _remember(mind, planned, reason, start, now)
    _cut(mind, start, now)  # from here on nothing waits: a plan is changed whole or not at all
    mind.tally.plan_changes += 1
    return plan_rows.day_steps(mind, planned, night, Source.MODEL, start)


async def replan_if_agreed(mind: Mind, now: GameTime) -> None:
    """Plans the rest of the day anew if something was agreed for today, once the talking is over.

    People who sit together agree to several things, one after the other. What was agreed stands in the plan at once in any case.
    """
    if not mind.plan.again:
        return
    said = mind.stream.latest(1, (MemoryKind.CONVERSATION,))
    soonest = min((step.start for step in appointments.coming(mind, now)), default=now)
    if not said or now - said[0].created >= TALKED_OUT_S or soonest - now < WORTH_PLANNING_S:
        await replan_day(mind, mind.plan.again, now)


async def _asked(
    mind: Mind, reason: str, ahead: Sequence[PlanStep], start: GameTime, night: GameTime, now: GameTime
) -> Sequence[PlannedPart]:
    """The model's plan for the rest of the day; nothing when it gives none, or the one there was."""
    most = mind.settings.plan_strokes_max
    high = max(most, (night - start) // clock.HOUR + 4)
    as_is = tuple(
        DayRow(max(start, hour.start) % clock.DAY, clipped(_goal(mind, hour), PART_CHARS), clipped(hour.text, ACTIVITY_CHARS))
        for hour in ahead[:high]
    )

    def read(value: tuple[DayRow, ...]) -> tuple[list[PlannedPart], str]:
        return plan_rows.in_order(mind, value, start, night)

    answer = await ask(
        mind,
        QUESTION,
        many(DayRow, 1, high),
        lambda: as_is,
        now,
        tidy=lambda value: (value, read(value)[1]),
        check=lambda value: "" if read(value)[0] else "has nothing for the rest of the day",
        max_tokens=28 * high,
        reason=reason,
        memories=as_lines(mind, await on_topic(mind, QUESTION, reason, now, MEMORIES), now),
        today=promises.agreed_today(mind, now),
        promises=promises.without_hour(mind, now),
        rest=[f"{clock.hhmm(max(start, hour.start))} {hour.text}" for hour in ahead],
        start=clock.hhmm(start),
        sleep=clock.hhmm(night),
    )
    return read(answer.value)[0] if answer.source is Source.MODEL and answer.value != as_is else ()


# ---- parts


def _planned(mind: Mind, level: PlanLevel, now: GameTime) -> list[PlanStep]:
    """Steps of today's own plan at one level, without appointments and errands."""
    return [step for step in mind.steps_of(level, now) if step.origin is PlanOrigin.PLANNED]


def _free_from(mind: Mind, now: GameTime) -> GameTime:
    """When what is being done now ends."""
    doing = [step.end for step in mind.steps_of(PlanLevel.STEP, now) if step.status is PlanStatus.ACTIVE and step.end > now]
    return max(doing, default=now)


def _goal(mind: Mind, hour: PlanStep) -> str:
    return next((stroke.text for stroke in mind.plan.steps if stroke.id == hour.parent), hour.text)


def _cut(mind: Mind, start: GameTime, now: GameTime) -> None:
    """Ends what was planned at `start`: what lies behind it is dropped, what reaches over it becomes shorter."""
    for level in (PlanLevel.DAY, PlanLevel.HOUR, PlanLevel.STEP):
        for step in _planned(mind, level, now):
            if step.start >= start:
                mind.drop([step])
            elif step.end > start and step.status is PlanStatus.AHEAD:
                mind.update_step(replace(step, end=start))


async def _remember(mind: Mind, planned: Sequence[PlannedPart], reason: str, start: GameTime, now: GameTime) -> None:
    """Plans are memories too, and say why they changed."""
    goals = "; ".join(f"{clock.hhmm(max(start, row.start))} {row.part}" for row in plan_rows.strokes_of(planned))
    text = f"{mind.persona.first_name} changed the plan for today because of this: {reason} From {clock.hhmm(start)} on: {goals}."
    topics = [MemoryTopic.PLAN]
    importance = await rate(mind, [text], now, topics=topics)
    await mind.remember([text], kind=MemoryKind.PLAN, at=now, importance=importance, source=MemorySource.THOUGHT, topics=topics)
