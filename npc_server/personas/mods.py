"""Mods: persona files that lie over those of a game. They change keys of a person, add to its lists, or bring new people.

`with_mods` makes the persona files as they are played. A mod file with a mistake is left out, so that no mod keeps a game from starting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from npc_server.document_errors import did_you_mean
from npc_server.documents import MAX_VALUES, read_document
from npc_server.english.text import enumerated
from npc_server.errors import BadInput, FileProblem, Problem
from npc_server.personas.layers import ADD, NEEDED, Layer, Line, at_lines, laid_over, read_layer, written
from npc_server.personas.schema import Persona, check_against_world, load_persona, persona_id
from npc_server.records import Address, Document, NpcId

PERSONAS = "personas"
"""The folder of a mod in which its persona files lie."""
EXAMPLE = "rain/personas/mara_voss.yaml"
SHOWN = 64
"""Characters of an id that a message shows."""


@dataclass(frozen=True)
class Modded:
    """Persona files as they are played."""

    personas: tuple[Document, ...]
    """Those of the game, with what mods change in them, and then those of new people."""
    left_out: tuple[Problem, ...] = ()
    """The mistakes of mod files, which do not count then."""
    by: Mapping[NpcId, tuple[str, ...]] = field(default_factory=dict)
    """The names of the mod files that count, by person."""
    lines: Mapping[str, Sequence[Line]] = field(default_factory=dict)
    """Where each line of a changed file comes from, by the file's name."""

    def at_source(self, problem: Problem) -> Problem:
        """The problem with the file and the line where people wrote what it is about."""
        return _at_source(problem, self.lines.get(problem.file, ()))


def _at_source(problem: Problem, lines: Sequence[Line]) -> Problem:
    """`lines` says where each line of the problem's file comes from."""
    if not 0 < problem.line <= len(lines):
        return problem
    file, line = lines[problem.line - 1]
    return replace(problem, file=file, line=line)


NO_MODS = Modded(())


@dataclass(frozen=True)
class _Person:
    """A persona file as it is played."""

    document: Document
    by: tuple[str, ...] = ()
    lines: Sequence[Line] = ()


def with_mods(
    personas: Sequence[Document],
    mods: Sequence[Document],
    town_id: Address = "",
    addresses: Collection[Address] | None = None,
    read: Callable[[Document, str], Persona] = load_persona,
    most: int = 0,
) -> Modded:
    """Lays the files of mods over the `personas` of a game, one after the other, so that the last one wins.

    `addresses` are the places that there are; with None, places are not checked. `read` reads one persona file. `most` are the most
    people that there may be; 0 for any number.
    """
    people = [_Person(document) for document in personas]
    place = {persona_id(document): number for number, document in enumerate(personas)}
    left_out: list[Problem] = []

    def mistakes(person: _Person) -> list[Problem]:
        return _mistakes(person.document, town_id, addresses, read)

    for mod in mods:
        npc = persona_id(mod)
        before = people[place[npc]] if npc in place else None
        try:
            now = _new(mod, place) if before is None else _changed(before, mod)
            if before is None and most and len(people) >= most:
                raise _wrong(mod, f"There are {len(people)} people already, and {most} are allowed.", "Leave this file out, or others.")
        except FileProblem as error:
            left_out += error.problems
            continue
        if wrong := mistakes(now):
            # Nothing can be changed in a file of the game that has mistakes itself. Those are reported without the mod.
            if before is None or not mistakes(before):
                left_out += [_of_mod(problem, now, mod) for problem in wrong]
        elif before is None:
            place[npc] = len(people)
            people.append(now)
        else:
            people[place[npc]] = now
    return Modded(
        tuple(person.document for person in people),
        tuple(left_out),
        {npc: people[number].by for npc, number in place.items() if people[number].by},
        {person.document.name: person.lines for person in people if person.lines},
    )


def read_mods(folder: Path) -> tuple[list[Document], list[Problem]]:
    """Reads the files of all mods in a folder: each folder in it is a mod, with persona files in its `personas`.

    Mods come in alphabetical order, and hidden files not at all. The problems are those of files that cannot be read, or lie in the wrong
    folder. Raises BadInput for what is no folder of mods.
    """
    if not folder.is_dir() or (folder / PERSONAS).is_dir():
        why = "is a mod, and not the folder around it" if folder.is_dir() else "is no folder"
        raise BadInput(f"{str(folder)!r} {why}.", f"Name the folder of mods, which has files such as {EXAMPLE}.", folder=folder)
    documents, problems = list[Document](), list[Problem]()
    paths = [path.relative_to(folder) for depth in ("*", "*/*", f"*/{PERSONAS}/*") for path in folder.glob(depth)]
    for path in sorted(paths, key=lambda path: [(part.lower(), part) for part in path.parts]):
        name, hidden = f"mods/{path.as_posix()}", any(part.startswith(".") for part in path.parts)
        if hidden or path.suffix not in (".yaml", ".yml") or not (folder / path).is_file():
            continue
        if path.parts[1:-1] != (PERSONAS,):
            problems.append(Problem(name, 0, f"Only files such as {EXAMPLE} count.", f"Move it into the folder {PERSONAS!r} of a mod."))
            continue
        try:
            documents.append(replace(read_document(folder / path), name=name))
        except FileProblem as error:
            problems += [replace(problem, file=name) for problem in error.problems]
    return documents, problems


def _mistakes(
    document: Document, town_id: Address, addresses: Collection[Address] | None, read: Callable[[Document, str], Persona]
) -> list[Problem]:
    try:
        found = read(document, town_id)
    except FileProblem as error:
        return list(error.problems)
    return check_against_world(found, addresses) if addresses is not None else []


def _new(mod: Document, known: Collection[NpcId]) -> _Person:
    """The file of a person whom the game does not have. Raises FileProblem."""
    npc, keys = persona_id(mod)[:SHOWN], read_layer(mod).keys or {}
    missing = [key for key in NEEDED if key not in keys]
    if missing and keys:
        keys_missing = f"{enumerated(map(repr, missing))} {'are' if len(missing) > 1 else 'is'} missing"
        what = f"The game has nobody with the id {npc!r}, and this file alone is no person: {keys_missing}."
        raise _wrong(mod, what, did_you_mean(npc, known) or "Name the file as the person's file in the game.")
    if ADD in keys:
        what = f"The game has nobody with the id {npc!r}, so there is nothing to add to."
        raise _wrong(mod, what, did_you_mean(npc, known) or f"Write the keys of a new person beside '{ADD}'.", keys[ADD].line[1])
    return _Person(mod, (mod.name,))


def _changed(before: _Person, mod: Document) -> _Person:
    """The file of a person with what a mod changes. Raises FileProblem."""
    over = read_layer(mod)
    try:
        game = _layer(before)
    except FileProblem:
        return before  # It is reported as a mistake of the game's own file.
    if over.keys is None or game.keys is None:
        raise _wrong(mod, "The file has no keys.", "Write e.g. `currently: She waits for rain.`", 1)
    text, lines = written(laid_over(game, over))
    return _Person(replace(before.document, text=text), (*before.by, mod.name), lines)


def _layer(person: _Person) -> Layer:
    """The file as a layer. Its lines are those where people wrote it."""
    layer = read_layer(person.document, MAX_VALUES)
    return at_lines(layer, person.lines) if person.lines else layer


def _of_mod(problem: Problem, person: _Person, mod: Document) -> Problem:
    """A mistake that a mod makes in the file of a person, with the line where it stands."""
    found = _at_source(problem, person.lines)
    if found.file == mod.name:
        return found
    what = f"It does not fit {found.file}, line {found.line}: {found.what}"
    return Problem(mod.name, 0, what, "Change the values of this file, or add the other ones that they need.")


def _wrong(mod: Document, what: str, fix: str, line: int = 0) -> FileProblem:
    return FileProblem((Problem(mod.name, line, what, fix),))
