from __future__ import annotations

from npc_server.sandbox.grid import Grid
from npc_server.world.town import load_town
from tests.world.towns import document


def _grid() -> Grid:
    return Grid(load_town(document()))


def test_every_cell_has_an_address() -> None:
    grid = _grid()
    assert grid.address((3, 3)) == "hamlet:hut:room"
    assert grid.address((3, 5)) == "hamlet:hut"
    assert grid.address((0, 0)) == "hamlet"
    assert grid.address((8, 1)) == "hamlet:yard:grass"


def test_object_is_used_from_a_free_cell_beside_it_in_its_room() -> None:
    assert sorted(_grid().standing_cells("hamlet:hut:room:bed")) == [(2, 3), (3, 2)]


def test_room_is_entered_towards_its_middle() -> None:
    cells = _grid().standing_cells("hamlet:hut:room")
    assert cells[0] == (3, 3)
    assert (2, 2) not in cells
    assert len(cells) == 11


def test_place_offers_the_cells_of_its_rooms_and_the_town_none() -> None:
    grid = _grid()
    assert grid.standing_cells("hamlet:hut") == grid.standing_cells("hamlet:hut:room")
    assert grid.standing_cells("hamlet") == []
    assert grid.standing_cells("hamlet:inn") == []


def test_distance_counts_metres_not_cells() -> None:
    from tests.world.towns import HAMLET

    grid = Grid(load_town(document(HAMLET.replace("size: [12, 9]", "size: [12, 9]\ncell_m: 2"))))
    assert grid.metres((0, 0), (3, 4)) == 10.0
