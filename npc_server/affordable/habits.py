"""Reads the commands that a persona's routine names for an activity at home, and checks that the town has the things they name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from npc_server.document_errors import did_you_mean
from npc_server.errors import Problem
from npc_server.personas.schema import Persona, problem
from npc_server.world.household import VERBS, Command, from_text, is_thing
from npc_server.world.tree import Node

_MINUTES = re.compile(r"(.+) for ([0-9]{1,3})")


def habit_of(persona: Persona, activity: str) -> list[tuple[Command, int]]:
    """Returns the commands that the routine names for an activity, each with its minutes (2 for `use towel_1 for 2`) or 0."""
    wanted = activity.casefold()
    for _, text, commands in _named(persona):
        if text.casefold() == wanted and commands:
            return [found for command in commands if (found := _read(command)) is not None]
    return []


def things_of(nodes: Iterable[Node]) -> frozenset[str]:
    """Returns the ids of the town's things, which commands may name."""
    return frozenset(node.address.rpartition(":")[2] for node in nodes if is_thing(node))


def check_habits(persona: Persona, things: Collection[str]) -> list[Problem]:
    """Returns a warning for each command whose verb, or thing, is unknown in the town. The game would leave such a command out.

    Returns nothing for a town without a household, because the same persona may live elsewhere, too.
    """
    if not things:
        return []
    found: list[Problem] = []
    for loc, _, commands in _named(persona):
        for index, text in enumerate(commands):
            wrong = _wrong(text, things)
            if wrong is not None:
                found.append(problem(persona, (*loc, "commands", index), *wrong))
    return found


def _named(persona: Persona) -> Iterator[tuple[tuple[str | int, ...], str, Sequence[str]]]:
    """Yields each part of the routine that may name commands, as its place in the file, its text and its commands."""
    for number, item in enumerate(persona.routine):
        yield ("routine", number), item.text, item.commands
        for index, step in enumerate(item.steps):
            yield ("routine", number, "steps", index), step.text, step.commands


def _read(text: str) -> tuple[Command, int] | None:
    timed = _MINUTES.fullmatch(text.strip())
    command = from_text(timed.group(1) if timed else text)
    return None if command is None else (command, int(timed.group(2)) if timed else 0)


def _wrong(text: str, things: Collection[str]) -> tuple[str, str] | None:
    """Returns what is wrong with a command, and how to fix it; None when nothing is wrong."""
    read = _read(text)
    if read is None:
        verbs = [verb.text.split(" {")[0] for verb in VERBS.values()]
        known = did_you_mean(text.rpartition(" ")[0] or text, verbs)
        return f"'{text[:60]}' is no command.", known or "docs/household.md lists the commands."
    for name in (read[0].what, read[0].target):
        if name and name not in things:
            what = f"'{text[:60]}' names '{name[:40]}', and the town has no such thing."
            return what, did_you_mean(name, things) or "Use an id of the town file."
    return None
