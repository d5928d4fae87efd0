"""Where each person may walk, and how far it is."""

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
"""Steps to where one cannot walk."""
KEPT_STEPS = 16_000_000
"""Distances that are kept, four bytes each; the oldest go."""


class Ways:
    """The ways of a town. Walls do not move and houses keep their owners, so what was found once is kept."""

    def __init__(self, grid: Grid, world: World) -> None:
        self._grid = grid
        self._world = world
        self._open_to: dict[NpcId, frozenset[Cell]] = {}
        self._away: dict[tuple[NpcId, Cell], array[int]] = {}

    def path(self, body: Body, goals: Collection[Cell]) -> list[Cell] | None:
        """The cells up to the nearest goal; empty when the body stands there, None when there is no way."""
        return find_path(self._cells(body), body.cell, goals)

    def steps(self, body: Body, goals: Collection[Cell]) -> int:
        """How many steps the nearest goal is away; NO_WAY when there is no way."""
        away, width = self._distances(body), self._grid.town.width
        return min((away[y * width + x] for x, y in goals), default=NO_WAY)

    def _cells(self, body: Body) -> frozenset[Cell]:
        """Where a person may walk. Who is somewhere may leave it, whoever owns it."""
        if body.npc not in self._open_to:
            self._open_to[body.npc] = self._grid.cells_where(lambda address: access.passable(self._world, body.npc, address))
        cells = self._open_to[body.npc]
        if body.cell in cells:
            return cells
        here = lineage(body.room)
        return cells | self._grid.cells_where(lambda address: address in here)

    def _distances(self, body: Body) -> array[int]:
        """How many steps each cell is away, row by row."""
        found = self._away.get((body.npc, body.cell))
        if found is None:
            town, cells = self._grid.town, self._cells(body)
            found = self._away[body.npc, body.cell] = array("I", [NO_WAY]) * (town.width * town.height)
            while len(self._away) > max(1, KEPT_STEPS // len(found)):
                del self._away[next(iter(self._away))]
            for (x, y), steps in steps_to(cells, body.cell, cells).items():
                found[y * town.width + x] = steps
        return found
