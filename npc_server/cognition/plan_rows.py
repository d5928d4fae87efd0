"""Turns the lines of a reply into steps of a plan, and mends what is a little off in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from npc_server import clock
from npc_server.english.text import clipped
from npc_server.mind.mind import Mind
from npc_server.mind.named import without_name
from npc_server.mind.places import full
from npc_server.mind.replies import PART_CHARS, DayRow, PlannedPart, StepRow
from npc_server.mind.surroundings import NOTHING, action_named, learn
from npc_server.personas import routine
from npc_server.records import Address, GameTime, PlanLevel, PlanStatus, PlanStep, Source

LATE = 2 * clock.HOUR
"""A plan that begins later than this after getting up left the morning out."""

# ---- a day


def on_day(mind: Mind, rows: Sequence[DayRow], day: GameTime) -> list[PlannedPart]:
    """Times of day as game times of the waking day: what is earlier than getting up is after midnight."""
    late = mind.persona.sleep <= mind.persona.wake
    return [
        PlannedPart(day + row.start + (clock.DAY if late and row.start < mind.persona.wake else 0), row.part, row.activity) for row in rows
    ]


def in_order(mind: Mind, rows: Sequence[DayRow], begin: GameTime, night: GameTime) -> tuple[list[PlannedPart], str]:
    """The hours of a plan from `begin` to bedtime, put right where they are a little off, and what was put right.

    Lines are sorted by time. Of what lies before `begin` the latest counts, from `begin` on; what lies after bedtime is left out. Each
    keeps its goal, however many goals there are: an hour's steps are planned for it.
    """
    given = on_day(mind, rows, mind.day_of(begin))
    found = sorted(given, key=lambda row: row.start)
    notes = ["order of lines"] if found != given else []
    inside = [row for row in found if begin <= row.start < night]
    before = [row for row in found if row.start < begin]
    if before and (not inside or inside[0].start > begin):
        inside.insert(0, replace(before[-1], start=begin))
    once = [row for i, row in enumerate(inside) if i == 0 or row.start != inside[i - 1].start]
    if len(once) < len(found):
        notes.append("hours of lines")
    return once, ", ".join(notes)


def _part_starts(rows: Sequence[PlannedPart]) -> list[int]:
    """The first row of each goal."""
    return [i for i, row in enumerate(rows) if i == 0 or _alike(row) != _alike(rows[i - 1])]


def disorder(rows: Sequence[PlannedPart], waking: GameTime, night: GameTime, strokes: tuple[int, int]) -> str:
    """What is wrong with a day, or nothing."""
    for a, b in pairwise(rows):
        if b.start <= a.start:
            return f"goes back in time, from {clock.hhmm(a.start)} to {clock.hhmm(b.start)}"
    if rows and rows[0].start > waking + 2 * clock.HOUR:
        return f"begins at {clock.hhmm(rows[0].start)}, long after getting up at {clock.hhmm(waking)}"
    if rows and rows[-1].start > night:
        return f"has something at {clock.hhmm(rows[-1].start)}, after bedtime at {clock.hhmm(night)}"
    count = len(_part_starts(rows))
    if not strokes[0] <= count <= strokes[1]:
        return f"has {count} parts of the day, and {strokes[0]} to {strokes[1]} were asked for"
    return ""


def strokes_of(rows: Sequence[PlannedPart]) -> list[PlannedPart]:
    """The broad strokes: the first of each group of neighboring rows with the same goal."""
    return [rows[i] for i in _part_starts(rows)]


def day_steps(mind: Mind, rows: Sequence[PlannedPart], night: GameTime, source: Source, begin: GameTime | None = None) -> list[PlanStep]:
    """The strokes and hours of a day, put into the plan; returns the hours. Each lasts until the next.

    The first begins at `begin`, or at getting up where that is left out.
    """
    first = min((row.start for row in rows), default=night)
    begin = mind.day_of(first) + mind.persona.wake if begin is None else begin
    strokes = mind.add_steps(_lasting(mind, PlanLevel.DAY, [(row.start, row.part) for row in strokes_of(rows)], begin, night, source))
    hours = _lasting(mind, PlanLevel.HOUR, [(row.start, row.activity) for row in rows], begin, night, source)
    return mind.add_steps([replace(hour, parent=within(strokes, hour.start)) for hour in hours])


def too_plain(rows: Sequence[PlannedPart]) -> str:
    """What is wrong with a day of a single goal, or nothing."""
    return "" if len(_part_starts(rows)) > 1 else "has one goal for the whole day"


def usual_day(mind: Mind, begin: GameTime, night: GameTime) -> list[str]:
    """The routine from `begin` on, as prompts show it: `07:00 bake bread`. What the routine leaves open is not named."""
    usual = routine.routine(mind.persona, mind.day_of(begin))
    return [f"{clock.hhmm(max(begin, it.start))} {it.text}" for it in usual if it.item is not None and begin < it.end and it.start < night]


def from_waking(mind: Mind, rows: list[PlannedPart], waking: GameTime) -> list[PlannedPart]:
    """A plan that begins long after getting up has the routine before it."""
    if not rows or rows[0].start <= waking + LATE:
        return rows
    usual = [it for it in routine.routine(mind.persona, mind.day_of(waking)) if it.start < rows[0].start]
    return [*(PlannedPart(it.start, clipped(it.text, PART_CHARS), it.text) for it in usual), *rows]


# ---- an hour


def portions(minutes: int, longest: int) -> list[int]:
    """Minutes in parts of at most `longest`; the last one holds the rest."""
    count = max(1, -(-minutes // longest))
    return [longest] * (count - 1) + [minutes - longest * (count - 1)]


def doing(mind: Mind, activity: str) -> str:
    """An activity without its beginning `Mara is`, which some models write: `serving customers`."""
    return without_name(mind, activity).removeprefix("is ").strip() or activity


def step_counts(mind: Mind, minutes: int) -> tuple[int, int]:
    """Fewest and most steps that fill so many minutes."""
    return max(1, minutes // mind.settings.step_minutes_max), max(1, minutes // mind.settings.step_minutes_min)


def far_off(given: Sequence[int], minutes: int, longest: int) -> str:
    """What is wrong with the minutes of an hour's steps, or nothing."""
    total = sum(given)
    return "" if abs(total - minutes) <= max(longest, minutes // 4) else f"adds up to {total} minutes, and there are {minutes}"


def fitted(rows: tuple[StepRow, ...], minutes: int, longest: int) -> tuple[tuple[StepRow, ...], str]:
    """Steps whose minutes add up to about `minutes`, and what was put right. What is off by less than a step is left to `chain`."""
    if not far_off([row.minutes for row in rows], minutes, longest):
        return rows, ""
    total = sum(row.minutes for row in rows)
    return tuple(replace(row, minutes=max(1, round(row.minutes * minutes / total))) for row in rows), "minutes"


async def chain(mind: Mind, hour: PlanStep, rows: Sequence[StepRow], start: GameTime, end: GameTime) -> list[PlanStep]:
    """Steps one after the other from `start`; the last reaches `end`. Those with an emoji are ready."""
    await learn(mind, [row.activity for row in rows])
    found: list[PlanStep] = []
    at = start
    for i, row in enumerate(rows):
        if at >= end:
            break
        until = end if i == len(rows) - 1 else min(at + row.minutes * clock.MINUTE, end)
        address, text = full(mind.world, row.place), doing(mind, row.activity)
        found.append(
            PlanStep(
                mind.npc,
                0,
                PlanLevel.STEP,
                hour.id,
                at,
                until,
                text,
                address,
                PlanStatus.AHEAD,
                Source.MODEL,
                _does(mind, address, row),
                mind.instinct.sentence(mind.persona.first_name, text) if row.emoji else "",
                row.emoji,
            )
        )
        at = until
    return found


# ---- parts


def within(strokes: Sequence[PlanStep], at: GameTime) -> int:
    """Id of the step that holds a moment; 0 when none does."""
    holder = covering(strokes, at)
    return holder.id if holder else 0


def covering(steps: Sequence[PlanStep], at: GameTime) -> PlanStep | None:
    return next((step for step in steps if step.start <= at < step.end), None)


def _alike(row: PlannedPart) -> str:
    return " ".join(row.part.casefold().split())


def _lasting(
    mind: Mind, level: PlanLevel, rows: Sequence[tuple[GameTime, str]], begin: GameTime, night: GameTime, source: Source
) -> list[PlanStep]:
    starts = [at for at, _ in rows]
    if starts:
        starts[0] = min(starts[0], begin)
    ends = [*starts[1:], night]
    return [
        PlanStep(mind.npc, 0, level, 0, start, end, text, "", PlanStatus.AHEAD, source)
        for start, end, (_, text) in zip(starts, ends, rows, strict=True)
        if start < end
    ]


def _does(mind: Mind, address: Address, row: StepRow) -> str:
    """What is done there. If the reply names an action of another place, one that suits the activity here is taken."""
    if row.does == NOTHING or address not in mind.world:
        return ""
    node = mind.world.node(address)
    action = action_named(node, row.does) or mind.instinct.use(mind, node, row.activity)
    return action.name if action else ""
