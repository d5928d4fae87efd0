"""Checks people against their town and against each other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence

from npc_server.document_errors import Loc, did_you_mean
from npc_server.errors import FileProblem, Problem
from npc_server.personas.schema import Persona, file_of, load_persona, problem, readable_part
from npc_server.records import Address, Document, NpcId


def load_people(
    documents: Sequence[Document],
    town_id: str = "",
    addresses: Collection[Address] | None = None,
    read: Callable[[Document, str], Persona] = load_persona,
) -> tuple[Persona, ...]:
    """Loads several persona files. `read` loads one, and may return a persona that was loaded before.

    Raises FileProblem with the mistakes of all files, including ids that two people share and, with `addresses`, unknown places.
    """
    people: list[Persona] = []
    problems: list[Problem] = []
    for document in documents:
        try:
            people.append(read(document, town_id))
        except FileProblem as error:
            problems += error.problems
            problems += rest_against_world(document, error, town_id, addresses) if addresses is not None else []
    problems += [problem for persona in people for problem in check_against_world(persona, addresses)] if addresses is not None else []
    problems += check_people(people)
    if problems:
        raise FileProblem(tuple(problems))
    return tuple(people)


def missing_addresses(persona: Persona, known: Container[Address]) -> list[tuple[Loc, Address]]:
    """The addresses in a persona that the world does not have, each with its location in the file."""
    return [(loc, address) for loc, address in mentions(persona) if address not in known]


def check_against_world(persona: Persona, addresses: Collection[Address]) -> list[Problem]:
    """A problem for each address in a persona that the world does not have."""
    known = addresses if isinstance(addresses, (set, frozenset, dict)) else frozenset(addresses)
    missing = missing_addresses(persona, known)
    if not missing:
        return []
    short, near = _shortener(known), dict[Address, str]()
    names = [short(it) for it in known]
    found: list[Problem] = []
    for loc, address in missing:
        if address not in near:
            near[address] = did_you_mean(short(address), names) or "Use an address of the town file."
        found.append(problem(persona, loc, f"There is no place or object {short(address)!r}.", near[address]))
    return found


def _shortener(known: Collection[Address]) -> Callable[[Address], str]:
    """What leaves the town's id out of an address, as people read and write addresses. With several towns it stays."""
    towns = {address.partition(":")[0] for address in known}
    return (lambda address: address.removeprefix(f"{next(iter(towns))}:")) if len(towns) == 1 else str


def rest_against_world(document: Document, error: FileProblem, town_id: str, addresses: Collection[Address]) -> list[Problem]:
    """A problem for each unknown address in a file with mistakes, on lines that `error` does not name."""
    told = {problem.line for problem in error.problems}
    persona = readable_part(document, town_id)
    return [it for it in check_against_world(persona, addresses) if it.line not in told] if persona is not None else []


def mentioned(persona: Persona) -> list[Address]:
    """The addresses that a persona's file names."""
    return [address for _, address in mentions(persona)]


def check_people(people: Sequence[Persona]) -> list[Problem]:
    """A problem for each id that two people share."""
    first: dict[NpcId, Persona] = {}
    found: list[Problem] = []
    for persona in people:
        if persona.id in first:
            what = f"Id {persona.id!r} is taken by {file_of(first[persona.id])}."
            found.append(problem(persona, ("id",), what, "Give one of them another id."))
        first.setdefault(persona.id, persona)
    return found


def absent_relations(people: Sequence[Persona], unread: Sequence[NpcId] = ()) -> list[Problem]:
    """A warning for each relation with somebody who is absent. It is no mistake, since a town may be played with fewer people.

    `unread` are people whose files have mistakes. They are there.
    """
    ids = [*(persona.id for persona in people), *unread]
    found: list[Problem] = []
    for persona in people:
        for index, relation in enumerate(persona.relations):
            if relation.who not in ids:
                fix = did_you_mean(relation.who, ids) or f"People here: {', '.join(ids)}."
                found.append(problem(persona, ("relations", index, "who"), f"There is nobody with id {relation.who!r}.", fix))
    return found


def mentions(persona: Persona) -> list[tuple[Loc, Address]]:
    """The addresses that a persona's file names, each with its location there."""
    found: list[tuple[Loc, Address]] = [(("home",), persona.home), *([(("work",), persona.work)] if persona.work else [])]
    for index, item in enumerate(persona.routine):
        found.append((("routine", index, "where"), item.where))
        found += [(("routine", index, "steps", i, "where"), step.where) for i, step in enumerate(item.steps) if step.where != item.where]
    found += [(("knows", index), address) for index, address in enumerate(persona.knows)]
    found += [((*only.loc, "where"), only.where) for only in persona.voice.only if only.where]
    return found
