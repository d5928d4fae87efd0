"""Finds where each person may walk, and how far it is."""

from __future__ import annotations

from collections.abc import Collection

from npc_server.records import NpcId
from npc_server.sandbox import access
from npc_server.sandbox.astar import cells_as_bits, find_path, rings, steps_to
from npc_server.sandbox.body import Body
from npc_server.sandbox.grid import Grid
from npc_server.world.town_records import Cell
from npc_server.world.tree import World, lineage

KEPT_STARTS = 64
"""Cells around which distances are cached, about half a megabyte each in a large town. The oldest are dropped."""


class Ways:
    """The paths of a town. Walls and owners never change, so results are cached."""

    def __init__(self, grid: Grid, world: World) -> None:
        self._grid = grid
        self._world = world
        self._open_to: dict[NpcId, frozenset[Cell]] = {}
        self._bits: dict[NpcId, int] = {}
        """`_open_to`, as bits."""
        self._around: dict[tuple[NpcId, Cell], list[int]] = {}

    def path(self, body: Body, goals: Collection[Cell]) -> list[Cell] | None:
        """Returns the cells of the path to the nearest goal. None if there is no path."""
        return find_path(self._cells(body), body.cell, goals)

    def steps(self, body: Body, goals: Collection[Cell]) -> int | None:
        """Returns the steps to the nearest goal. None if there is no path."""
        return steps_to(self._rings(body), cells_as_bits(goals, self._grid.town.width))

    def _cells(self, body: Body) -> frozenset[Cell]:
        """Returns the cells where a person may walk. Everybody may leave the place they are in."""
        if body.npc not in self._open_to:
            self._open_to[body.npc] = self._grid.cells_where(lambda address: access.passable(self._world, body.npc, address))
        cells = self._open_to[body.npc]
        if body.cell in cells:
            return cells
        here = lineage(body.room)
        return cells | self._grid.cells_where(lambda address: address in here)

    def _rings(self, body: Body) -> list[int]:
        """Returns the cells within each number of steps; see `astar.rings`."""
        found = self._around.get((body.npc, body.cell))
        if found is None:
            width, cells = self._grid.town.width, self._cells(body)
            if cells is not self._open_to[body.npc]:
                walkable = cells_as_bits(cells, width)
            else:
                walkable = self._bits[body.npc] = self._bits.get(body.npc) or cells_as_bits(cells, width)
            while len(self._around) >= KEPT_STARTS:
                del self._around[next(iter(self._around))]
            found = self._around[body.npc, body.cell] = rings(walkable, cells_as_bits([body.cell], width), width)
        return found
