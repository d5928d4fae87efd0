"""Finds where each person may walk, and how far it is."""

from __future__ import annotations

from array import array
from collections.abc import Collection

from npc_server.records import NpcId
from npc_server.sandbox import access
from npc_server.sandbox.astar import find_path, steps_to
from npc_server.sandbox.body import Body
from npc_server.sandbox.grid import Grid
from npc_server.world.town_records import Cell
from npc_server.world.tree import World, lineage

NO_WAY = 0xFFFFFFFF
"""Stands for the steps to an unreachable cell."""
KEPT_STEPS = 16_000_000
"""Most distances in the cache, four bytes each. The oldest are dropped."""


class Ways:
    """The paths of a town. Walls and owners never change, so results are cached."""

    def __init__(self, grid: Grid, world: World) -> None:
        self._grid = grid
        self._world = world
        self._open_to: dict[NpcId, frozenset[Cell]] = {}
        self._away: dict[tuple[NpcId, Cell], array[int]] = {}

    def path(self, body: Body, goals: Collection[Cell]) -> list[Cell] | None:
        """Returns the cells of the path to the nearest goal. None if there is no path."""
        return find_path(self._cells(body), body.cell, goals)

    def steps(self, body: Body, goals: Collection[Cell]) -> int:
        """Returns the steps to the nearest goal, or NO_WAY if there is no path."""
        away, width = self._distances(body), self._grid.town.width
        return min((away[y * width + x] for x, y in goals), default=NO_WAY)

    def _cells(self, body: Body) -> frozenset[Cell]:
        """Returns the cells where a person may walk. Everybody may leave the place they are in."""
        if body.npc not in self._open_to:
            self._open_to[body.npc] = self._grid.cells_where(lambda address: access.passable(self._world, body.npc, address))
        cells = self._open_to[body.npc]
        if body.cell in cells:
            return cells
        here = lineage(body.room)
        return cells | self._grid.cells_where(lambda address: address in here)

    def _distances(self, body: Body) -> array[int]:
        """Returns the steps to each cell, row by row."""
        found = self._away.get((body.npc, body.cell))
        if found is None:
            town, cells = self._grid.town, self._cells(body)
            found = self._away[body.npc, body.cell] = array("I", [NO_WAY]) * (town.width * town.height)
            while len(self._away) > max(1, KEPT_STEPS // len(found)):
                del self._away[next(iter(self._away))]
            for (x, y), steps in steps_to(cells, body.cell, cells).items():
                found[y * town.width + x] = steps
        return found
