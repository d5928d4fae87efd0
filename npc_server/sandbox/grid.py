"""The cells of a town: which are walkable, which room each belongs to, and where to stand at an address."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.records import Address
from npc_server.world.floor import Floor, beside, cells_of, lay
from npc_server.world.town_records import Cell, Place, Room, Town, TownThing


class Grid:
    """The floor of a town with the address of each cell."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.floor: Floor = lay(town)
        self.places: dict[Address, Place] = {place.address: place for place in town.places}
        self.rooms: dict[Address, Room] = {room.address: room for room in town.rooms()}
        self.things: dict[Address, TownThing] = {thing.address: thing for thing in town.things()}
        self._address: dict[Cell, Address] = {}
        self._standing: dict[Address, list[Cell]] = {}
        for place in town.places:
            for door in place.doors:
                self._address[door] = place.address
            for room in place.rooms:
                for cell in cells_of(room.rect):
                    self._address[cell] = room.address

        every = ((x, y) for y in range(town.height) for x in range(town.width))
        by_address: dict[Address, list[Cell]] = {}
        for cell in every:
            if self.floor.walkable(cell):
                by_address.setdefault(self.address(cell), []).append(cell)
        self._walkable: dict[Address, frozenset[Cell]] = {address: frozenset(cells) for address, cells in by_address.items()}

    def walkable(self, cell: Cell) -> bool:
        return self.floor.walkable(cell)

    def cells_where(self, allowed: Callable[[Address], bool]) -> frozenset[Cell]:
        """Returns the walkable cells at all allowed addresses."""
        return frozenset().union(*(cells for address, cells in self._walkable.items() if allowed(address)))

    def address(self, cell: Cell) -> Address:
        """Returns the room of a cell. The threshold of a door belongs to the building, and open ground to the town."""
        return self._address.get(cell, self.town.id)

    def room_cells(self, room: Room) -> list[Cell]:
        """Returns the cells of a room to stand on, nearest to its middle first."""
        x, y, width, height = room.rect
        cells = [cell for cell in cells_of(room.rect) if self.walkable(cell)]
        # Distances are doubled to stay whole numbers. Equal distances are sorted by row, then column.
        return sorted(cells, key=lambda c: (abs(2 * c[0] + 1 - 2 * x - width) + abs(2 * c[1] + 1 - 2 * y - height), c[1], c[0]))

    def thing_cells(self, thing: TownThing) -> list[Cell]:
        """Returns the cells beside an object in its room, from which it can be used."""
        room = thing.address.rpartition(":")[0]
        return [cell for cell in beside(thing.cell) if self.walkable(cell) and self.address(cell) == room]

    def standing_cells(self, address: Address) -> list[Cell]:
        """Returns the cells to stand on at an address, best first. Empty for the town and unknown addresses. Do not change the list."""
        # Each place of a path query needs this, and the cells never change, so they are cached.
        if address not in self._standing:
            found = self._find_standing(address)
            if not found:
                return found
            self._standing[address] = found
        return self._standing[address]

    def _find_standing(self, address: Address) -> list[Cell]:
        if address in self.things:
            return self.thing_cells(self.things[address])
        if address in self.rooms:
            return self.room_cells(self.rooms[address])
        if address in self.places:
            return [cell for room in self.places[address].rooms for cell in self.room_cells(room)]
        return []

    def metres(self, a: Cell, b: Cell) -> float:
        """Returns the straight distance between the middles of two cells, in metres."""
        dx, dy = a[0] - b[0], a[1] - b[1]
        return float((dx * dx + dy * dy) ** 0.5 * self.town.cell_m)
