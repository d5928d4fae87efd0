"""Plan: from who somebody is and how yesterday went to a day, to hours, to steps of 5 to 15 minutes (Generative Agents, section 4.3).

Top-down and just in time: the day in broad strokes and its hours each morning, the steps of an hour when it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, TypeVar

from npc_server import clock
from npc_server.cognition import appointments, instinct
from npc_server.cognition.ask import Answer, ask
from npc_server.cognition.importance import rate
from npc_server.cognition.mind import Mind
from npc_server.cognition.retrieve import as_lines, for_prompt
from npc_server.llm.reply import Integer, ReplyType, Text, TimeOfDay, many
from npc_server.records import Address, GameTime, MemoryKind, MemorySource, PlanLevel, PlanStatus, PlanStep, Source

R = TypeVar("R")


@dataclass(frozen=True)
class Stroke:
    start: Annotated[int, TimeOfDay()]
    activity: Annotated[str, Text(100)]


@dataclass(frozen=True)
class ShortStep:
    minutes: Annotated[int, Integer(5, 15)]
    activity: Annotated[str, Text(100)]


async def _ask(
    mind: Mind,
    question: str,
    reply: ReplyType[R],
    by_instinct: Callable[[], R],
    now: GameTime,
    *,
    check: Callable[[R], str],
    max_tokens: int,
    **values: object,
) -> Answer[R]:
    """As `ask`; where `mind.planning` is off the model is not asked, and the routine is the plan (GA's ablation, section 6)."""
    if not mind.settings.planning:
        return Answer(by_instinct(), Source.INSTINCT)
    return await ask(mind, question, reply, by_instinct, now, check=check, max_tokens=max_tokens, on_text=None, **values)


def has_plan(mind: Mind, now: GameTime) -> bool:
    return bool(mind.steps_of(PlanLevel.DAY, now))


def insert(mind: Mind, start: GameTime, rows: Sequence[tuple[int, str, Address]], source: Source) -> list[PlanStep]:
    """Puts steps of (minutes, activity, address) before the plan, one after the other from `start`: what a reaction wants done now."""
    made: list[PlanStep] = []
    at = start
    for minutes, activity, address in rows:
        until = at + minutes * clock.MINUTE
        made.append(PlanStep(mind.npc, 0, PlanLevel.STEP, appointments.APPOINTMENT, at, until, activity, address, PlanStatus.AHEAD, source))
        at = until
    return mind.add_steps(made)


async def plan_day(mind: Mind, now: GameTime) -> list[PlanStep]:
    """The waking day's strokes and hours; a memory is made of the strokes. Plans nothing for hours that are past."""
    day = mind.day_of(now)
    waking, night = day + mind.persona.wake, instinct.bedtime(mind.persona, day)
    low, high = mind.settings.plan_strokes_min, mind.settings.plan_strokes_max
    yesterday = await for_prompt(mind, f"What did {mind.persona.first_name} do yesterday, and what is important today?", now)
    strokes = await _ask(
        mind,
        "plan_day",
        many(Stroke, low, high),
        lambda: tuple(Stroke(s.start % clock.DAY, s.text) for s in instinct.strokes(mind.persona, day, high)),
        now,
        check=lambda value: _disorder(_on_day(value, day, mind), waking, night),
        max_tokens=40 * high,
        memories=as_lines(mind, yesterday, now),
        wake=clock.hhmm(waking),
        sleep=clock.hhmm(night),
    )
    day_steps = _as_steps(mind, PlanLevel.DAY, 0, _on_day(strokes.value, day, mind), night, strokes.source)
    day_steps = mind.add_steps(day_steps)
    hours = await _plan_hours(mind, day_steps, waking, night, now)
    await _remember_plan(mind, day_steps, day, now)
    return hours


async def _plan_hours(mind: Mind, strokes: Sequence[PlanStep], waking: GameTime, night: GameTime, now: GameTime) -> list[PlanStep]:
    day = mind.day_of(now)
    count = max(1, (night - waking + clock.HOUR - 1) // clock.HOUR)
    low, high = max(1, count // 2), count + 4
    answer = await _ask(
        mind,
        "plan_hours",
        many(Stroke, low, high),
        lambda: (),
        now,
        check=lambda value: _disorder(_on_day(value, day, mind), waking, night),
        max_tokens=32 * high,
        strokes=[f"{clock.hhmm(step.start)} {step.text}" for step in strokes],
        wake=clock.hhmm(waking),
        sleep=clock.hhmm(night),
    )
    if answer.source is Source.INSTINCT:
        if strokes[0].source is Source.INSTINCT:
            found = [
                PlanStep(mind.npc, 0, PlanLevel.HOUR, _within(strokes, s.start), s.start, s.end, s.text, s.where)
                for s in instinct.routine(mind.persona, day)
            ]
        else:  # The model gave strokes, and no hours: live by the strokes.
            found = [replace(step, level=PlanLevel.HOUR, parent=step.id) for step in strokes]
    else:
        rows = _on_day(answer.value, day, mind)
        found = _as_steps(mind, PlanLevel.HOUR, 0, rows, night, answer.source)
        found = [replace(step, parent=_within(strokes, step.start)) for step in found]
    return mind.add_steps(found)


async def next_step(mind: Mind, now: GameTime) -> PlanStep:
    """The step that is due: of the hour's steps the one that covers `now`, decomposing the hour if that was not done; sleep at night."""
    if instinct.is_asleep_at(mind.persona, now):
        return _sleep(mind, now)
    if not has_plan(mind, now):
        await plan_day(mind, now)
    steps = [s for s in mind.steps_of(PlanLevel.STEP, now) if s.status is PlanStatus.AHEAD]
    # What a reaction put in goes first, then what was agreed on, then the day's own plan.
    errand = _covering([s for s in steps if s.parent == appointments.APPOINTMENT], now)
    if errand is not None:
        return errand
    hour = appointments.due(mind, now) or _covering(
        [s for s in mind.steps_of(PlanLevel.HOUR, now) if s.parent != appointments.APPOINTMENT], now
    )
    if hour is None:
        return _idle(mind, now)
    due = _covering([s for s in steps if s.parent == hour.id], now)
    if due is None:
        await decompose(mind, hour, now)
        ahead = (s for s in mind.steps_of(PlanLevel.STEP, now) if s.parent == hour.id and s.status is PlanStatus.AHEAD)
        due = _covering(list(ahead), now) or _idle(mind, now)
    return _before_appointments(mind, due, now)


async def decompose(mind: Mind, hour: PlanStep, now: GameTime) -> list[PlanStep]:
    """The steps of what is left of an hour. Steps that are ahead of `now` in it are dropped first."""
    for old in mind.steps_of(PlanLevel.STEP, now):
        if old.parent == hour.id and old.status is PlanStatus.AHEAD:
            mind.update_step(replace(old, status=PlanStatus.DROPPED))
    shortest, longest = mind.settings.step_minutes_min, mind.settings.step_minutes_max
    # Just in time: a block longer than an hour is decomposed an hour at a time.
    end = hour.end if hour.source is Source.INSTINCT else min(hour.end, now + clock.HOUR)
    if hour.source is not Source.INSTINCT:
        minutes = max(1, (end - now) // clock.MINUTE)
        low, high = max(1, minutes // longest), max(1, minutes // shortest)
        recent = await for_prompt(mind, hour.text, now)
        answer = await _ask(
            mind,
            "plan_steps",
            many(ShortStep, low, high, minutes=Integer(shortest, longest)),
            lambda: (),
            now,
            check=lambda value: _far_off(value, minutes, shortest, longest),
            max_tokens=24 * high + 16,
            activity=hour.text,
            start=clock.hhmm(now),
            end=clock.hhmm(end),
            minutes=minutes,
            memories=as_lines(mind, recent, now),
        )
        if answer.source is Source.MODEL:
            return mind.add_steps(_chain(mind, hour, answer.value, now, end))
    found = instinct.steps(_stretch(mind, hour), now, end, longest)
    return mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, s.start, s.end, s.text, s.where or hour.address) for s in found])


async def replan_hour(mind: Mind, failed: PlanStep, reason: str, now: GameTime) -> None:
    """After a step that could not be done: other steps for the rest of its hour. Instinct goes on with what comes next."""
    hour = next((s for s in mind.plan if s.id == failed.parent), None)
    if hour is None or now >= hour.end:
        return
    minutes = max(1, (min(hour.end, now + clock.HOUR) - now) // clock.MINUTE)
    shortest, longest = mind.settings.step_minutes_min, mind.settings.step_minutes_max
    low, high = max(1, minutes // longest), max(1, minutes // shortest)
    answer = await _ask(
        mind,
        "replan",
        many(ShortStep, low, high, minutes=Integer(shortest, longest)),
        lambda: (),
        now,
        check=lambda value: _far_off(value, minutes, shortest, longest),
        max_tokens=24 * high + 16,
        activity=hour.text,
        failed=failed.text,
        reason=reason,
        start=clock.hhmm(now),
        minutes=minutes,
    )
    if answer.source is Source.INSTINCT:
        return
    for old in mind.steps_of(PlanLevel.STEP, now):
        if old.parent == hour.id and old.status is PlanStatus.AHEAD:
            mind.update_step(replace(old, status=PlanStatus.DROPPED))
    mind.add_steps(_chain(mind, hour, answer.value, now, hour.end))


def live_by_routine(mind: Mind, now: GameTime) -> None:
    """For the rest of this hour, what the routine has in place of what was planned: the plan went in circles."""
    for old in mind.steps_of(PlanLevel.STEP, now):
        if old.status is PlanStatus.AHEAD and old.end > now:
            mind.update_step(replace(old, status=PlanStatus.DROPPED))
    until = clock.HOUR + now - now % clock.HOUR
    for stretch in instinct.routine(mind.persona, mind.day_of(now)):
        if stretch.start < until and now < stretch.end:
            steps = instinct.steps(stretch, max(now, stretch.start), min(until, stretch.end), mind.settings.step_minutes_max)
            rows = [((s.end - s.start) // clock.MINUTE, s.text, s.where) for s in steps if s.end - s.start >= clock.MINUTE]
            insert(mind, steps[0].start, rows, Source.INSTINCT)


# ---- parts


async def _remember_plan(mind: Mind, strokes: Sequence[PlanStep], day: GameTime, now: GameTime) -> None:
    """Plans are memories too, where there are any."""
    if not mind.settings.planning:
        return
    parts = "; ".join(f"{clock.hhmm(s.start)} {s.text}" for s in strokes)
    text = f"{mind.persona.first_name}'s plan for {clock.date(day)}: {parts}."
    importance = await rate(mind, [text], now)
    await mind.remember([text], kind=MemoryKind.PLAN, at=now, importance=importance, source=MemorySource.THOUGHT)


def _on_day(rows: Sequence[Stroke], day: GameTime, mind: Mind) -> list[tuple[GameTime, str]]:
    """Times of day as game times of the waking day: what is earlier than getting up is after midnight."""
    late = mind.persona.sleep <= mind.persona.wake
    return [(day + row.start + (clock.DAY if late and row.start < mind.persona.wake else 0), row.activity) for row in rows]


def _disorder(rows: Sequence[tuple[GameTime, str]], waking: GameTime, night: GameTime) -> str:
    """What is wrong with the times, or nothing."""
    for (a, _), (b, _) in pairwise(rows):
        if b <= a:
            return f"goes back in time, from {clock.hhmm(a)} to {clock.hhmm(b)}"
    if rows and rows[0][0] > waking + 2 * clock.HOUR:
        return f"begins at {clock.hhmm(rows[0][0])}, long after getting up at {clock.hhmm(waking)}"
    if rows and rows[-1][0] > night:
        return f"has something at {clock.hhmm(rows[-1][0])}, after bedtime at {clock.hhmm(night)}"
    return ""


def _far_off(rows: Sequence[ShortStep], minutes: int, shortest: int, longest: int) -> str:
    total = sum(row.minutes for row in rows)
    return "" if abs(total - minutes) <= max(longest, minutes // 4) else f"adds up to {total} minutes, and there are {minutes}"


def _as_steps(
    mind: Mind, level: PlanLevel, parent: int, rows: Sequence[tuple[GameTime, str]], night: GameTime, source: Source
) -> list[PlanStep]:
    """Rows with their ends: each lasts until the next, the first begins on getting up."""
    starts = [at for at, _ in rows]
    if starts:
        starts[0] = min(starts[0], mind.day_of(starts[0]) + mind.persona.wake)
    ends = [*starts[1:], night]
    return [
        PlanStep(mind.npc, 0, level, parent, start, end, text, "", PlanStatus.AHEAD, source)
        for start, end, (_, text) in zip(starts, ends, rows, strict=True)
        if start < end
    ]


def _chain(mind: Mind, hour: PlanStep, rows: Sequence[ShortStep], start: GameTime, end: GameTime) -> list[PlanStep]:
    """Steps one after the other from `start`; the last reaches `end`."""
    found: list[PlanStep] = []
    at = start
    for i, row in enumerate(rows):
        if at >= end:
            break
        until = end if i == len(rows) - 1 else min(at + row.minutes * clock.MINUTE, end)
        found.append(PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, at, until, row.activity, "", PlanStatus.AHEAD, Source.MODEL))
        at = until
    return found


def _within(strokes: Sequence[PlanStep], at: GameTime) -> int:
    holder = _covering(strokes, at)
    return holder.id if holder else 0


def _covering(steps: Sequence[PlanStep], at: GameTime) -> PlanStep | None:
    return next((step for step in steps if step.start <= at < step.end), None)


def _before_appointments(mind: Mind, step: PlanStep, now: GameTime) -> PlanStep:
    """A step ends when the next appointment begins."""
    following = [s.start for s in appointments.coming(mind, now) if s.start > now]
    return replace(step, end=min(step.end, *following)) if following else step


def _stretch(mind: Mind, hour: PlanStep) -> instinct.Stretch:
    """The routine's own stretch behind an hour, with its steps, or one of the hour's text."""
    for stretch in instinct.routine(mind.persona, mind.day_of(hour.start)):
        if stretch.start == hour.start and stretch.text == hour.text:
            return stretch
    return instinct.Stretch(hour.start, hour.end, hour.text, hour.address)


def _sleep(mind: Mind, now: GameTime) -> PlanStep:
    until = instinct.next_waking(mind.persona, now)
    step = PlanStep(mind.npc, 0, PlanLevel.STEP, 0, now, until, instinct.ASLEEP, mind.persona.home)
    return mind.add_steps([step])[0]


def _idle(mind: Mind, now: GameTime) -> PlanStep:
    """Nothing is planned for this moment: a short rest where one is."""
    until = now + mind.settings.step_minutes_max * clock.MINUTE
    return mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, 0, now, until, "resting for a moment", instinct.home(mind.persona))])[0]
