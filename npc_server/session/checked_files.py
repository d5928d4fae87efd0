"""Checks the files of a game together, as `npc-server persona check` and Godot's editor show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from npc_server.affordable.habits import check_habits, things_of
from npc_server.documents import load_yaml, read_document
from npc_server.errors import FileProblem, Problem
from npc_server.personas.in_world import absent_relations, check_against_world, check_people, rest_against_world
from npc_server.personas.layers import ADD
from npc_server.personas.mods import Modded, read_mods, with_mods
from npc_server.personas.schema import Persona, load_persona, persona_id
from npc_server.personas.together import same_names
from npc_server.records import Document, NpcId
from npc_server.session.read_files import shut_out
from npc_server.world.town_records import Town


@dataclass(frozen=True)
class CheckedPeople:
    """The people whose files have no mistakes, and what is wrong with the files."""

    people: tuple[Persona, ...]
    mistakes: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    modded: Modded


def read_personas(paths: Sequence[Path]) -> tuple[list[Document], list[Problem]]:
    """Return the persona files and those of folders, and the mistakes of files that are no text."""
    documents, mistakes = list[Document](), list[Problem]()
    for path in paths:
        for file in sorted(path.glob("*.y*ml")) if path.is_dir() else [path]:
            try:
                documents.append(read_document(file))
            except FileProblem as error:
                mistakes += error.problems
    return documents, mistakes


def lay_mods(documents: Sequence[Document], town: Town | None, mods: Path | None, only: NpcId = "") -> Modded:
    """Return the files with what mods change in them. With `only`, mods change that person alone."""
    files, unread = read_mods(mods) if mods else ([], [])
    files = [document for document in files if not only or persona_id(document) == only]
    known = {node.address for node in town.nodes()} if town else None
    found = with_mods(documents, files, town.id if town else "", known)
    return replace(found, left_out=(*unread, *found.left_out))


def check_personas(documents: Sequence[Document], town: Town | None, mods: Path | None = None) -> CheckedPeople:
    """Check persona files against each other, their town, and the mods that lie over them."""
    nodes = town.nodes() if town else []
    addresses, things = {node.address for node in nodes}, things_of(nodes)
    modded = lay_mods(documents, town, mods)
    people, mistakes, warnings = list[Persona](), list(modded.left_out), list[Problem]()
    unread: list[NpcId] = []
    for document in modded.personas:
        try:
            persona = load_persona(document, town.id if town else "")
        except FileProblem as error:
            mistakes += error.problems
            mistakes += rest_against_world(document, error, town.id, addresses) if town else []
            unread.append(persona_id(document))
            if _is_of_mod(document):
                fix = "Check it with the game's files: npc-server persona check PERSONAS --mods FOLDER."
                mistakes.append(Problem(document.name, 0, "This is a file of a mod.", fix))
            continue
        people.append(persona)
        warnings += persona.warnings
        if town:
            mistakes += check_against_world(persona, addresses)
            warnings += check_habits(persona, things)
    mistakes += check_people(people)
    warnings += [*absent_relations(people, unread), *same_names(people), *shut_out(people, nodes)]
    return CheckedPeople(tuple(people), tuple(mistakes), tuple(modded.at_source(problem) for problem in warnings), modded)


def _is_of_mod(document: Document) -> bool:
    try:
        value = load_yaml(document).value
    except FileProblem:
        return False
    return isinstance(value, dict) and ADD in value
