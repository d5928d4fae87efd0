"""Applies edited persona and town files to the save that is played. Memories and other experiences are kept.

All minds pause meanwhile. First the save changes in one transaction, then the minds change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlite_utils import Database

from npc_server.errors import FileProblem
from npc_server.instinct.importance_head import ratings
from npc_server.llm.engine import Vectors
from npc_server.memory import memories, meta, people, places
from npc_server.memory.people import Person
from npc_server.memory.store import Store
from npc_server.personas.mods import Modded
from npc_server.personas.names import names_apart
from npc_server.personas.schema import Persona, load_persona, persona_id
from npc_server.records import Address, Document, GameTime, Memory, NpcId, SaveInfo
from npc_server.session.apply_people import PersonChange, apply_person, memories_of, newcomer, person_change, relations_kept
from npc_server.session.apply_town import WorldChange, needed_by, world_change
from npc_server.session.before_play import join
from npc_server.session.game_files import ChangeKind, FileChange, GameFiles, as_played, changes, digest, fingerprint, town_id, without_mod
from npc_server.session.ownership import refuse_of_another
from npc_server.session.people import LivingTown, agent_of, kept_private
from npc_server.session.read_files import check_number, places_of, read_files, warnings_of
from npc_server.session.vectors import embed_all
from npc_server.world.town import load_town
from npc_server.world.town_records import Town as TownFile


@dataclass(frozen=True)
class Saved:
    """The files that the save was made from, the people whose file is gone, and the places that there are."""

    town: Document | None
    personas: tuple[Document, ...]
    without_file: tuple[NpcId, ...] = ()
    addresses: frozenset[Address] = frozenset()
    """Those of all places of the save. They are loaded only for a game with mods."""


@dataclass(frozen=True)
class Applied:
    """Which file changes were applied."""

    changes: tuple[FileChange, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class ReadFiles:
    """The new files, compared with those of the save."""

    changes: tuple[FileChange, ...]
    town: Document | None
    """The town file that the save keeps from now on."""
    town_changed: bool
    personas: tuple[Document, ...]
    without_file: tuple[NpcId, ...]
    before: TownFile | None
    now: TownFile | None
    people: tuple[Persona, ...]
    """The people of the new files."""
    modded: Modded
    """What mods changed in the files."""


@dataclass(frozen=True)
class Plan:
    """All changes of the save and of the minds."""

    read: ReadFiles
    world: WorldChange
    people: tuple[PersonChange, ...]
    memories: Mapping[NpcId, Sequence[Memory]]
    vectors: Mapping[str, Vectors]
    at: GameTime
    seed: int

    def vectors_of(self, npc: NpcId) -> Vectors:
        return np.asarray([self.vectors[memory.text] for memory in self.memories[npc]], np.float32)


async def saved_files(store: Store, files: GameFiles) -> Saved:
    """What the save holds to compare `files` with."""
    return await store.do(lambda db: _saved_files(db, bool(files.mods)))


def _saved_files(db: Database, has_mods: bool) -> Saved:
    town, there = meta.documents(db, "town"), places.addresses(db) if has_mods else frozenset()
    return Saved(town[0] if town else None, tuple(meta.documents(db, "persona")), meta.read(db).without_file, there)


def compared(saved: Saved, files: GameFiles) -> tuple[list[FileChange], GameFiles]:
    """Lists where the files of the game differ from those of the save, and mistakes of mods.

    Returns the list, without people whose file was gone before, and the files as they are played.
    """
    there = places_of(files.town if _is_new(files.town, saved) else None, saved.addresses) if files.mods else None
    played, modded = as_played(files, town_id(files.town or saved.town), there, saved.personas)
    return [*_differences(saved, played), *without_mod(modded.left_out)], played


def _is_new(town: Document | None, saved: Saved) -> bool:
    return town is not None and (saved.town is None or digest(saved.town.text) != digest(town.text))


def _differences(saved: Saved, played: GameFiles) -> list[FileChange]:
    found = changes(saved.town, saved.personas, played)
    return [change for change in found if change.kind is not ChangeKind.REMOVED or change.npc not in saved.without_file]


async def read(slot: str, saved: Saved, files: GameFiles, town: LivingTown) -> ReadFiles | None:
    """Reads the new files. Returns None if nothing changed. Raises FileProblem with the mistakes of all files, and SaveOfAnotherTown."""
    return await asyncio.to_thread(_read, slot, saved, files, town)


def _read(slot: str, saved: Saved, files: GameFiles, town: LivingTown) -> ReadFiles | None:
    before = _as_it_was(saved.town)
    is_new = _is_new(files.town, saved)
    former = {node.address for node in before.nodes()} if before is not None and is_new else set()
    addresses = {node.address for node in town.world if node.address not in former}
    places_now = places_of(files.town if is_new else None, addresses) if files.mods else None
    files, modded = as_played(files, town.world.root(), places_now, saved.personas)
    found = _differences(saved, files)
    if not found:
        return None
    place, persons, problems = read_files(
        files.town if is_new else None, files.personas, town.world.root(), addresses or None, _reader(saved, town)
    )
    if problems:
        raise FileProblem(tuple(problems))
    refuse_of_another(slot, ("", town.world.root()), ("", place.id if place else ""))
    sent = dict(zip((persona.id for persona in persons), files.personas, strict=True))
    kept = {persona_id(document): document for document in saved.personas}
    check_number(len({**kept, **sent}))
    return ReadFiles(
        tuple(found),
        files.town or saved.town,
        is_new,
        _named_apart([*(sent.get(npc, document) for npc, document in kept.items()), *(sent[npc] for npc in sent if npc not in kept)]),
        tuple(npc for npc in kept if npc not in sent) if sent else saved.without_file,
        before,
        place or before,
        persons,
        modded,
    )


def _reader(saved: Saved, town: LivingTown) -> Callable[[Document, Address], Persona]:
    """Returns a reader of persona files that reuses the personas of the minds, because reading a file is slow."""
    files = {document.name: fingerprint(document) for document in saved.personas}
    lived = [agent.mind.persona for agent in town.agents.values()]
    known = {files[persona.checked.name]: persona for persona in lived if persona.checked is not None and persona.checked.name in files}

    def read(document: Document, town_id: Address) -> Persona:
        return known.get(fingerprint(document)) or load_persona(document, town_id)

    return read


def _as_it_was(town: Document | None) -> TownFile | None:
    """Reads the town file of the save. Returns None if there is none, or if only an older version accepted it."""
    try:
        return load_town(town) if town is not None else None
    except FileProblem:
        return None


def _named_apart(documents: Sequence[Document]) -> tuple[Document, ...]:
    """Renames files of equal names, as a save has one file of each name. A new file may have the name of one that is gone."""
    names: set[str] = set()
    found: list[Document] = []
    for document in reversed(documents):
        name = document.name
        while name in names:
            name += ".before"
        names.add(name)
        found.append(replace(document, name=name))
    return tuple(reversed(found))


async def prepare(read: ReadFiles, town: LivingTown, now: GameTime) -> Plan:
    """Finds out what changes for each mind. All minds must be paused, because their actions and plans matter here."""
    agents, people_now = town.agents, {persona.id: persona for persona in read.people}
    stay = [agent.mind.persona for npc, agent in agents.items() if npc not in people_now]
    needed = needed_by(agents.values(), [*read.people, *stay], now)
    change = world_change(town.world, read.before, read.now, needed) if read.town_changed and read.now is not None else WorldChange()
    world = change.applied(town.world)
    persons = [
        *(person_change(agent, people_now.get(npc, agent.mind.persona), read.before, read.now, world) for npc, agent in agents.items()),
        *(newcomer(persona, read.now, world) for npc, persona in people_now.items() if npc not in agents),
    ]
    texts = sorted({text for person in persons for text in person.texts})
    rows = await embed_all(town.common.tools.embedder, texts)
    vectors = dict(zip(texts, rows, strict=True))
    rated = dict(zip(texts, ratings(town.common.tools.embedder.name, texts, rows), strict=True))
    made = {person.npc: memories_of(person, agents.get(person.npc), now, rated) for person in persons}
    return Plan(read, change, tuple(persons), made, vectors, now, town.common.seed)


def _write(db: Database, plan: Plan) -> None:
    """Stores the plan. The store runs this in one transaction."""
    read = plan.read
    if read.town is not None:
        meta.put_documents(db, "town", [read.town])
    meta.put_documents(db, "persona", read.personas)
    meta.write(db, without_file=read.without_file)
    if read.now is not None:
        meta.write(db, town=read.now.name)
    places.put_nodes(db, plan.world.nodes)
    places.remove(db, plan.world.gone)
    for person in plan.people:
        npc, made = person.npc, plan.memories[person.npc]
        if person.is_new:
            people.insert(db, [Person(npc, person.persona.name, plan.seed)])
        else:
            people.rename(db, npc, person.persona.name)
        memories.delete(db, npc, person.forgotten)
        if made:
            memories.insert(db, made, plan.vectors_of(npc))
        places.saw(db, npc, person.seen)
        if person.state is not None:
            people.set_state(db, npc, person.state)


async def _live_by(plan: Plan, town: LivingTown, store: Store) -> None:
    """Changes the minds to what the save holds now, and loads the minds of new people."""
    common, everybody = town.common, {person.npc: person.persona for person in plan.people}
    newcomers = [person.persona for person in plan.people if person.is_new]
    common.people.names.update(names_apart(everybody.values()))
    common.people.short_names.update({npc: persona.first_name for npc, persona in everybody.items()})
    common.world.merge(plan.world.nodes)
    common.world.remove(plan.world.gone)
    common.policies.homes, common.policies.names = kept_private(list(everybody.values()))
    for person in plan.people:
        if not person.is_new:
            apply_person(town.agents[person.npc], person, plan.memories[person.npc], plan.vectors_of(person.npc), common.world)
    for persona in newcomers:
        town.agents[persona.id] = await agent_of(store, persona, common, plan.at)
        await join(town.agents[persona.id], store, plan.at)
    for agent in town.agents.values():
        agent.mind.budget.share_among(common.settings, len(town.agents))


def _warnings(plan: Plan, town: LivingTown) -> list[str]:
    """Collects warnings for the author of the files. Must be called before the minds change."""
    read, everybody = plan.read, [person.persona for person in plan.people]
    names = {persona.id: persona.name for persona in everybody}
    found = [change.summary for change in read.changes if change.kind is ChangeKind.REMOVED]
    found += [str(problem) for problem in read.modded.left_out]
    found += warnings_of(read.now, read.people, list(plan.world.applied(town.world)), everybody, read.modded)
    found += [
        f"{address} is no longer in the town file. It stays in the save, because somebody lives or works there, is there, or plans to go."
        for address in plan.world.kept
    ]
    for person in plan.people:
        found += [f"{person.persona.name} still knows {text!r}, because an insight rests on it." for text in person.kept]
        if not person.is_new:
            for who in relations_kept(town.agents[person.npc], person.persona):
                between = f"The relation of {person.persona.name} and {names.get(who, who)}"
                found.append(f"{between} has changed in play. The new text of the file counts only in a new save.")
    return found


async def take_over(plan: Plan, town: LivingTown, store: Store) -> Applied:
    """Stores the plan and changes the minds. Raises SaveError; nothing has changed then."""
    told = _warnings(plan, town)
    await store.do(lambda db: _write(db, plan))
    await _live_by(plan, town, store)
    return Applied(tuple(change for change in plan.read.changes if change.kind is not ChangeKind.REMOVED), tuple(told))


def info_after(plan: Plan, info: SaveInfo) -> SaveInfo:
    """Returns the list entry of the save after the plan was applied."""
    name = plan.read.now.name if plan.read.now is not None else info.town
    return replace(info, town=name, people=tuple(person.persona.name for person in plan.people))
