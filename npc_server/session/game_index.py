"""The files of a game as a tool reads them: people, the town as a tree, and what is wrong, each with its file and line.

Godot's editor shows it in the dock "Minds". Godot reads no YAML, so everything that it lists comes from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from npc_server.documents import first_value, read_document
from npc_server.errors import FileProblem, Problem
from npc_server.personas.schema import Persona, persona_id
from npc_server.records import Document
from npc_server.session.checked_files import check_personas, read_personas
from npc_server.world.floor import Floor, beside, lay, within
from npc_server.world.town import TownRead, read_town
from npc_server.world.town_records import Cell, Place, Room, TownThing
from npc_server.world.town_schema import PlaceEntry, RoomEntry

Row = dict[str, Any]


def index(town: Path | None, personas: Path | None, mods: Path | None = None) -> Row:
    """Return the people, the town and the problems of a game's files, as far as they can be read."""
    problems: list[Row] = []
    read: TownRead | None = None
    try:
        read = read_town(read_document(town)) if town is not None else None
    except FileProblem as error:
        problems += _rows(error.problems, is_warning=False)
    documents, unread = read_personas([personas] if personas is not None else [])
    found = check_personas(documents, read.town if read else None, mods)
    by_file = {persona.checked.name: persona for persona in found.people if persona.checked}
    problems += _rows([*unread, *found.mistakes], is_warning=False)
    problems += _rows([*(read.warnings if read else ()), *found.warnings], is_warning=True)
    return {
        "town": _town(read, town) if read is not None else None,
        "people": [_person(document, by_file) for document in found.modded.personas],
        "problems": problems,
    }


def _rows(problems: Sequence[Problem], is_warning: bool) -> list[Row]:
    return [{"file": it.file, "line": it.line, "what": it.what, "fix": it.fix, "is_warning": is_warning} for it in problems]


def _person(document: Document, by_file: dict[str, Persona]) -> Row:
    """A person whose file has mistakes has an id and, as far as the file can be read, a name."""
    persona = by_file.get(document.name)
    if persona is None:
        npc = persona_id(document)
        return {"id": npc, "name": first_value(document, "name") or npc, "file": document.name}
    told = {"id": persona.id, "name": persona.name, "file": document.name, "age": persona.age}
    return {
        **told,
        "traits": list(persona.traits),
        "home": persona.home,
        "work": persona.work,
        "relations": [relation.who for relation in persona.relations],
    }


def _town(read: TownRead, file: Path | None) -> Row:
    town, floor = read.town, lay(read.town)
    line = read.parsed.line
    ground = {"address": town.id, "kind": "town", "name": town.name, "rect": [0, 0, town.width, town.height], "open": True}
    nodes: list[Row] = [{**ground, "line": 1}]
    for i, (place, entry) in enumerate(zip(town.places, read.file.places, strict=True)):
        nodes.append({**_place(place, entry, "place"), "line": line(("places", i)), "open": place.open})
        for j, (room, part) in enumerate(zip(place.rooms, entry.rooms, strict=True)):
            nodes.append({**_place(room, part, "room"), "line": line(("places", i, "rooms", j)), "open": place.open})
            for k, thing in enumerate(room.things):
                at = ("places", i, "rooms", j, "objects", k)
                nodes.append({**_thing(thing), "line": line(at), "stand": list(_stand(thing.cell, room, floor))})
    people = list(_people_of(read))
    return {"id": town.id, "name": town.name, "file": str(file), "cell_m": town.cell_m, "nodes": nodes, "people": people}


def _people_of(read: TownRead) -> Iterator[Row]:
    """Where the town file names people."""
    file, line = read.file, read.parsed.line
    for i, place in enumerate(file.places):
        yield from ({"id": npc, "what": f"owner of '{place.id}'", "line": line(("places", i, "owners"))} for npc in place.owners)
        for j, room in enumerate(place.rooms):
            at = line(("places", i, "rooms", j, "owners"))
            yield from ({"id": npc, "what": f"owner of '{place.id}:{room.id}'", "line": at} for npc in room.owners)
    for i, faction in enumerate(file.factions):
        yield from ({"id": npc, "what": f"member of '{faction.id}'", "line": line(("factions", i, "members"))} for npc in faction.members)
    for i, story in enumerate(file.stories):
        yield {"id": story.starter, "what": f"starter of '{story.id}'", "line": line(("stories", i, "starter"))}


def _place(place: Place | Room, entry: PlaceEntry | RoomEntry, kind: str) -> Row:
    return {
        "address": place.address,
        "kind": kind,
        "name": place.name,
        "rect": list(place.rect),
        "capacity": place.capacity,
        "hours": entry.hours,
        "owners": list(place.owners),
    }


def _thing(thing: TownThing) -> Row:
    """Actions are as `NpcObject.actions` has them."""
    actions = {
        it.name: {key: state for key, state in (("needs", it.needs), ("during", it.during), ("after", it.after)) if state}
        for it in thing.actions
    }
    return {
        "address": thing.address,
        "kind": "object",
        "name": thing.name,
        "at": list(thing.cell),
        "states": list(thing.states),
        "state": thing.state,
        "capacity": thing.capacity,
        "actions": actions,
    }


def _stand(cell: Cell, room: Room, floor: Floor) -> Cell:
    """The free cell of the room beside an object that is nearest to the room's middle; the object's own where none is free."""
    x, y, width, height = room.rect
    free = [it for it in beside(cell) if within(it, room.rect) and floor.walkable(it)]
    return min(free, key=lambda it: (2 * it[0] + 1 - 2 * x - width) ** 2 + (2 * it[1] + 1 - 2 * y - height) ** 2, default=cell)
