"""Reads the town and persona files of a game together, and collects all mistakes and warnings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from npc_server.affordable.habits import check_habits, things_of
from npc_server.english.text import enumerated
from npc_server.errors import BadInput, FileProblem, Problem
from npc_server.personas.in_world import absent_relations, load_people
from npc_server.personas.mods import NO_MODS, Modded
from npc_server.personas.schema import Persona, problem
from npc_server.personas.together import called_apart, same_names
from npc_server.records import Address, Document
from npc_server.session.persona_files import persona_of
from npc_server.world.town import load_town
from npc_server.world.town_records import Town
from npc_server.world.tree import Node, lineage, with_article

MOST_PEOPLE = 200
"""Most NPCs in one save. Each needs memory and model time."""


def read_files(
    town: Document | None,
    personas: Sequence[Document],
    town_id: Address = "",
    addresses: Collection[Address] | None = None,
    read: Callable[[Document, str], Persona] = persona_of,
) -> tuple[Town | None, tuple[Persona, ...], list[Problem]]:
    """Reads town and people as far as possible, and returns them with the mistakes of all files.

    `addresses` are places that exist beside those of the town file; with None every place is accepted. `town_id` is used if no town
    file is given. `read` reads one persona file.
    """
    problems: list[Problem] = []
    place: Town | None = None
    people: tuple[Persona, ...] = ()
    try:
        place = load_town(town) if town is not None else None
    except FileProblem as error:
        problems += error.problems
    known = None if problems else addresses
    if place is not None:
        known = {*(addresses or ()), *(node.address for node in place.nodes())}
    try:
        people = called_apart(load_people(personas, place.id if place else town_id, known, read))
    except FileProblem as error:
        problems += error.problems
    return place, people, problems


def places_of(town: Document | None, others: Collection[Address] = ()) -> set[Address] | None:
    """Returns the addresses of a town file and `others`. None if there are none, or if the file has mistakes."""
    try:
        nodes = load_town(town).nodes() if town is not None else ()
        return {*others, *(node.address for node in nodes)} or None
    except FileProblem:
        return None


def shut_out(people: Sequence[Persona], nodes: Sequence[Node]) -> list[Problem]:
    """Returns a warning for each person whose home belongs to others, so that they cannot enter it."""
    owned = {node.address: node for node in nodes if node.owners}
    found: list[Problem] = []
    for persona in people:
        others = next((owned[it] for it in lineage(persona.home) if it in owned and persona.id not in owned[it].owners), None)
        if others is not None:
            what = f"{persona.name} cannot enter this home: {with_article(others.name)} is for {enumerated(others.owners)} only."
            found.append(problem(persona, ("home",), what, f"Choose another home, or add {persona.id} to its 'owners' in the town file."))
    return found


def check_number(people: int) -> None:
    """Raises BadInput if a save would have too many people."""
    if people > MOST_PEOPLE:
        raise BadInput(f"There are {people} persona files, and {MOST_PEOPLE} are allowed.", "Leave some out.")


def warnings_of(
    place: Town | None, people: Sequence[Persona], nodes: Sequence[Node], everybody: Sequence[Persona] = (), modded: Modded = NO_MODS
) -> list[str]:
    """Collects warnings about the files. `everybody` are the people of the save, if `people` are only some of them."""
    at = modded.at_source
    named = {persona.id for persona in people}
    together = [*people, *(persona for persona in everybody if persona.id not in named)]
    absent, same = absent_relations(together), same_names(together)
    files = {persona.checked.name for persona in people if persona.checked}
    things = things_of(nodes)
    found = [str(at(warning)) for persona in people for warning in persona.warnings]
    found += [str(at(it)) for it in shut_out(people, nodes)]
    found += [str(at(it)) for it in [*absent, *same] if it.file in files]
    found += [str(warning) for warning in place.warnings] if place else []
    return found + [str(at(it)) for persona in people for it in check_habits(persona, things)]
