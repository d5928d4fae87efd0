from __future__ import annotations

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.sandbox.astar import cells_as_bits, find_path, rings, steps_to
from npc_server.world.floor import beside
from npc_server.world.town_records import Cell

SIDE = 9


def _cells(walls: frozenset[Cell]) -> set[Cell]:
    return {(x, y) for x in range(SIDE) for y in range(SIDE)} - walls


def _steps_by_breadth(free: set[Cell], start: Cell, goals: set[Cell]) -> int | None:
    steps = {start: 0}
    waiting = deque([start])
    while waiting:
        cell = waiting.popleft()
        if cell in goals:
            return steps[cell]
        for near in beside(cell):
            if near in free and near not in steps:
                steps[near] = steps[cell] + 1
                waiting.append(near)
    return None


_CELL = st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1))


@settings(max_examples=100, deadline=None)
@given(walls=st.frozensets(_CELL, max_size=45), start=_CELL, goals=st.sets(_CELL, max_size=4))
def test_path_is_connected_walkable_and_as_short_as_breadth_first_search_finds(
    walls: frozenset[Cell], start: Cell, goals: set[Cell]
) -> None:
    free = _cells(walls)
    path = find_path(free, start, goals)
    shortest = _steps_by_breadth(free, start, goals)
    if shortest is None:
        assert path is None
        return
    assert path is not None
    assert len(path) == shortest
    assert ([start, *path])[-1] in goals
    for before, after in zip([start, *path], path, strict=False):
        assert after in beside(before)
        assert after in free


def test_path_goes_around_a_wall() -> None:
    wall = frozenset((4, y) for y in range(8))
    path = find_path(_cells(wall), (2, 0), [(6, 0)])
    assert path is not None
    assert len(path) == 20
    assert (4, 8) in path


def test_same_question_gives_the_same_path() -> None:
    free = _cells(frozenset())
    assert find_path(free, (0, 0), [(8, 8)]) == find_path(free, (0, 0), [(8, 8)])


@settings(max_examples=60, deadline=None)
@given(walls=st.frozensets(_CELL, max_size=45), start=_CELL, goals=st.sets(_CELL, max_size=4))
def test_distance_to_many_agrees_with_the_path_to_each(walls: frozenset[Cell], start: Cell, goals: set[Cell]) -> None:
    free = _cells(walls)
    around = rings(cells_as_bits(free, SIDE), cells_as_bits([start], SIDE), SIDE)
    for wanted in [goals, *([goal] for goal in goals)]:
        path = find_path(free, start, wanted)
        assert steps_to(around, cells_as_bits(wanted, SIDE)) == (None if path is None else len(path))
