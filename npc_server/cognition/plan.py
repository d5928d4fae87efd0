"""Plan: a day, its hours, and steps of 5 to 15 minutes (Generative Agents, section 4.3).

Plans are made top-down and just in time. Each morning one question gives the day's goals and hours. When an hour begins, another question
gives its steps, each with its place, so that they can be done without asking again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from npc_server import clock
from npc_server.affordable import household_view, mind_wandering, policy_learning
from npc_server.cognition import errands, gathering, plan_rows
from npc_server.cognition.importance import rate
from npc_server.llm.reply import Integer, ReplyType, many
from npc_server.mind import appointments, promises, surroundings
from npc_server.mind.ask import Answer, ask
from npc_server.mind.instinct import Errand
from npc_server.mind.mind import Mind
from npc_server.mind.place_choice import plain
from npc_server.mind.replies import DayRow, PlannedPart, StepRow
from npc_server.mind.retrieve import as_lines, memory_line, on_topic
from npc_server.mind.today import shortened, today_so_far, whose
from npc_server.personas import routine
from npc_server.records import (
    GameTime,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    PlanLevel,
    PlanOrigin,
    PlanStatus,
    PlanStep,
    Source,
    StepKind,
)
from npc_server.world.tree import Node

R = TypeVar("R")

DAY_MEMORIES, HOUR_MEMORIES = 8, 3
"""Memories a plan's prompt shows at most. An hour follows from the day, which has taken in what matters."""
LONGEST_BLOCK_S = 90 * clock.MINUTE
"""Game seconds of a block of the day that are decomposed in one question at most."""
HOURS_DONE, DONE_CHARS = 2, 160
"""Hours of today that an hour's prompt shows as done, and the most characters of each."""
TALKS_SHOWN, TALKS_SEARCHED, TALKS_S = 2, 30, 3 * clock.HOUR
"""How many of the latest talks an hour's prompt shows, among how many memories it looks for them, and their age in game seconds."""


async def _ask(
    mind: Mind,
    question: str,
    reply: ReplyType[R],
    by_instinct: Callable[[], R],
    now: GameTime,
    *,
    tidy: Callable[[R], tuple[R, str]],
    check: Callable[[R], str] | None = None,
    max_tokens: int,
    **values: object,
) -> Answer[R]:
    """Asks the model as `ask` does. Where `mind.planning` is off, the routine is the plan (GA's ablation, section 6)."""
    if not mind.settings.planning:
        return Answer(by_instinct(), Source.INSTINCT)
    return await ask(
        mind, question, reply, by_instinct, now, tidy=tidy, check=check, max_tokens=max_tokens, aloud=None, may_wait=False, **values
    )


def has_plan(mind: Mind, now: GameTime) -> bool:
    return bool(mind.steps_of(PlanLevel.DAY, now))


async def plan_day(mind: Mind, now: GameTime) -> list[PlanStep]:
    """Plans the waking day: its goals and its hours. The goals become a memory. Returns the hours."""
    day = mind.day_of(now)
    night = routine.bedtime(mind.persona, day)
    at_home_all_day = household_view.lives_here(mind, "", mind.persona.home)  # then the day is a list of activities (AGA, VirtualHome)
    baseline = mind.answerer.singly
    if baseline and mind.settings.planning and not at_home_all_day:
        planned = await baseline.plan_day(mind, day, night, now)
    else:
        planned = await _whole_day(mind, day, night, now)
    hours = plan_rows.day_steps(mind, planned, night, Source.MODEL) if planned else _routine(mind, day)
    # What was agreed is part of the day, whether or not the model's plan has it.
    agreed = [step for step in appointments.coming(mind, now) if mind.day_of(step.start) == day]
    await _remember_plan(mind, sorted([*mind.steps_of(PlanLevel.DAY, now), *agreed], key=lambda step: step.start), day, now)
    return hours


async def _whole_day(mind: Mind, day: GameTime, night: GameTime, now: GameTime) -> list[PlannedPart]:
    """The day by the model, in one question; nothing when instinct decides."""
    waking = day + mind.persona.wake
    goals = (mind.settings.plan_strokes_min, mind.settings.plan_strokes_max)
    count = max(1, (night - waking + clock.HOUR - 1) // clock.HOUR)
    low, high = max(goals[0], count // 2), max(goals[1], count + 8)
    # No question, so that yesterday's plan is left out: own deeds tell what became of it.
    matters = f"{mind.persona.first_name}'s day yesterday, and what is important today"
    yesterday = await on_topic(mind, "plan_day", matters, now, DAY_MEMORIES)
    crossing = mind_wandering.drawn(mind, now) if mind.answerer.asks("plan_day") else []

    def read(value: tuple[DayRow, ...]) -> tuple[list[PlannedPart], str]:
        return plan_rows.in_order(mind, value, waking, night)

    answer = await _ask(
        mind,
        "plan_day",
        many(DayRow, low, high),
        lambda: mind.instinct.plan_day(mind, day, (low, high), goals, crossing),
        now,
        tidy=lambda value: (value, read(value)[1]),
        check=lambda value: plan_rows.too_plain(read(value)[0]),
        max_tokens=28 * high,
        memories=as_lines(mind, yesterday, now),
        wandering=[memory_line(mind, memory, now) for memory in crossing if memory.id not in {s.memory.id for s in yesterday}],
        today=promises.agreed_today(mind, now),
        promises=promises.without_hour(mind, now),
        usual=plan_rows.usual_day(mind, waking, night),
        wake=clock.hhmm(waking),
        sleep=clock.hhmm(night),
        goals=f"{goals[0]} to {goals[1]}",
    )
    if answer.source is not Source.MODEL:
        return []
    rows, _ = read(answer.value)
    return plan_rows.from_waking(mind, rows, waking)


def _routine(mind: Mind, day: GameTime) -> list[PlanStep]:
    """The routine as the day's plan."""
    broad = routine.strokes(mind.persona, day, mind.settings.plan_strokes_max)
    strokes = mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.DAY, 0, s.start, s.end, s.text) for s in broad])
    return mind.add_steps(
        [
            PlanStep(mind.npc, 0, PlanLevel.HOUR, plan_rows.within(strokes, s.start), s.start, s.end, s.text, s.where)
            for s in routine.routine(mind.persona, day)
        ]
    )


async def next_step(mind: Mind, now: GameTime) -> PlanStep:
    """The step that is due now. Decomposes the hour if that was not done. At night it is sleep."""
    if routine.is_asleep_at(mind.persona, now):
        return _sleep(mind, now)
    if not has_plan(mind, now):
        await plan_day(mind, now)
    steps = [s for s in mind.steps_of(PlanLevel.STEP, now) if s.status is PlanStatus.AHEAD]
    # What a reaction put in goes first, then what was agreed on, then the day's own plan.
    errand = plan_rows.covering([s for s in steps if s.origin is PlanOrigin.REACTION], now)
    if errand is not None:
        return errand
    hour = appointments.due(mind, now) or plan_rows.covering(
        [s for s in mind.steps_of(PlanLevel.HOUR, now) if s.origin is not PlanOrigin.AGREED], now
    )
    if hour is None:
        return _idle(mind, now)
    hour = _not_again(mind, hour, now)
    due = plan_rows.covering([s for s in steps if s.parent == hour.id], now)
    if due is None:
        await decompose(mind, hour, now)
        ahead = (s for s in mind.steps_of(PlanLevel.STEP, now) if s.parent == hour.id and s.status is PlanStatus.AHEAD)
        due = plan_rows.covering(list(ahead), now) or _idle(mind, now)
    return _before_appointments(mind, due, now)


async def decompose(mind: Mind, hour: PlanStep, now: GameTime) -> list[PlanStep]:
    """Makes the steps for the rest of an hour. Earlier plans for that time are dropped."""
    _drop_ahead(mind, hour, now)
    if hour.source is not Source.INSTINCT and household_view.lives_here(mind, hour.address, mind.persona.home):
        # In a household an activity becomes commands, not steps (AGA, VirtualHome).
        whole = PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, now, hour.end, hour.text, hour.address, PlanStatus.AHEAD, hour.source)
        return mind.add_steps([whole])
    # Just in time: a long block is decomposed an hour at a time, but a short rest of it is not left for a question of its own.
    coming = (step.start for step in appointments.coming(mind, now) if now + clock.MINUTE <= step.start and step.id != hour.id)
    latest = min([hour.end, *coming])
    end = latest if hour.source is Source.INSTINCT or hour.end <= now + LONGEST_BLOCK_S else min(latest, now + clock.HOUR)
    if hour.source is not Source.INSTINCT:
        recalled = await policy_learning.by_policy(mind, hour, now, end, latest)
        if recalled:
            return recalled
        planned, end = await _steps_of_hour(mind, "plan_steps", hour, now, end)
        if planned:
            return policy_learning.follow(mind, hour, mind.add_steps(await plan_rows.chain(mind, hour, planned, now, end)))
    if hour.origin is PlanOrigin.AGREED:
        return mind.add_steps(gathering.steps(mind, hour, now, end))
    found = routine.steps(_stretch(mind, hour), now, end, mind.settings.step_minutes_max)
    return mind.add_steps(
        [PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, s.start, s.end, s.text, s.where or hour.address, kind=_kind(s)) for s in found]
    )


async def replan_hour(mind: Mind, failed: PlanStep, reason: str, now: GameTime) -> None:
    """Plans other steps for the rest of an hour after one that could not be done. Without a model the next step follows."""
    hour = next((s for s in mind.plan.steps if s.id == failed.parent), None)
    if hour is None or now >= hour.end:
        return
    end = min(hour.end, now + clock.HOUR)
    planned, _ = await _steps_of_hour(mind, "replan", hour, now, end, failed, reason)
    if planned:
        _drop_ahead(mind, hour, now)
        mind.add_steps(await plan_rows.chain(mind, hour, planned, now, hour.end))


async def _steps_of_hour(
    mind: Mind, question: str, hour: PlanStep, now: GameTime, end: GameTime, failed: PlanStep | None = None, reason: str = ""
) -> tuple[Sequence[StepRow], GameTime]:
    """The model's steps for an hour, and when they end. There are no steps when instinct decides."""
    usual = _stretch(mind, hour)
    baseline = mind.answerer.singly
    if baseline and mind.settings.planning:
        return await baseline.plan_steps(mind, hour, usual, now, failed, reason)
    minutes = max(1, (end - now) // clock.MINUTE)
    shortest, longest = mind.settings.step_minutes_min, mind.settings.step_minutes_max
    low, high = plan_rows.step_counts(mind, minutes)
    offered = await _places(mind, hour, usual, now, end, failed)
    if not offered:
        return (), end
    shown, parts = surroundings.shown(mind, offered), plan_rows.portions(minutes, longest)
    answer = await _ask(
        mind,
        question,
        many(
            StepRow,
            low,
            high,
            minutes=Integer(shortest, longest, tolerated=minutes),
            place=surroundings.place_choice(mind, shown),
            does=surroundings.does_choice(mind, shown),
        ),
        lambda: mind.instinct.plan_steps(mind, usual, offered, now, end, (low, high), failed.text if failed else ""),
        now,
        tidy=lambda value: plan_rows.fitted(value, minutes, longest),
        max_tokens=40 * high + 16,
        activity=hour.text,
        goal=_goal(mind, hour),
        failed=failed.text if failed else "",
        reason=reason,
        start=clock.hhmm(now),
        end=clock.hhmm(end),
        minutes=minutes,
        memories=await _memories_of_hour(mind, question, hour, now),
        places=surroundings.lines(mind, shown),
        done=_done_lately(mind, now),
        portions=", ".join(map(str, parts)),
    )
    return (answer.value if answer.source is Source.MODEL else ()), end


def _goal(mind: Mind, hour: PlanStep) -> str:
    """What an hour serves in the day's plan, unless that says the same."""
    stroke = next((step for step in mind.plan.steps if step.id == hour.parent), None)
    return "" if stroke is None or plain(stroke.text) in plain(hour.text) else stroke.text


async def _memories_of_hour(mind: Mind, question: str, hour: PlanStep, now: GameTime) -> list[str]:
    """The latest talks, and what comes to mind about the hour. The day's plan is told by the hour itself, own deeds by the day so far."""
    found = await on_topic(mind, question, hour.text, now, 2 * HOUR_MEMORIES)
    recent = [scored for scored in found if scored.memory.topic is not MemoryTopic.OWN_DEEDS][:HOUR_MEMORIES]
    known = {scored.memory.id for scored in recent}
    talks = [memory_line(mind, memory, now) for memory in _latest_talks(mind, now) if memory.id not in known]
    return [*talks, *as_lines(mind, recent, now)]


async def _places(mind: Mind, hour: PlanStep, usual: routine.Stretch, now: GameTime, end: GameTime, failed: PlanStep | None) -> list[Node]:
    """The places that suit an hour, first those where it is usually spent."""
    habits = [s.where for s in routine.steps(usual, now, end, mind.settings.step_minutes_max) if s.where]
    avoid = (failed.address,) if failed and failed.address else ()
    stretches = routine.routine(mind.persona, mind.day_of(now))
    by_routine = [s.where for s in stretches if s.where and s.start < end and now < s.end]
    near = [*habits, *by_routine][:1] or await surroundings.best_places(mind, hour.text, "", hour.address, now, avoid=avoid)
    # An hour is mostly spent in one room: where the best place is, the things around it are offered, too.
    here = near[0] if near else ""
    found = await surroundings.best_places(mind, hour.text, here, hour.address, now, avoid=avoid, habits=habits, usual=by_routine)
    return [mind.world.node(address) for address in found]


def live_by_routine(mind: Mind, now: GameTime) -> None:
    """Replaces the plan for the rest of this hour by the routine, because the plan went in circles."""
    mind.drop(step for step in mind.steps_of(PlanLevel.STEP, now) if step.end > now)
    until = clock.HOUR + now - now % clock.HOUR
    for stretch in routine.routine(mind.persona, mind.day_of(now)):
        if stretch.start < until and now < stretch.end:
            steps = routine.steps(stretch, max(now, stretch.start), min(until, stretch.end), mind.settings.step_minutes_max)
            found = [Errand((s.end - s.start) // clock.MINUTE, s.text, s.where) for s in steps if s.end - s.start >= clock.MINUTE]
            errands.insert(mind, steps[0].start, found, Source.INSTINCT, _kind(stretch))


# ---- parts


async def _remember_plan(mind: Mind, strokes: Sequence[PlanStep], day: GameTime, now: GameTime) -> None:
    """Makes a memory of the day's plan. Plans are memories too."""
    if not mind.settings.planning:
        return
    hours = [(appointments.named_hour(s), s.text) for s in strokes]
    parts = "; ".join(f"{clock.hhmm(at)} {text}" for at, text in hours)
    text = f"{mind.persona.first_name}'s plan for {clock.date(day)}: {parts}."
    topics = [MemoryTopic.PLAN]
    importance = await rate(mind, [text], now, topics=topics)
    await mind.remember([text], kind=MemoryKind.PLAN, at=now, importance=importance, source=MemorySource.THOUGHT, topics=topics)


def _latest_talks(mind: Mind, now: GameTime) -> list[Memory]:
    """What the latest talks were about: what was settled there is not planned again."""
    latest = mind.stream.latest(TALKS_SEARCHED, (MemoryKind.CONVERSATION,))
    return [memory for memory in latest if memory.topic is MemoryTopic.TALKED and now - memory.created <= TALKS_S][:TALKS_SHOWN]


def _done_lately(mind: Mind, now: GameTime) -> list[str]:
    """The last hours of today in short."""
    return [shortened(line.removeprefix(whose(mind)), DONE_CHARS) for line in today_so_far(mind, now)[-HOURS_DONE:]]


def _not_again(mind: Mind, hour: PlanStep, now: GameTime) -> PlanStep:
    """The hour, or the one after it if an appointment that took place stood for it: nobody does the same a second time."""
    agreed = appointments.same_as(mind, hour)
    if agreed is None or agreed.end > now or not promises.took_place(mind, agreed):
        return hour
    later = [step for step in mind.steps_of(PlanLevel.HOUR, now) if step.origin is PlanOrigin.PLANNED and step.start >= hour.end]
    if not later:
        return hour
    mind.drop([hour])
    return mind.update_step(replace(later[0], start=now))


def _drop_ahead(mind: Mind, hour: PlanStep, now: GameTime) -> None:
    mind.drop(step for step in mind.steps_of(PlanLevel.STEP, now) if step.parent == hour.id)


def _before_appointments(mind: Mind, step: PlanStep, now: GameTime) -> PlanStep:
    """A step ends when the next appointment begins."""
    following = [s.start for s in appointments.coming(mind, now) if s.start > now]
    return replace(step, end=min(step.end, *following)) if following else step


def _stretch(mind: Mind, hour: PlanStep) -> routine.Stretch:
    """The routine's own stretch behind an hour, with its steps, or one of the hour's text."""
    for stretch in routine.routine(mind.persona, mind.day_of(hour.start)):
        if stretch.start <= hour.start < stretch.end and stretch.text == hour.text:
            return stretch
    return routine.Stretch(hour.start, hour.end, hour.text, hour.address)


def _kind(stretch: routine.Stretch) -> StepKind:
    return StepKind.PAUSE if stretch.rests else StepKind.ACTIVITY


def _sleep(mind: Mind, now: GameTime) -> PlanStep:
    until = routine.next_waking(mind.persona, now)
    step = PlanStep(mind.npc, 0, PlanLevel.STEP, 0, now, until, routine.ASLEEP, mind.persona.home)
    return mind.add_steps([step])[0]


def _idle(mind: Mind, now: GameTime) -> PlanStep:
    """A short rest, when nothing is planned for this moment."""
    until = now + mind.settings.step_minutes_max * clock.MINUTE
    home = routine.home(mind.persona)
    return mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, 0, now, until, "resting for a moment", home, kind=StepKind.PAUSE)])[0]
