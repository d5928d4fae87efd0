"""The floor of a town: what each cell is made of, and where people can walk."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from enum import IntEnum

from npc_server.world.town_records import Cell, Rect, Town


class Surface(IntEnum):
    """What a cell is made of. People can walk on all but walls and objects."""

    GROUND = 0
    PATH = 1
    OPEN = 2
    """A cell of a place without walls."""
    WALL = 3
    ROOM = 4
    DOOR = 5
    THING = 6


WALKABLE = frozenset({Surface.GROUND, Surface.PATH, Surface.OPEN, Surface.ROOM, Surface.DOOR})


def cells_of(rect: Rect) -> Iterator[Cell]:
    """Every cell of a rectangle, row by row from the top left."""
    x, y, width, height = rect
    for row in range(y, y + height):
        for column in range(x, x + width):
            yield column, row


def inside(inner: Rect, outer: Rect, margin: int = 0) -> bool:
    """Whether `inner` lies in `outer`, at least `margin` cells from its edge."""
    return (
        inner[0] >= outer[0] + margin
        and inner[1] >= outer[1] + margin
        and inner[0] + inner[2] <= outer[0] + outer[2] - margin
        and inner[1] + inner[3] <= outer[1] + outer[3] - margin
    )


def overlap(a: Rect, b: Rect) -> bool:
    """Whether two rectangles share a cell."""
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def within(cell: Cell, rect: Rect) -> bool:
    """Whether a cell lies in a rectangle."""
    return rect[0] <= cell[0] < rect[0] + rect[2] and rect[1] <= cell[1] < rect[1] + rect[3]


def beside(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """The four neighbours of a cell: north, west, east, south."""
    x, y = cell
    return (x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)


class Floor:
    """The surface of each cell. Cells outside the town count as wall."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._rows = [[Surface.GROUND] * width for _ in range(height)]

    def __getitem__(self, cell: Cell) -> Surface:
        x, y = cell
        return self._rows[y][x] if 0 <= x < self.width and 0 <= y < self.height else Surface.WALL

    def fill(self, rect: Rect, surface: Surface) -> None:
        """Gives all cells of a rectangle a surface. Cells outside the town are ignored."""
        x, y, width, height = rect
        for row in self._rows[max(y, 0) : y + height]:
            stop = min(x + width, self.width)
            row[x:stop] = [surface] * max(stop - x, 0)

    def walkable(self, cell: Cell) -> bool:
        """Whether people can walk on a cell."""
        return self[cell] in WALKABLE

    def reachable(self, start: Cell) -> set[Cell]:
        """Every cell that can be reached on foot from `start`. Empty if nobody can stand there."""
        if not self.walkable(start):
            return set()
        seen = {start}
        waiting = deque([start])
        while waiting:
            for cell in beside(waiting.popleft()):
                if cell not in seen and self.walkable(cell):
                    seen.add(cell)
                    waiting.append(cell)
        return seen

    def mainland(self) -> set[Cell]:
        """The largest connected set of walkable cells. Of two equally large ones, it is the first from the top left."""
        best: set[Cell] = set()
        done: set[Cell] = set()
        for y in range(self.height):
            for x in range(self.width):
                if (x, y) not in done and self.walkable((x, y)):
                    part = self.reachable((x, y))
                    done |= part
                    if len(part) > len(best):
                        best = part
        return best


def lay(town: Town) -> Floor:
    """Makes the floor of a town. Later layers cover earlier ones: paths, open places, buildings with rooms and doors, objects."""
    floor = Floor(town.width, town.height)
    for path in town.paths:
        floor.fill(path, Surface.PATH)
    for place in town.places:
        if place.open:
            for room in place.rooms:
                # A path that crosses a green stays a path.
                for cell in cells_of(room.rect):
                    if floor[cell] is Surface.GROUND:
                        floor.fill((*cell, 1, 1), Surface.OPEN)
        else:
            floor.fill(place.rect, Surface.WALL)
            for room in place.rooms:
                floor.fill(room.rect, Surface.ROOM)
        for door in place.doors:
            floor.fill((*door, 1, 1), Surface.DOOR)
        for room in place.rooms:
            for thing in room.things:
                floor.fill((*thing.cell, 1, 1), Surface.THING)
    return floor
