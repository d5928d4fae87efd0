"""Finds shortest paths over a grid with A*, and the distances of many goals. Results are the same each time."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Set

from npc_server.world.floor import beside
from npc_server.world.town_records import Cell


def find_path(walkable: Set[Cell], start: Cell, goals: Collection[Cell]) -> list[Cell] | None:
    """Returns the cells after `start` up to the nearest goal, without diagonals. None if there is no path.

    `start` itself need not be walkable. Among equally long paths the order of neighbours decides: north, west, east, south.
    """
    wanted = set(goals)
    if start in wanted:
        return []
    if not wanted:
        return None
    left, right = min(x for x, _ in wanted), max(x for x, _ in wanted)
    top, bottom = min(y for _, y in wanted), max(y for _, y in wanted)

    def at_least(cell: Cell) -> int:
        """Returns the steps to the bounding box of the goals, which are never more than the real ones."""
        x, y = cell
        return max(left - x, 0, x - right) + max(top - y, 0, y - bottom)

    came: dict[Cell, Cell] = {start: start}
    cost: dict[Cell, int] = {start: 0}
    # The count breaks ties: of equal cells, the one that was found first is expanded first.
    count = 0
    heap: list[tuple[int, int, Cell]] = [(at_least(start), count, start)]
    while heap:
        estimate, _, cell = heapq.heappop(heap)
        if cell in wanted:
            return _trace(came, cell)
        if estimate > cost[cell] + at_least(cell):
            continue
        for near in beside(cell):
            steps = cost[cell] + 1
            if near in walkable and steps < cost.get(near, steps + 1):
                cost[near] = steps
                came[near] = cell
                count += 1
                heapq.heappush(heap, (steps + at_least(near), count, near))
    return None


def steps_to(walkable: Set[Cell], start: Cell, goals: Collection[Cell]) -> dict[Cell, int]:
    """Returns the steps to each reachable goal, found in one search. Other cells may be included."""
    steps = {start: 0}
    missing = {goal for goal in goals if goal in walkable} - {start}
    edge = [start]
    count = 0
    while edge and missing:
        count += 1
        reached: list[Cell] = []
        for x, y in edge:
            # These are the cells of `beside`. A call would be too slow, as a town of 25 people needs millions.
            for near in ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)):
                if near in walkable and near not in steps:
                    steps[near] = count
                    reached.append(near)
        missing.difference_update(reached)
        edge = reached
    return steps


def _trace(came: dict[Cell, Cell], end: Cell) -> list[Cell]:
    path = [end]
    while came[path[-1]] != path[-1]:
        path.append(came[path[-1]])
    path.reverse()
    return path[1:]
