"""People who play together: how those who share a name are called, and a warning for the author."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server.errors import Problem
from npc_server.personas.names import first_name, shared_names, spelled
from npc_server.personas.schema import Persona, problem


def called_apart(people: Sequence[Persona]) -> tuple[Persona, ...]:
    """These people, who play together. Those who share a name, and whose files have no `first_name`, are called by the whole name."""
    shared = shared_names(people)

    def called(persona: Persona) -> Persona:
        if persona.checked is None or persona.checked.value.first_name:
            return persona
        short = persona.name if spelled(persona.name) in shared else first_name(persona.name)
        return persona if short == persona.first_name else replace(persona, first_name=short)

    return tuple(called(persona) for persona in people)


def same_names(people: Sequence[Persona]) -> list[Problem]:
    """A warning for each name that several people carry. It is no mistake, since there may be three town guards."""
    first = {persona.id: persona for persona in reversed(people)}
    found: list[Problem] = []
    for ids in shared_names(first.values()).values():
        ids = [persona.id for persona in people if persona.id in ids]
        what = f"{len(ids)} people are named {first[ids[0]].name!r}: {', '.join(ids)}."
        fix = "They know each other apart by their ids, but players do not. Give each a name of its own if that matters."
        found.append(problem(first[ids[1]], ("name",), what, fix))
    return found
