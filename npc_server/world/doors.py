"""Gives buildings the doors that they lack, so that people can walk to every room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from npc_server.world.floor import Floor, Surface, lay, within
from npc_server.world.town_records import Cell, Place, Room, Town

SIDES: tuple[Cell, ...] = ((0, 1), (-1, 0), (1, 0), (0, -1))
"""South first: a front door that faces whoever looks at the map."""


def with_doors(town: Town) -> Town:
    """Return the town with a door for each room that nobody can walk to. Where no straight way leads out of a room, it gets none."""
    for _ in range(sum(1 for _ in town.rooms())):
        floor = lay(town)
        mainland = floor.mainland()
        places = tuple(_with_door(place, floor, mainland) for place in town.places)
        if places == town.places:
            break
        town = replace(town, places=places)
    return town


def _with_door(place: Place, floor: Floor, mainland: set[Cell]) -> Place:
    """The place with one door more, the shortest that leads to a room which nobody can walk to."""
    shut = [room for room in place.rooms if not _reached(room, mainland)]
    ways = [way for room in shut for way in _ways(floor, place, room, mainland)]
    return replace(place, doors=(*place.doors, *min(ways, key=len))) if ways else place


def _reached(room: Room, mainland: set[Cell]) -> bool:
    x, y, width, height = room.rect
    return any((column, row) in mainland for column in range(x, x + width) for row in range(y, y + height))


def _ways(floor: Floor, place: Place, room: Room, mainland: set[Cell]) -> Iterator[tuple[Cell, ...]]:
    """The wall cells of each straight way from the room to where people walk. Those from the middle of a side come first."""
    x, y, width, height = room.rect
    for step_x, step_y in SIDES:
        along = width if step_y else height
        for offset in sorted(range(along), key=lambda at: abs(2 * at + 1 - along)):
            column = x + offset if step_y else (x - 1 if step_x < 0 else x + width)
            row = y + offset if step_x else (y - 1 if step_y < 0 else y + height)
            if not floor.walkable((column - step_x, row - step_y)):
                continue  # An object stands in front of it.
            way: list[Cell] = []
            while within((column, row), place.rect) and floor[column, row] is Surface.WALL:
                way.append((column, row))
                column, row = column + step_x, row + step_y
            if way and (column, row) in mainland:
                yield tuple(way)
