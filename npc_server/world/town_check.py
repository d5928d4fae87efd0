"""Finds the mistakes in a town file that its schema cannot express."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from npc_server import clock
from npc_server.document_errors import Loc, did_you_mean
from npc_server.world import household
from npc_server.world.floor import Floor, beside, inside, lay, overlap, within
from npc_server.world.town_records import Cell, Rect, Town
from npc_server.world.town_schema import KindEntry, ObjectEntry, PlaceEntry, RoomEntry, TownFile

Mistake = tuple[Loc, str, str]
"""Where in the file, what is wrong, and how to fix it."""


def hours(text: str) -> tuple[int, int] | None:
    """Opening hours such as `08:00-17:00`, as seconds since midnight. None for an empty text. Raises ValueError."""
    if not text:
        return None
    opens, sep, closes = text.partition("-")
    if not sep:
        raise ValueError(f"{text!r} has no '-'")
    found = clock.parse_hhmm(opens), clock.parse_hhmm(closes)
    if found[0] == found[1]:
        raise ValueError(f"{text!r} opens and closes at the same time")
    return found


def check(file: TownFile) -> list[Mistake]:
    """Every mistake, except those that need the finished floor: see `unreachable`."""
    return [*_start(file), *_kinds(file), *_paths(file), *_places(file), *_overlaps(file), *_stories(file), *_household(file)]


def is_certain(mistake: Mistake, left_out: Collection[Loc]) -> bool:
    """Whether a mistake is one in the whole file, too. What was left out may be what another part of the file names."""
    roots, loc = {gone[0] for gone in left_out}, mistake[0]
    if "object_kinds" in roots and (loc[0] == "object_kinds" or ("objects" in loc and loc[-1] not in ("id", "at"))):
        return False
    if "stories" in roots and loc[0] == "stories":
        return False
    return "places" not in roots or not (loc[0] == "stories" or loc[-1] in ("on", "inside", "beside"))


def unwalled(file: TownFile) -> Iterator[Mistake]:
    """Rooms that reach the edge of their building. They are no mistakes: rooms drawn over a picture often fill it."""
    for i, place in enumerate(file.places):
        for j, room in enumerate(place.rooms):
            if not place.open and inside(room.rect, place.rect) and not inside(room.rect, place.rect, margin=1):
                what = (
                    f"Room '{room.id}' {_list(room.rect)} leaves no outer wall of '{place.id}' {_list(place.rect)}: people walk in there."
                )
                yield ("places", i, "rooms", j, "rect"), what, "Keep one cell away from the building's edge for a wall."


def _stories(file: TownFile) -> Iterator[Mistake]:
    rooms = {f"{place.id}:{room.id}" for place in file.places for room in place.rooms}
    places = rooms | {place.id for place in file.places}
    for i, story in enumerate(file.stories):
        loc: Loc = ("stories", i)
        where = story.where.removeprefix(f"{file.id}:")
        if where and where not in places:
            yield (*loc, "where"), f"There is no place {where!r}.", did_you_mean(where, places) or "Name a place or a room."
        if story.kind == "party" and not (story.where and story.start and story.end):
            yield loc, f"The party '{story.id}' does not say where, start and end.", "Add the missing ones."
        for key, text in (("start", story.start), ("end", story.end)):
            try:
                clock.parse_datetime(text) if text else None
            except ValueError:
                yield (*loc, key), f"{text!r} is not a game time.", 'Write date and time in quotes, "2026-05-05 17:00".'


def unreachable(file: TownFile, town: Town) -> list[Mistake]:
    """Doors that lead nowhere, rooms that nobody can walk to, and objects that nobody can stand at."""
    floor = lay(town)
    mainland = floor.mainland()
    found: list[Mistake] = []
    for i, place in enumerate(file.places):
        for j, door in enumerate(place.doors):
            if not _joins(floor, door):
                found.append(
                    (
                        ("places", i, "doors", j),
                        f"The door {_list(door)} of '{place.id}' is not between two cells that people can walk on.",
                        "Put it into a wall, with floor or ground on two opposite sides, and no object in front of it.",
                    )
                )
        for j, room in enumerate(place.rooms):
            loc: Loc = ("places", i, "rooms", j)
            if not _touches(room.rect, mainland):
                fix = "Free a way to it." if place.open else "Give it a door, or free the way to its door."
                found.append((loc, f"Nobody can walk to the room '{room.id}' of '{place.id}'.", fix))
                continue
            for k, thing in enumerate(room.objects):
                if thing.at is not None and not any(cell in mainland and within(cell, room.rect) for cell in beside(thing.at)):
                    what = f"Nobody can stand at '{thing.id}' in '{room.id}' of '{place.id}'."
                    found.append(((*loc, "objects", k), what, "Leave a free cell of the room beside it."))
    return found


def _start(file: TownFile) -> Iterator[Mistake]:
    try:
        clock.parse_datetime(file.start)
    except ValueError:
        yield ("start",), f"'{file.start[:60]}' is not a date and time.", 'Write it like "2026-05-04 06:00"; early years are "0342".'


def _kinds(file: TownFile) -> Iterator[Mistake]:
    for name, kind in file.object_kinds.items():
        loc: Loc = ("object_kinds", name)
        if not name or len(name) > 120:
            yield loc, f"'{name[:60]}' cannot be the name of a kind.", "Use one to three words."
        yield from _twice((*loc, "states"), kind.states, "State", f"of '{name}'")
        if kind.properties:
            yield from _properties(loc, kind, name)
        else:
            yield from _state((*loc, "state"), kind.state, kind, name)
        yield from _twice((*loc, "actions"), [action.name for action in kind.actions], "Action", f"of '{name}'")
        for i, action in enumerate(kind.actions):
            for key, state in (("needs", action.needs), ("during", action.during), ("after", action.after)):
                yield from _state((*loc, "actions", i, key), state, kind, name)
        yield from _incidents(loc, kind, name)


def _incidents(loc: Loc, kind: KindEntry, name: str) -> Iterator[Mistake]:
    actions = [action.name for action in kind.actions]
    for i, incident in enumerate(kind.incidents):
        here: Loc = (*loc, "incidents", i)
        if incident.action not in actions:
            fix = did_you_mean(incident.action, actions) or "Name one of its `actions`."
            yield (*here, "action"), f"'{name}' has no action '{incident.action[:60]}'.", fix
        if not incident.becomes:
            yield (*here, "becomes"), f"The incident of '{name}' does not say what it becomes.", "Name one of its `states`."
        yield from _state((*here, "becomes"), incident.becomes, kind, name)
        if bool(incident.chance) == bool(incident.every):
            yield here, f"The incident of '{name}' does not say how often it happens.", "Give it either `chance` or `every`."


def _state(loc: Loc, state: str, kind: KindEntry, name: str) -> Iterator[Mistake]:
    if state and state not in kind.states:
        known = ", ".join(f"'{s}'" for s in kind.states)
        fix = f"Use one of {known}, or add it to its states. {did_you_mean(state, kind.states)}".strip()
        yield loc, f"'{name}' has no state '{state[:60]}'.", fix if kind.states else "List it under its `states`."


def _paths(file: TownFile) -> Iterator[Mistake]:
    for i, path in enumerate(file.paths):
        if not inside(path, (0, 0, *file.size)):
            yield ("paths", i), f"The path {_list(path)} leaves the town, which is {_list(file.size)}.", "Cut it, or make `size` larger."


def _places(file: TownFile) -> Iterator[Mistake]:
    yield from _twice(("places",), [place.id for place in file.places], "Place", "", key="id")
    for i, place in enumerate(file.places):
        loc: Loc = ("places", i)
        yield from _hours((*loc, "hours"), place.hours)
        if not inside(place.rect, (0, 0, *file.size)):
            what = f"'{place.id}' {_list(place.rect)} leaves the town, which is {_list(file.size)}."
            yield (*loc, "rect"), what, "Move it, or make `size` larger."
        for j, door in enumerate(place.doors):
            yield from _door((*loc, "doors", j), door, place)
        yield from _twice((*loc, "rooms"), [room.id for room in place.rooms], "Room", f"in '{place.id}'", key="id")
        for j, room in enumerate(place.rooms):
            yield from _room((*loc, "rooms", j), room, place, file)


def _door(loc: Loc, door: Cell, place: PlaceEntry) -> Iterator[Mistake]:
    if place.open:
        yield loc, f"'{place.id}' is open and has no walls, so it has no doors.", "Delete `doors`, or `open: true`."
    elif not within(door, place.rect):
        yield loc, f"The door {_list(door)} is not in a wall of '{place.id}' {_list(place.rect)}.", "Put it on a cell of the wall."
    elif room := next((room for room in place.rooms if within(door, room.rect)), None):
        yield loc, f"The door {_list(door)} lies inside the room '{room.id}'.", "Put it on a cell of the wall."


def _room(loc: Loc, room: RoomEntry, place: PlaceEntry, file: TownFile) -> Iterator[Mistake]:
    yield from _hours((*loc, "hours"), room.hours)
    if not inside(room.rect, place.rect):
        yield (*loc, "rect"), f"Room '{room.id}' {_list(room.rect)} is not inside '{place.id}' {_list(place.rect)}.", "Move or shrink it."
    for other in place.rooms:
        if other is room:
            break
        if overlap(other.rect, room.rect):
            what = f"Rooms '{other.id}' {_list(other.rect)} and '{room.id}' {_list(room.rect)} of '{place.id}' overlap."
            yield (*loc, "rect"), what, "Move or shrink one."
    yield from _twice((*loc, "objects"), [thing.id for thing in room.objects], "Object", f"in '{room.id}' of '{place.id}'", key="id")
    for k, thing in enumerate(room.objects):
        yield from _object((*loc, "objects", k), thing, room, file)


def _object(loc: Loc, thing: ObjectEntry, room: RoomEntry, file: TownFile) -> Iterator[Mistake]:
    kind = file.object_kinds.get(thing.kind)
    if kind is None:
        fix = did_you_mean(thing.kind, file.object_kinds) or "Use a kind of `object_kinds`, or add it there."
        yield (*loc, "kind"), f"There is no kind of object '{thing.kind[:60]}'.", fix
    elif kind.properties:
        yield from _facets((*loc, "state"), thing.state, kind, f"'{thing.id}'")
    else:
        yield from _state((*loc, "state"), thing.state, kind, thing.kind)
    if thing.at is None:
        if not (thing.on or thing.inside):
            yield (*loc, "at"), f"'{thing.id}' has no cell.", "Give it `at`, or say what it lies `on` or `inside`."
        return
    if not within(thing.at, room.rect):
        yield (
            (*loc, "at"),
            f"'{thing.id}' at {_list(thing.at)} is not in its room '{room.id}' {_list(room.rect)}.",
            "Move it into the room.",
        )
    for other in room.objects:
        if other is thing:
            break
        if other.at is not None and other.at == thing.at:
            yield (*loc, "at"), f"'{other.id}' and '{thing.id}' stand on the same cell {_list(thing.at)}.", "Move one."


def _properties(loc: Loc, kind: KindEntry, name: str) -> Iterator[Mistake]:
    """A kind with properties gets its states and actions from them, and may not list its own."""
    for key, given in (("states", kind.states), ("actions", kind.actions), ("incidents", kind.incidents)):
        if given:
            yield (*loc, key), f"'{name}' has `properties` and `{key}`.", f"Its properties give it states and actions: delete `{key}`."
    yield from _twice((*loc, "properties"), list(kind.properties), "Property", f"of '{name}'")
    yield from _facets((*loc, "state"), kind.state, kind, f"'{name}'")


def _facets(loc: Loc, state: str, kind: KindEntry, what: str) -> Iterator[Mistake]:
    known = [word for given in household.FACETS if given in kind.properties for word in household.FACETS[given]]
    for word in (word.strip() for word in state.split(",") if word.strip()):
        if word not in known:
            yield loc, f"{what} has no state '{word[:60]}'.", did_you_mean(word, known) or f"Use one of: {', '.join(known) or 'none'}."


def _household(file: TownFile) -> Iterator[Mistake]:
    """The things of a household need unique ids, since commands name them by id, and each must be in one place."""
    seen: set[str] = set()
    for i, place in enumerate(file.places):
        for j, room in enumerate(place.rooms):
            here = {thing.id: thing for thing in room.objects}
            for k, thing in enumerate(room.objects):
                loc: Loc = ("places", i, "rooms", j, "objects", k)
                kind = file.object_kinds.get(thing.kind)
                given = kind.properties if kind is not None else []
                if given and thing.id in seen:
                    yield (
                        (*loc, "id"),
                        f"There are two things '{thing.id}' in the household.",
                        "Commands name a thing by its id: rename one.",
                    )
                if given:
                    seen.add(thing.id)
                yield from _lies(loc, thing, given, file.object_kinds, here)


def _lies(
    loc: Loc, thing: ObjectEntry, given: Sequence[str], kinds: dict[str, KindEntry], here: dict[str, ObjectEntry]
) -> Iterator[Mistake]:
    wanted = [(key, where, what) for key, where, what in
              (("on", thing.on, "surface"), ("inside", thing.inside, "container"), ("beside", thing.beside, "")) if where]  # fmt: skip
    if len(wanted) > 1:
        yield loc, f"'{thing.id}' is in more than one place.", "Keep one of `on`, `inside` and `beside`."
    if wanted and wanted[0][0] != "beside" and thing.at is not None:
        yield (*loc, "at"), f"'{thing.id}' lies {wanted[0][0]} '{wanted[0][1]}' and has a cell.", "Delete one of them."
    if "grabbable" in given and not (thing.on or thing.inside):
        yield loc, f"'{thing.id}' can be grabbed but lies nowhere.", "Say what it lies `on` or `inside`."
    for key, where, what in wanted:
        if where not in here:
            yield (*loc, key), f"There is no '{where[:60]}' in the room of '{thing.id}'.", did_you_mean(where, here) or "Name one that is."
        elif not given or (what and (kind := kinds.get(here[where].kind)) is not None and what not in kind.properties):
            yield (*loc, key), f"Nothing can be put {key} '{where}'.", f"Make its kind a {what}." if given else "Give it `properties`."
        elif _circle(thing.id, here):
            yield (*loc, key), f"'{thing.id}' is {key} itself.", "Put it somewhere else."


def _circle(name: str, here: dict[str, ObjectEntry]) -> bool:
    """Whether an object lies on, in or beside itself by way of others."""
    seen, at = set(), name
    while at in here and at not in seen:
        seen.add(at)
        at = here[at].on or here[at].inside or here[at].beside
    return at in seen


def _overlaps(file: TownFile) -> Iterator[Mistake]:
    for i, place in enumerate(file.places):
        for other in file.places[:i]:
            if overlap(other.rect, place.rect):
                what = f"'{other.id}' {_list(other.rect)} and '{place.id}' {_list(place.rect)} overlap."
                yield ("places", i, "rect"), what, "Move or shrink one."


def _hours(loc: Loc, text: str) -> Iterator[Mistake]:
    try:
        hours(text)
    except ValueError:
        yield loc, f"'{text[:60]}' are not opening hours.", 'Write them like "08:00-17:00"; "20:00-02:00" goes past midnight.'


def _twice(loc: Loc, names: Sequence[str], what: str, where: str, key: str = "") -> Iterator[Mistake]:
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            yield (*loc, i, key) if key else (*loc, i), f"{what} '{name}' stands twice {where}".rstrip() + ".", "Rename or delete one."
        seen.add(name)


def _joins(floor: Floor, door: Cell) -> bool:
    """Whether a door has walkable cells on two opposite sides."""
    north, west, east, south = beside(door)
    return (floor.walkable(north) and floor.walkable(south)) or (floor.walkable(west) and floor.walkable(east))


def _touches(rect: Rect, cells: set[Cell]) -> bool:
    """Whether one of the cells lies in a rectangle."""
    x, y, width, height = rect
    return any((column, row) in cells for row in range(y, y + height) for column in range(x, x + width))


def _list(numbers: Sequence[int]) -> str:
    return "[" + ", ".join(str(number) for number in numbers) + "]"
