"""Drawing a town as the server's own world tree, with objects whose actions an activity may need."""

from __future__ import annotations

from dataclasses import dataclass

from models.nano.draw import Draw, content
from models.nano.people import Someone
from npc_server.world.knowledge import Knowledge, Seen
from npc_server.world.tree import Node, NodeKind, ObjectAction, World

SECTORS = (
    "cafe",
    "shop",
    "workshop",
    "house",
    "inn",
    "tavern",
    "school",
    "clinic",
    "chapel",
    "farm",
    "green",
    "harbour",
    "library",
    "hall",
    "castle",
    "station",
    "deck",
    "market",
    "park",
    "tower",
    "mill",
    "lab",
    "college",
    "square",
)
ROOMS = (
    "kitchen",
    "bedroom",
    "bathroom",
    "dining_room",
    "main_room",
    "yard",
    "garden",
    "cellar",
    "office",
    "back_room",
    "hall",
    "storage",
    "lawn",
    "corridor",
    "cabin",
    "classroom",
    "bar_room",
    "attic",
)
AT_HOME = {
    "bed": "bedroom",
    "wardrobe": "bedroom",
    "shower": "bathroom",
    "washbasin": "bathroom",
    "toilet": "bathroom",
    "stove": "kitchen",
    "oven": "kitchen",
    "refrigerator": "kitchen",
    "sink": "kitchen",
    "coffee machine": "kitchen",
}


@dataclass(frozen=True)
class Thing:
    """An object in the town, and its kind in the bank."""

    kind: str
    node: Node


@dataclass(frozen=True)
class Way:
    """A way to do an activity: an action of a kind of object."""

    kind: str
    action: str
    needs: str
    sign: str
    says: tuple[str, ...]


def all_ways() -> dict[tuple[str, str], Way]:
    found: dict[tuple[str, str], Way] = {}
    for kind, spec in content()["objects"].items():
        for action, (needs, sign, says) in spec["do"].items():
            found[kind, action] = Way(kind, action, "" if needs == "-" else needs, sign, tuple(says))
    return found


class TownBuilder:
    """A town while it is built. Sectors and rooms come with the objects that are put into them."""

    def __init__(self, draw: Draw, me: Someone) -> None:
        self.draw, self.me = draw, me
        self.root = draw.word().lower()
        self.nodes: dict[str, Node] = {self.root: Node(self.root, NodeKind.WORLD, self.root.capitalize())}
        self.things: list[Thing] = []
        self.home = f"{self.root}:{self._owner()}"

    def _owner(self) -> str:
        return f"{self.me.first.lower()}_{self.draw.one(('house', 'room', 'cabin', 'cottage', 'home'))}"

    def put(self, kind: str, *, at_home: bool = False, state: str = "") -> Thing:
        """Adds an object of a kind in a room of the town, with its usual state unless one is given."""
        draw, spec = self.draw, content()["objects"][kind]
        name = draw.one(spec["names"])
        sector = self.home if at_home else f"{self.root}:{self._sector()}"
        room = f"{sector}:{AT_HOME.get(kind, draw.one(ROOMS)) if draw.chance(0.75) else draw.one(ROOMS)}"
        address = f"{room}:{name.replace(' ', '_')}"
        while address in self.nodes:
            address += draw.one(("_2", "_b", "_left"))
        for place, level in ((sector, NodeKind.SECTOR), (room, NodeKind.ARENA)):
            self.nodes.setdefault(place, Node(place, level, place.split(":")[-1].replace("_", " ")))
        states = tuple(s for s in spec["states"] if s)
        actions = tuple(ObjectAction(action, "" if needs == "-" else needs) for action, (needs, _, _) in spec["do"].items())
        node = Node(
            address,
            NodeKind.OBJECT,
            name,
            "",
            (state or draw.one((states[0], states[0], draw.one(states)))) if states else "",
            states,
            actions,
        )
        self.nodes[address] = node
        thing = Thing(kind, node)
        self.things.append(thing)
        return thing

    def _sector(self) -> str:
        draw = self.draw
        known = [a.split(":")[1] for a, node in self.nodes.items() if node.kind is NodeKind.SECTOR]
        if known and draw.chance(0.4):
            return draw.one(known)
        return draw.one(SECTORS) if draw.chance(0.5) else f"{draw.word().lower()}_{draw.one(SECTORS)}"

    def show_all(self) -> None:
        """Lets the person know all of the town."""
        self.me.world = World(self.nodes.values())
        self.me.known = Knowledge([Seen(node.address, node.state, 0) for node in self.nodes.values()])
