"""A town as frozen records: every address, cell and opening hour. `town.load_town` makes one from a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from npc_server.records import Address, GameTime, NpcId
from npc_server.world.tree import Node, NodeKind, ObjectAction

Cell = tuple[int, int]
Rect = tuple[int, int, int, int]
"""x, y, width, height in cells from the top left."""


@dataclass(frozen=True)
class Incident:
    """What goes wrong with an object after an action, by chance or every so many times."""

    action: str
    becomes: str
    chance: float = 0.0
    every: int = 0


@dataclass(frozen=True)
class TownThing:
    """An object, on one cell: its own, or that of what it lies on or in."""

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
    """Of a household; see `household`."""


@dataclass(frozen=True)
class Room:
    """A room, or a part of an open place."""

    address: Address
    name: str
    description: str
    rect: Rect
    capacity: int
    hours: tuple[int, int] | None
    owners: tuple[NpcId, ...]
    things: tuple[TownThing, ...]


@dataclass(frozen=True)
class Place:
    """A building with walls and doors, or an open place."""

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


@dataclass(frozen=True)
class Faction:
    """People who know something together."""

    id: str
    name: str
    members: tuple[NpcId, ...]
    knowledge: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """Something one person is told by its inner voice, to see how it spreads."""

    id: str
    kind: Literal["party", "news"]
    starter: NpcId
    whisper: str
    about: tuple[str, ...]
    """Words of which one names the story when somebody speaks of it."""
    where: Address = ""
    start: GameTime = 0
    end: GameTime = 0


@dataclass(frozen=True)
class Town:
    """Everything a town file says."""

    id: str
    name: str
    start: GameTime
    cell_m: float
    """Metres of one cell's side."""
    width: int
    height: int
    paths: tuple[Rect, ...]
    places: tuple[Place, ...]
    knowledge: tuple[str, ...] = ()
    factions: tuple[Faction, ...] = ()
    stories: tuple[Story, ...] = ()
    warnings: tuple[str, ...] = ()

    def rooms(self) -> Iterator[Room]:
        for place in self.places:
            yield from place.rooms

    def things(self) -> Iterator[TownThing]:
        for room in self.rooms():
            yield from room.things

    def nodes(self) -> list[Node]:
        """The tree for `World`, parents first."""
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
