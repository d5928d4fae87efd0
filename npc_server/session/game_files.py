"""Compares the persona and town files of the game with those of the save, and describes the changes for modders."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from npc_server.documents import first_value, load_yaml
from npc_server.english.text import enumerated
from npc_server.errors import FileProblem, Problem
from npc_server.personas.mods import Modded, with_mods
from npc_server.personas.schema import load_persona, persona_id, stem
from npc_server.records import Address, Document, NpcId
from npc_server.session.persona_files import persona_of
from npc_server.session.read_files import MOST_PEOPLE
from npc_server.world.town import load_town


@dataclass(frozen=True)
class GameFiles:
    """The files of a game. Without town and personas there is nothing to compare."""

    game: str = ""
    """The stable id of the game."""
    town: Document | None = None
    personas: tuple[Document, ...] = ()
    mods: tuple[Document, ...] = ()
    """Persona files of mods, which lie over `personas` (`personas.mods`)."""


NO_FILES = GameFiles()


def documents(files: GameFiles) -> list[Document]:
    """Returns all files, the town first."""
    return [*([files.town] if files.town is not None else []), *files.personas, *files.mods]


def merged(before: GameFiles, now: GameFiles) -> GameFiles:
    """Returns the files of a game that sent `before` and then `now`. What `now` leaves out is taken from `before`."""
    people = now if now.personas else before
    return GameFiles(before.game, now.town or before.town, people.personas, people.mods)


def as_played(
    files: GameFiles, town: Address = "", addresses: Collection[Address] | None = None, saved: Sequence[Document] = ()
) -> tuple[GameFiles, Modded]:
    """Returns the files with the persona files that mods make of the game's, and what the mods did.

    `saved` are the persona files of a save. While a file of a mod has a mistake, its person stays as in the save.
    """
    if not files.mods:
        return files, Modded(files.personas)
    found = with_mods(files.personas, files.mods, town or town_id(files.town), addresses, persona_of, MOST_PEOPLE)
    broken = {problem.file for problem in found.left_out}
    stay = {persona_id(document) for document in files.mods if document.name in broken}
    kept = {npc: document for document in saved if (npc := persona_id(document)) in stay} if stay else {}
    people = [kept.pop(persona_id(document), document) if kept else document for document in found.personas]
    return replace(files, personas=(*people, *kept.values()), mods=()), found


class ChangeKind(str, Enum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True)
class FileChange:
    """One file that differs from the save's."""

    file: str
    npc: NpcId
    """Id of the person. Empty for the town, and for an unreadable file."""
    kind: ChangeKind
    summary: str
    """A sentence for the modder."""
    readable: bool = True


def digest(text: str) -> str:
    """Returns the SHA-256 of a text. Line endings make no difference."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def fingerprint(document: Document) -> tuple[str, str]:
    """The same for files of the same name and text, wherever they lie."""
    return stem(document), digest(document.text)


def town_id(town: Document | None) -> Address:
    """Returns the id of a town file. It is empty if there is no file, or if the file cannot be read."""
    return first_value(town, "id") if town is not None else ""


def changes(town: Document | None, personas: Sequence[Document], files: GameFiles) -> list[FileChange]:
    """Lists where `files` differ from the `town` and `personas` of the save, the town first."""
    found: list[FileChange] = []
    if files.town is not None and (change := town_change(town, files.town)) is not None:
        found.append(change)
    return found + (people_changes(personas, files.personas, town_id(files.town or town)) if files.personas else [])


def town_change(before: Document | None, now: Document) -> FileChange | None:
    """Describes how the town file changed. Returns None if the texts are the same."""
    if before is not None and digest(before.text) == digest(now.text):
        return None
    kind = ChangeKind.ADDED if before is None else ChangeKind.CHANGED
    try:
        load_town(now)
    except FileProblem as error:
        return unreadable(now.name, kind, error)
    return FileChange(now.name, "", kind, f"{now.name}: {_difference(before, now) if before else 'the save has no town file yet'}.")


def people_changes(before: Sequence[Document], now: Sequence[Document], town: Address) -> list[FileChange]:
    """Lists changed persona files in the order of `now`, then those that are gone. A file is matched by the id of its person."""
    same = {fingerprint(document) for document in before}
    kept = {fingerprint(document) for document in now}
    old = {persona_id(document): document for document in before if fingerprint(document) not in kept}
    stems = {stem(document): npc for npc, document in old.items()}
    found: list[FileChange] = []
    for document in now:
        if fingerprint(document) in same:
            continue
        try:
            persona = load_persona(document, town)
        except FileProblem as error:
            # The id cannot be read from this file, so the name of the file has to tell whose it is.
            was = stems.get(stem(document))
            found.append(unreadable(document.name, ChangeKind.ADDED if was is None else ChangeKind.CHANGED, error))
            old.pop(was or "", None)
            continue
        earlier = old.pop(persona.id, None)
        if earlier is None:
            summary = f"{document.name} is new: {persona.name} is not in this save yet."
            found.append(FileChange(document.name, persona.id, ChangeKind.ADDED, summary))
        elif digest(earlier.text) != digest(document.text):
            summary = f"{document.name}: {_difference(earlier, document)}."
            found.append(FileChange(document.name, persona.id, ChangeKind.CHANGED, summary))
    return found + [_gone(npc, document) for npc, document in old.items()]


def unreadable(name: str, kind: ChangeKind, error: FileProblem) -> FileChange:
    first, *more = error.problems
    rest = f" ({len(more)} more mistake{'s' if len(more) > 1 else ''} in it.)" if more else ""
    return FileChange(name, "", kind, f"{first}{rest} Play goes on with the text of the save until the file is fixed.", readable=False)


def without_mod(problems: Sequence[Problem]) -> list[FileChange]:
    """Describes files of mods that do not count because of mistakes, one change for each file."""
    first = {problem.file: problem for problem in reversed(problems)}
    told = "{} Play goes on as in the save until this file of a mod is fixed."
    return [FileChange(file, "", ChangeKind.CHANGED, told.format(problem), readable=False) for file, problem in reversed(first.items())]


def _gone(npc: NpcId, document: Document) -> FileChange:
    name = first_value(document, "name") or npc
    return FileChange(document.name, npc, ChangeKind.REMOVED, f"{document.name} is gone; {name} stays in this save.")


def _values(document: Document) -> Mapping[str, object]:
    """Returns the top-level keys and values of a file. An unreadable file has none."""
    try:
        found = load_yaml(document).value
    except FileProblem:
        return {}
    return found if isinstance(found, dict) else {}


def _difference(before: Document, now: Document) -> str:
    """Describes changed top-level keys, like `age and routine changed, voice is new, work is gone`."""
    old, new = _values(before), _values(now)
    changed = [key for key in new if key in old and old[key] != new[key]]
    told = [(changed, "changed"), ([key for key in new if key not in old], "is new"), ([key for key in old if key not in new], "is gone")]
    parts = [f"{enumerated(keys)} {_plural(verb, keys)}" for keys, verb in told if keys]
    return ", ".join(parts) or "only comments or layout changed"


def _plural(verb: str, keys: Sequence[str]) -> str:
    return verb.replace("is ", "are ") if len(keys) > 1 else verb
