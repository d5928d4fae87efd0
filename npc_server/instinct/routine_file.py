"""The routines of a game's people as one JSON file, by which they live in Godot where no server runs.

Godot reads no YAML, and a browser or a phone runs no server. So what instinct would do at each hour is written down beforehand: the
sentence, the place, and what becomes of the object there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from npc_server import clock
from npc_server.english.stems import stems_of
from npc_server.instinct.act import emoji, sentence
from npc_server.personas import routine
from npc_server.personas.file import DAYS
from npc_server.personas.routine import Stretch
from npc_server.personas.schema import Persona
from npc_server.personas.voice import OnlyThere
from npc_server.records import Address
from npc_server.world.town_records import Town
from npc_server.world.tree import Node, ObjectAction

FORMAT = 1
MONDAY = 4 * clock.DAY
"""A Monday. Routines repeat each week, so one week says all."""


def routine_file(people: Sequence[Persona], town: Town) -> str:
    """Return the file: when the game begins, and for each person the rows of its week and its greetings.

    The rows of a weekday lie without gaps between getting up and getting up on the next day, in seconds since its midnight.
    """
    nodes = {node.address: node for node in town.nodes()}
    lives = [
        f"{_json(person.id)}: {_json({'wake': person.wake, 'greetings': _greetings(person)})[:-1]}, "
        f"{_json('rows')}: [\n{_lines(_week(person, nodes))}\n]}}"
        for person in people
    ]
    head = _json({"format": FORMAT, "town": town.id, "start_s": town.start})[:-1]
    return f"{head}, {_json('people')}: {{\n" + ",\n".join(lives) + "\n}}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(rows: Sequence[object]) -> str:
    """One row on each line, so that a repository shows what has changed."""
    return ",\n".join(map(_json, rows))


def _week(person: Persona, nodes: dict[Address, Node]) -> list[dict[str, Any]]:
    """The rows of all weekdays. A row that comes on several days stands once."""
    found: dict[str, dict[str, Any]] = {}
    for weekday in range(len(DAYS)):
        day = MONDAY + weekday * clock.DAY
        night = Stretch(routine.bedtime(person, day), day + clock.DAY + person.wake, routine.ASLEEP, person.home)
        for stretch in [*routine.routine(person, day), night]:
            row = {"from": stretch.start - day, "to": stretch.end - day, "steps": _steps(person, stretch, nodes)}
            found.setdefault(_json(row), {"days": [], **row})["days"].append(weekday)
    return list(found.values())


def _steps(person: Persona, stretch: Stretch, nodes: dict[Address, Node]) -> list[dict[str, Any]]:
    """The steps of a stretch, each with its minutes. They are repeated until it is over."""
    whole = (stretch.end - stretch.start) // clock.MINUTE
    pieces = [(step.minutes, step.text, step.where) for step in stretch.item.steps] if stretch.item else []
    return [
        {"minutes": minutes, **_deed(person, text, where or stretch.where or person.home, nodes)}
        for minutes, text, where in pieces or [(whole, stretch.text, stretch.where)]
    ]


def _deed(person: Persona, text: str, where: Address, nodes: dict[Address, Node]) -> dict[str, str]:
    """What is done, with the names that messages have. What is empty is left out."""
    node = nodes.get(where)
    action = _action_of(text, node) if node is not None else None
    values = {"sentence": sentence(person.first_name, text), "address": where, "emoji": emoji(text)}
    if node is not None and action is not None:
        after = action.after or (node.resting_state() if action.during else "")
        values |= {"object_action": action.name, "object_state": action.during, "object_state_after": after}
    return {name: value for name, value in values.items() if value}


def _action_of(text: str, node: Node) -> ObjectAction | None:
    """The object's action that shares most words with an activity; None if none shares any.

    The server compares meanings. Here nobody may have an embedding model.
    """
    words = stems_of(text)
    shared = [(len(words & stems_of(action.name)), action) for action in node.actions]
    most = max((count for count, _ in shared), default=0)
    return next((action for count, action in shared if count == most), None) if most else None


def _greetings(person: Persona) -> list[dict[str, Any]]:
    """The person's greetings, each with the place and the hours that it fits."""
    voice = person.voice
    found = []
    for line in voice.greetings:
        fits = [only for only in voice.only if only.line == line and only.loc[1:2] == ("greetings",)] or [OnlyThere(line)]
        found += [{"say": line, "where": only.where, "from": only.start, "to": only.end} for only in fits]
    return found
