"""A town as frozen records, with complete addresses. `town.load_town` makes one from a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from npc_server.records import Address, GameTime, NpcId
from npc_server.world.tree import Node, NodeKind, ObjectAction

Cell = tuple[int, int]
"""x and y in cells from the top left of the town."""
Rect = tuple[int, int, int, int]
"""x, y, width and height in cells from the top left of the town."""


@dataclass(frozen=True)
class Incident:
    """What goes wrong with an object after an action, at random or after a number of times."""

    action: str
    becomes: str
    """The state in which it leaves the object."""
    chance: float = 0.0
    """Probability each time, 0 to 1."""
    every: int = 0
    """After how many times it happens; 0 if it happens at random."""


@dataclass(frozen=True)
class TownThing:
    """An object. Its cell is its own, or that of the object it lies on or in."""

    address: Address
    kind: str
    name: str
    description: str
    cell: Cell
    state: str
    states: tuple[str, ...]
    actions: tuple[ObjectAction, ...]
    capacity: int
    incidents: tuple[Incident, ...] = ()
    properties: tuple[str, ...] = ()
    """Its properties, if it belongs to a household; see `household.PROPERTIES`."""


@dataclass(frozen=True)
class Room:
    """A room, or a part of an open place. Capacity 0 is no limit, hours are seconds since midnight, and without owners it is public.

    `preposition` is as in `Node`.
    """

    address: Address
    name: str
    description: str
    rect: Rect
    capacity: int
    hours: tuple[int, int] | None
    owners: tuple[NpcId, ...]
    things: tuple[TownThing, ...]
    preposition: str = ""


@dataclass(frozen=True)
class Place:
    """A building with walls and doors, or an open place. Capacity, hours, owners and preposition are as in `Room`."""

    address: Address
    name: str
    description: str
    rect: Rect
    doors: tuple[Cell, ...]
    open: bool
    capacity: int
    hours: tuple[int, int] | None
    owners: tuple[NpcId, ...]
    rooms: tuple[Room, ...]
    preposition: str = ""


@dataclass(frozen=True)
class Faction:
    """A group of people who share knowledge."""

    id: str
    name: str
    members: tuple[NpcId, ...]
    knowledge: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """An idea that the inner voice gives to one person, to see how it spreads."""

    id: str
    kind: Literal["party", "news"]
    starter: NpcId
    whisper: str
    about: tuple[str, ...]
    """Words, one of which appears when somebody speaks of the story."""
    where: Address = ""
    start: GameTime = 0
    end: GameTime = 0


@dataclass(frozen=True)
class Town:
    """Everything that a town file says."""

    id: str
    name: str
    start: GameTime
    cell_m: float
    """Length of a cell's side, in metres."""
    width: int
    height: int
    paths: tuple[Rect, ...]
    places: tuple[Place, ...]
    knowledge: tuple[str, ...] = ()
    factions: tuple[Faction, ...] = ()
    stories: tuple[Story, ...] = ()
    warnings: tuple[str, ...] = ()

    def rooms(self) -> Iterator[Room]:
        """The rooms of all places."""
        for place in self.places:
            yield from place.rooms

    def things(self) -> Iterator[TownThing]:
        """The objects of all rooms."""
        for room in self.rooms():
            yield from room.things

    def nodes(self) -> list[Node]:
        """The nodes of the environment tree (`World`). Parents come before their children."""
        nodes = [Node(self.id, NodeKind.WORLD, self.name)]
        for place in self.places:
            nodes.append(_place_node(place, NodeKind.SECTOR))
            for room in place.rooms:
                nodes.append(_place_node(room, NodeKind.ARENA))
                nodes += [_thing_node(thing) for thing in room.things]
        return nodes


def _place_node(place: Place | Room, kind: NodeKind) -> Node:
    return Node(
        address=place.address,
        kind=kind,
        name=place.name,
        description=place.description,
        capacity=place.capacity,
        hours=place.hours,
        owners=place.owners,
        preposition=place.preposition,
    )


def _thing_node(thing: TownThing) -> Node:
    return Node(
        address=thing.address,
        kind=NodeKind.OBJECT,
        name=thing.name,
        description=thing.description,
        state=thing.state,
        states=thing.states,
        actions=thing.actions,
        capacity=thing.capacity,
    )
