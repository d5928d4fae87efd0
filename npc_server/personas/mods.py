"""Mods: persona files that lie over those of a game. They change keys of a person, add to its lists, or bring new people.

`with_mods` makes the persona files as they are played. A mod file with a mistake is left out, so that no mod keeps a game from starting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from pydantic import ValidationError

from npc_server.document_errors import did_you_mean
from npc_server.documents import MAX_VALUES, read_document
from npc_server.english.text import enumerated
from npc_server.errors import BadInput, FileProblem, Problem
from npc_server.personas.file import PersonaFile
from npc_server.personas.in_world import check_against_world
from npc_server.personas.layers import ADD, NEEDED, Layer, Line, at_lines, laid_over, read_layer, written
from npc_server.personas.schema import Persona, load_persona, persona_id
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
_Mistakes = Callable[["_Person"], list[Problem]]
"""What is wrong with a persona file."""


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

    for npc, files in _by_person(mods).items():
        while npc not in place and files:
            try:
                people.append(_new(files.pop(0), place, most, mistakes))
                place[npc] = len(people) - 1
            except FileProblem as error:
                left_out += error.problems
        if files:
            people[place[npc]], wrong = _changed(people[place[npc]], files, mistakes)
            left_out += wrong
    order = {mod.name: number for number, mod in enumerate(mods)}
    left_out.sort(key=lambda problem: order.get(problem.file, 0))
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


def _new(mod: Document, known: Collection[NpcId], most: int, mistakes: _Mistakes) -> _Person:
    """The file of a person whom the game does not have. `most` people may be known; 0 for any number. Raises FileProblem."""
    npc, keys = persona_id(mod)[:SHOWN], read_layer(mod).keys or {}
    missing = [key for key in NEEDED if key not in keys]
    if missing and keys:
        keys_missing = f"{enumerated(map(repr, missing))} {'are' if len(missing) > 1 else 'is'} missing"
        what = f"The game has nobody with the id {npc!r}, and this file alone is no person: {keys_missing}."
        raise _wrong(mod, what, did_you_mean(npc, known) or "Name the file as the person's file in the game.")
    if ADD in keys:
        what = f"The game has nobody with the id {npc!r}, so there is nothing to add to."
        raise _wrong(mod, what, did_you_mean(npc, known) or f"Write the keys of a new person beside '{ADD}'.", keys[ADD].line[1])
    if most and len(known) >= most:
        raise _wrong(mod, f"There are {len(known)} people already, and {most} are allowed.", "Leave this file out, or others.")
    new = _Person(mod, (mod.name,))
    if wrong := mistakes(new):
        raise FileProblem(tuple(_of_mod(problem, new, mod) for problem in wrong))
    return new


def _by_person(mods: Sequence[Document]) -> dict[NpcId, list[Document]]:
    found: dict[NpcId, list[Document]] = {}
    for mod in mods:
        found.setdefault(persona_id(mod), []).append(mod)
    return found


@dataclass(frozen=True)
class _Laid:
    """A persona file with the mods that lie over it, not written yet."""

    game: _Person
    layer: Layer
    mods: tuple[Document, ...] = ()

    def person(self) -> _Person:
        if not self.mods:
            return self.game
        text, lines = written(self.layer)
        return _Person(replace(self.game.document, text=text), (*self.game.by, *(mod.name for mod in self.mods)), lines)


def _changed(game: _Person, mods: Sequence[Document], mistakes: _Mistakes) -> tuple[_Person, list[Problem]]:
    """The file of a person with what mods change, and the mistakes of those that do not count."""
    read, wrong = list[tuple[Document, Layer]](), list[Problem]()
    for mod in mods:
        try:
            read.append((mod, read_layer(mod)))
        except FileProblem as error:
            wrong += error.problems
    try:
        bare = _Laid(game, _layer(game))
    except FileProblem:
        return game, wrong  # It is reported as a mistake of the game's own file.
    laid = bare
    # A later mod may replace a value that an earlier one has wrong. So each that is wrong in itself is tried alone.
    for _, run in groupby(enumerate(read), lambda it: -1 if _may_fit(it[1][1]) else it[0]):
        laid, more = _lay(laid, [mod for _, mod in run], mistakes)
        wrong += more
    return laid.person(), wrong


def _may_fit(mod: Layer) -> bool:
    """Whether the keys of a mod are such as a persona file has. It need not have all of them."""
    try:
        PersonaFile.model_validate({key: it.value for key, it in (mod.keys or {}).items() if key != ADD and it.value is not None})
    except ValidationError as error:
        return all(it["type"] == "missing" for it in error.errors(include_url=False, include_context=False, include_input=False))
    return True


def _lay(below: _Laid, mods: Sequence[tuple[Document, Layer]], mistakes: _Mistakes) -> tuple[_Laid, list[Problem]]:
    """Lays mods over a file that counts. Also returns the mistakes of those that do not count.

    The whole person is written and checked only once, because it takes 50 ms. If that finds a mistake, each half is tried alone.
    """
    laid, wrong = below.layer, list[Problem]()
    count: list[Document] = []
    for mod, layer in mods:
        try:
            if layer.keys is None or laid.keys is None:
                raise _wrong(mod, "The file has no keys.", "Write e.g. `currently: She waits for rain.`", 1)
            laid = laid_over(laid, layer)
        except FileProblem as error:
            wrong += error.problems
        else:
            count.append(mod)
    if not count:
        return below, wrong
    now = _Laid(below.game, laid, (*below.mods, *count))
    found = mistakes(now.person())
    if not found:
        return now, wrong
    if len(mods) > 1:
        middle = len(mods) // 2
        first, wrong = _lay(below, mods[:middle], mistakes)
        second, more = _lay(first, mods[middle:], mistakes)
        return second, wrong + more
    # Nothing can be changed in a file of the game that has mistakes itself. Those are reported without the mod.
    is_sound = below.mods or not mistakes(below.person())
    return below, [_of_mod(problem, now.person(), count[0]) for problem in found] if is_sound else []


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
