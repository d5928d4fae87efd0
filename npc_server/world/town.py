"""Reads a town file into a `Town`, from which the sandbox, the session and the Godot demo start.

`docs/towns.md` explains the file field by field.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from npc_server import clock, documents
from npc_server.errors import FileProblem, Problem
from npc_server.records import Address, Document, Need
from npc_server.world import household, town_check
from npc_server.world.town_records import Cell, Faction, Incident, Place, Room, Story, Town, TownThing
from npc_server.world.town_schema import MAX_SIDE, ActionEntry, KindEntry, ObjectEntry, PlaceEntry, RoomEntry, StoryEntry, TownFile
from npc_server.world.tree import ObjectAction

HINTS = {
    "rect": "Write [x, y, width, height] in cells.",
    "at": "Write [x, y] in cells.",
    "doors": "Write a list of cells, [[x, y]].",
    "size": "Write [width, height] in cells.",
    "id": "Use lower-case letters, digits and '_', and start with a letter.",
    "preposition": "Write one word in lower case: in, on, at, by.",
    "owners": "Write a list of persona ids, [mara_voss].",
    "hours": 'Write opening hours in quotes, "08:00-17:00".',
    "start": 'Write date and time in quotes, "2026-05-04 06:00".',
    "states": "Write a list of words; numbers go in quotes.",
}
"""How to fix a wrong value, by the key in the file."""


@dataclass(frozen=True)
class TownRead:
    """A town with the file that it was read from."""

    town: Town
    file: TownFile
    parsed: documents.Parsed
    warnings: tuple[Problem, ...]


def load_town(document: Document) -> Town:
    """Reads a town file. Raises FileProblem with every mistake, each with its line, what is wrong and how to fix it."""
    return read_town(document).town


def read_town(document: Document) -> TownRead:
    """Reads a town file as `load_town` does, and returns with it what stands in the file, and where. Raises FileProblem."""
    checked = documents.check_yaml(document, TownFile, HINTS, later=_LATER)
    file, parsed = checked.value, checked.parsed
    unwalled = (Problem(document.name, parsed.line(loc), what, fix) for loc, what, fix in town_check.unwalled(file))
    warnings = (*checked.warnings, *unwalled)
    return TownRead(_town(file, tuple(str(warning) for warning in warnings)), file, parsed, warnings)


def _later_problems(checked: documents.Checked[TownFile]) -> Iterator[Problem]:
    """Finds the mistakes that the schema cannot express."""
    file, line = checked.value, checked.parsed.line
    found = [mistake for mistake in town_check.check(file) if town_check.is_certain(mistake, checked.left_out)]
    if not found and not checked.left_out:
        found = town_check.unreachable(file, _town(file, ()))
    yield from (Problem(checked.name, line(loc), what, fix) for loc, what, fix in found)


_LATER = documents.Later(
    _later_problems,
    stand_ins={"id": "town", "name": "Town", "start": "2026-05-04 06:00", "size": [MAX_SIDE, MAX_SIDE]},
    whole=frozenset({"at", "on", "inside", "beside"}),
)


def as_town(file: TownFile) -> Town:
    """Returns the town of a file, with rooms that nobody can walk to, too. Raises FileProblem for any other mistake."""
    found = town_check.check(file)
    if found:
        raise FileProblem(tuple(Problem(file.name, 0, what, fix) for _, what, fix in found))
    return _town(file, ())


def _town(file: TownFile, warnings: tuple[str, ...]) -> Town:
    width, height = file.size
    places = tuple(_place(file, f"{file.id}:{entry.id}", entry) for entry in file.places)
    return Town(
        file.id,
        file.name,
        clock.parse_datetime(file.start),
        file.cell_m,
        width,
        height,
        tuple(file.paths),
        places,
        knowledge=tuple(file.knowledge),
        factions=tuple(Faction(f.id, f.name, tuple(f.members), tuple(f.knowledge)) for f in file.factions),
        stories=tuple(_story(file.id, story) for story in file.stories),
        warnings=warnings,
    )


def _story(town: str, entry: StoryEntry) -> Story:
    start, end = (clock.parse_datetime(text) if text else 0 for text in (entry.start, entry.end))
    where = f"{town}:{entry.where.removeprefix(f'{town}:')}" if entry.where else ""
    return Story(entry.id, entry.kind, entry.starter, " ".join(entry.whisper.split()), tuple(entry.about), where, start, end)


def _place(file: TownFile, address: Address, entry: PlaceEntry) -> Place:
    return Place(
        address=address,
        name=entry.name or _spoken(entry.id),
        description=entry.description,
        rect=entry.rect,
        doors=tuple(entry.doors),
        open=entry.open,
        capacity=entry.capacity,
        hours=town_check.hours(entry.hours),
        owners=tuple(entry.owners),
        rooms=tuple(_room(file, f"{address}:{room.id}", room) for room in entry.rooms),
        preposition=entry.preposition,
    )


def _room(file: TownFile, address: Address, entry: RoomEntry) -> Room:
    return Room(
        address=address,
        name=entry.name or _spoken(entry.id),
        description=entry.description,
        rect=entry.rect,
        capacity=entry.capacity,
        hours=town_check.hours(entry.hours),
        owners=tuple(entry.owners),
        things=tuple(_thing(f"{address}:{thing.id}", thing, file.object_kinds[thing.kind], _cell(thing, entry)) for thing in entry.objects),
        preposition=entry.preposition,
    )


def _cell(thing: ObjectEntry, room: RoomEntry) -> Cell:
    """The cell of an object: its own, or that of the object it lies on or in."""
    while thing.at is None:
        below = thing.on or thing.inside
        thing = next(other for other in room.objects if other.id == below)
    return thing.at


def _thing(address: Address, entry: ObjectEntry, kind: KindEntry, cell: Cell) -> TownThing:
    state = entry.state or kind.state or (kind.states[0] if kind.states else "")
    actions = tuple(_action(action) for action in kind.actions)
    if kind.properties:
        how = "on" if entry.on else "in" if entry.inside else "at" if entry.beside else ""
        state = household.start_state(kind.properties, entry.state or kind.state, how, entry.on or entry.inside or entry.beside)
        actions = household.actions_of(kind.properties)
    return TownThing(
        address=address,
        kind=entry.kind,
        name=entry.name or entry.kind,
        description=entry.description,
        cell=cell,
        state=state,
        states=tuple(kind.states),
        actions=actions,
        capacity=kind.capacity if entry.capacity is None else entry.capacity,
        incidents=tuple(Incident(it.action, it.becomes, it.chance, it.every) for it in kind.incidents),
        properties=tuple(kind.properties),
    )


def _action(entry: ActionEntry) -> ObjectAction:
    given = {str(name): points for name, points in entry.fills.items()}
    fills = tuple((need, given[need.value]) for need in Need if need.value in given)
    return ObjectAction(entry.name, entry.needs, entry.during, entry.after, entry.first, fills)


def _spoken(name: str) -> str:
    """An id as people would say it."""
    return name.replace("_", " ")
