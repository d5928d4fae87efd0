"""Finds the mistakes in a persona file that its schema cannot express."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from npc_server import clock
from npc_server.documents import Checked
from npc_server.errors import Problem
from npc_server.personas.file import DAYS, PersonaFile, RoutinePart, seconds


def weekdays(item: RoutinePart) -> tuple[int, ...]:
    """The weekdays of a routine item. Monday is 0."""
    return tuple(sorted({DAYS.index(day) for day in item.days}))


def routine_problems(checked: Checked[PersonaFile]) -> list[Problem]:
    """Finds routine items that are outside the waking day, out of order, or not over when the next one begins on the same weekday."""
    file, name = checked.value, checked.name
    if {("wake",), ("sleep",)} & checked.left_out:
        return []
    wake = seconds(file.wake) % clock.DAY
    awake = (seconds(file.sleep) - wake) % clock.DAY
    if not awake:
        line = checked.parsed.line(("sleep",))
        return [Problem(name, line, f"'wake' and 'sleep' are both {file.wake}.", "Leave some hours between them.")]
    starts = [(seconds(item.at) - wake) % clock.DAY for item in file.routine]
    found = list(_out_of_order(checked, starts, awake))
    # Lengths can only be checked once the order is right. Each line is reported once, for the first day on which it is wrong.
    return found or list({problem.line: problem for problem in reversed([*_overlapping(checked, starts, awake)])}.values())


def relation_problems(checked: Checked[PersonaFile], npc: str) -> Iterator[Problem]:
    """Finds relations with oneself, and two relations with the same person."""
    seen: set[str] = set()
    for index, relation in enumerate(checked.value.relations):
        line = checked.parsed.line(("relations", index, "who"))
        if relation.who == npc:
            yield Problem(checked.name, line, f"{relation.who!r} is this person itself.", "Name somebody else, or delete the relation.")
        elif relation.who in seen:
            yield Problem(checked.name, line, f"There are two relations with {relation.who!r}.", "Keep one.")
        seen.add(relation.who)


def _out_of_order(checked: Checked[PersonaFile], starts: list[int], awake: int) -> Iterator[Problem]:
    file = checked.value
    for index, item in enumerate(file.routine):
        told, line = _told(item), checked.parsed.line(("routine", index, "at"))
        if starts[index] >= awake:
            what = f"{told} at {item.at} is outside the waking day, {file.wake} to {file.sleep}."
            yield Problem(checked.name, line, what, "Move it, or 'wake' or 'sleep'.")
        elif index and starts[index] < starts[index - 1]:
            what = f"{told} at {item.at} stands after one at {file.routine[index - 1].at}."
            yield Problem(checked.name, line, what, "Put the routine in order of time.")


def _overlapping(checked: Checked[PersonaFile], starts: list[int], awake: int) -> Iterator[Problem]:
    routine = checked.value.routine
    for weekday, day in enumerate(DAYS):
        today = [index for index, item in enumerate(routine) if weekday in weekdays(item)]
        for index, after in zip_longest(today, today[1:]):
            item, line = routine[index], checked.parsed.line
            room = ((awake if after is None else starts[after]) - starts[index]) // clock.MINUTE
            until = "bedtime" if after is None else _told(routine[after])
            steps = sum(step.minutes for step in item.steps)
            if not room:
                fix = "Move one, or give them different 'days'."
                yield Problem(checked.name, line(("routine", index, "at")), f"Two items start at {item.at} on {day}.", fix)
            elif (item.minutes or 0) > room:
                what = f"{_told(item)} takes {item.minutes} minutes, and {until} begins after {room}."
                yield Problem(checked.name, line(("routine", index, "for")), what, "Shorten it.")
            elif steps > (item.minutes or room):
                what = f"The steps of {_told(item)} take {steps} minutes of {item.minutes or room}."
                yield Problem(checked.name, line(("routine", index, "steps")), what, "Shorten them.")


def _told(item: RoutinePart) -> str:
    return f"'{item.do[:40]}'"
