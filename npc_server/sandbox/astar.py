"""Finds shortest paths over a grid with A*, and the distance of the nearest goal. Results are the same each time."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Collection, Sequence, Set

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


def cells_as_bits(cells: Collection[Cell], width: int) -> int:
    """Returns cells of a grid as one whole number, with a bit for each cell, and a bit at the end of each row that no cell has."""
    found = bytearray(1)
    for x, y in cells:
        at = y * (width + 1) + x
        if at >> 3 >= len(found):
            found.extend(bytes((at >> 3) + 1 - len(found)))
        found[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(found, "little")


def rings(walkable: int, start: int, width: int) -> list[int]:
    """Returns the cells within 0 steps of `start`, within 1 step, and so on until there are no more. All are bits of `cells_as_bits`.

    Python shifts and joins thousands of bits at once, so a large town takes a millisecond, and not thirty.
    """
    reached, found = start, [start]
    while True:
        wider = reached | (reached << 1 | reached >> 1 | reached << width + 1 | reached >> width + 1) & walkable
        if wider == reached:
            return found
        found.append(wider)
        reached = wider


def steps_to(around: Sequence[int], goals: int) -> int | None:
    """Returns the steps to the nearest of the goals, given the `rings` around the start. None if there is no path."""
    steps = bisect_left(around, True, key=lambda ring: bool(ring & goals))
    return steps if steps < len(around) else None


def _trace(came: dict[Cell, Cell], end: Cell) -> list[Cell]:
    path = [end]
    while came[path[-1]] != path[-1]:
        path.append(came[path[-1]])
    path.reverse()
    return path[1:]
