"""Finds the town to play, and its people: towns of npc-server by name, others by file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from npc_server.documents import read_document
from npc_server.errors import FileProblem, UnknownName
from npc_server.personas.mods import read_mods, with_mods
from npc_server.personas.names import called
from npc_server.personas.schema import Persona, load_persona, persona_id
from npc_server.personas.together import called_apart
from npc_server.records import Document, NpcId
from npc_server.world.town import load_town
from npc_server.world.town_records import Town, TownThing


@dataclass(frozen=True)
class Cast:
    """A town with the people who play in it, as files and as records."""

    town_file: Document
    town: Town
    persona_files: tuple[Document, ...]
    people: tuple[Persona, ...]
    policy_files: tuple[Document, ...] = ()
    """Policy files that belong to the town."""
    told: str = ""
    """What whoever plays should know of it; empty for nothing."""


def shipped() -> list[str]:
    """Returns the names of the towns that come with npc-server."""
    root = _root()
    return sorted(entry.name for entry in root.iterdir() if (entry / "town.yaml").is_file()) if root.is_dir() else []


def find_cast(town: str, people: Sequence[str] = (), mods: Path | None = None) -> Cast:
    """Finds a town by name, file or folder, with all its people or those with the given ids. `mods` is a folder of mods.

    The folder `personas` beside the town file holds the persona files. An optional `policies.yaml` beside it holds policies.
    Raises UnknownName, BadInput and FileProblem.
    """
    path = _find(town)
    town_file = read_document(path)
    made = load_town(town_file)
    documents = _modded([read_document(file) for file in sorted((path.parent / "personas").glob("*.yaml"))], made, mods)
    found = list(zip(documents, called_apart([load_persona(document, made.id) for document in documents]), strict=True))
    known = [persona.id for _, persona in found]
    for wanted in people:
        if wanted not in known:
            there = f"Choose among {', '.join(known)}." if known else f"Put persona files into {path.parent / 'personas'}."
            raise UnknownName(f"There is nobody with id {wanted!r} in {made.name}.", there, npc=wanted)
    if not found:
        raise UnknownName(f"Nobody lives in {made.name}.", f"Put persona files into {path.parent / 'personas'}.")
    chosen = [pair for pair in found if not people or pair[1].id in people]
    shipped_policies = path.parent / "policies.yaml"
    policies = (read_document(shipped_policies),) if shipped_policies.is_file() else ()
    return Cast(town_file, made, tuple(document for document, _ in chosen), tuple(persona for _, persona in chosen), policies)


def _modded(personas: Sequence[Document], town: Town, mods: Path | None, only: NpcId = "") -> Sequence[Document]:
    """The persona files with what mods change in them; with `only`, in those of one person.

    Whoever plays here wrote the mods, so a mistake ends it. Raises BadInput and FileProblem.
    """
    files, unread = read_mods(mods) if mods is not None else ([], [])
    files = [document for document in files if not only or persona_id(document) == only]
    found = with_mods(personas, files, town.id, {node.address for node in town.nodes()})
    if unread or found.left_out:
        raise FileProblem((*unread, *found.left_out))
    return found.personas


def cast_with(town: str, who: str, mods: Path | None = None) -> tuple[Cast, NpcId]:
    """Finds a town and one person by id, name or persona file. The person of a file joins the town.

    Raises UnknownName, BadInput and FileProblem.
    """
    cast = find_cast(town, mods=mods)
    if who.endswith((".yaml", ".yml")):
        document = read_document(Path(who))
        (document,) = _modded([document], cast.town, mods, only=persona_id(document))
        document, told = _with_bed(document, cast.town)
        persona = load_persona(document, cast.town.id)
        others = [(d, p) for d, p in zip(cast.persona_files, cast.people, strict=True) if p.id != persona.id]
        found = [*others, (document, persona)]
        return replace(cast, persona_files=tuple(d for d, _ in found), people=tuple(p for _, p in found), told=told), persona.id
    meant = called(who, cast.people)
    if meant is not None:
        return cast, meant.id
    known = ", ".join(persona.id for persona in cast.people)
    home = next((name for name in shipped() if name != cast.town.id and called(who, find_cast(name).people) is not None), "")
    advice = f"That is somebody of another town: --town {home}." if home else f"Choose among {known}, or name a persona file."
    raise UnknownName(f"There is nobody called {who!r} in {cast.town.name}.", advice, npc=who)


def beds(town: Town) -> list[TownThing]:
    """Return the things of a town in which one sleeps."""
    return [thing for thing in town.things() if any(action.name == "sleep" for action in thing.actions)]


def _with_bed(document: Document, town: Town) -> tuple[Document, str]:
    """The persona file with a bed of the town for its home, and what to say of it, if the town does not have the home that it names."""
    persona = load_persona(document, town.id)
    found = beds(town)
    if persona.home in {node.address for node in town.nodes()} or not found:
        return document, ""
    own, bed = (address.removeprefix(f"{town.id}:") for address in (persona.home, found[0].address))
    layer = Document(f"bed_{document.name.rpartition('/')[2]}", f"id: {persona.id}\nhome: {bed}\n")
    told = f"{town.name} has no {own!r}, which {persona.first_name}'s file names for the home. Here {persona.first_name} sleeps at {bed!r}."
    return with_mods([document], [layer], town.id).personas[0], told


def _find(town: str) -> Path:
    path = Path(town)
    if path.is_dir() and (path / "town.yaml").is_file():
        return path / "town.yaml"
    if path.is_file():
        return path
    if town in shipped():
        return _root() / town / "town.yaml"
    raise UnknownName(f"There is no town {town!r}.", f"Name a town file, or one of: {', '.join(shipped())}.", town=town)


def _root() -> Path:
    return Path(str(resources.files("npc_server"))) / "data" / "towns"
