"""The environment as a tree of world, sectors, arenas and objects (Generative Agents, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from npc_server import clock
from npc_server.errors import BadInput, UnknownName
from npc_server.records import Address, GameTime, Need, NpcId


class NodeKind(str, Enum):
    """The level of a node in the tree."""

    WORLD = "world"
    SECTOR = "sector"
    ARENA = "arena"
    OBJECT = "object"


@dataclass(frozen=True)
class ObjectAction:
    """Something that a person can do with an object."""

    name: str
    """A verb phrase: `cook`, `switch on`."""
    needs: str = ""
    """The state in which the object must be; empty for any."""
    during: str = ""
    """The object's state while somebody does it; empty for no change."""
    after: str = ""
    """The object's state afterwards; empty for the state before."""
    first: str = ""
    """An activity that must come before, at another place: `buy food` before a refrigerator is filled."""
    fills: tuple[tuple[Need, float], ...] = ()
    """The needs that it fills, each with its points per game hour."""


@dataclass(frozen=True)
class Node:
    """A place or object."""

    address: Address
    kind: NodeKind
    name: str
    description: str = ""
    state: str = ""
    states: tuple[str, ...] = ()
    actions: tuple[ObjectAction, ...] = ()
    capacity: int = 0
    """How many people fit in or can use it at once; 0 for no limit."""
    hours: tuple[int, int] | None = None
    """Opening hours in seconds since midnight; None for always."""
    owners: tuple[NpcId, ...] = ()
    """Who may enter a private place; empty for everybody."""
    preposition: str = ""
    """The word before its name that says where something is: `on` for a lawn, `at` for a pond side. Empty for `in`."""

    def ordinary_states(self) -> frozenset[str]:
        """States that belong to every day: the first of `states`, and those that its use brings about. Fire is none."""
        used = {state for action in self.actions for state in (action.during, action.after) if state}
        return frozenset({*self.states[:1], *used})

    def resting_state(self) -> str:
        """The state it has while nobody uses it: its own, or while somebody uses it the first of `states` that is no use of it."""
        in_use = {action.during for action in self.actions if action.during}
        if self.state not in in_use:
            return self.state
        return next((state for state in self.states if state not in in_use), self.state)

    def open_at(self, at: GameTime) -> bool:
        """Whether it is open at a game time. Opening hours may go past midnight."""
        if self.hours is None:
            return True
        opens, closes = self.hours
        second = at % clock.DAY
        return opens <= second < closes if opens <= closes else second >= opens or second < closes


def parent(address: Address) -> Address:
    """The address one level up. It is empty for the root."""
    return address.rpartition(":")[0]


def lineage(address: Address) -> list[Address]:
    """The address and all addresses above it, the root first."""
    return list(_lineage(address))


@lru_cache(maxsize=65536)
def _lineage(address: Address) -> tuple[Address, ...]:
    # Cached, since a game day asks for it 100,000 times, with a few hundred addresses.
    parts = address.split(":")
    return tuple(":".join(parts[: i + 1]) for i in range(len(parts)))


def lies_in(address: Address, place: Address) -> bool:
    """Whether an address is a place or lies in it. Nothing lies in no place."""
    return address.startswith(place) and place != "" and address[len(place) : len(place) + 1] in ("", ":")


class World:
    """All nodes by address, with their present states. Iteration is in the order of adding, which decides ties."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self._nodes: dict[Address, Node] = {}
        self._children: dict[Address, list[Address]] = {}
        self.version = 0
        """Increases with every `merge` and `remove` that changes something. Changes of state do not count."""
        self._described: tuple[int, dict[Address, str]] = (-1, {})
        self._limits: tuple[int, list[tuple[Address, tuple[Node, ...]]]] = (-1, [])
        self.merge(nodes)

    def merge(self, nodes: Iterable[Node]) -> list[Node]:
        """Adds nodes, or replaces those with the same address. Returns the nodes that are new or different, in their order.

        Raises BadInput for a node without a parent or with an unknown state. Then nothing changes.
        """
        changed = self.differing(nodes)
        self.version += bool(changed)
        for node in changed:
            if node.address not in self._nodes:
                self._children.setdefault(parent(node.address), []).append(node.address)
            self._nodes[node.address] = node
        return changed

    def differing(self, nodes: Iterable[Node]) -> list[Node]:
        """The nodes that `merge` would add or replace. Raises as `merge` does."""
        fresh = {node.address: node for node in nodes}
        changed = [node for node in fresh.values() if self._nodes.get(node.address) != node]
        for node in changed:
            above = parent(node.address)
            if not node.address or (above and above not in self._nodes and above not in fresh):
                raise BadInput(
                    f"Node {node.address!r} has no parent {above!r}.",
                    "Register the place it is in, before or with it.",
                    address=node.address,
                )
            if node.state and node.states and node.state not in node.states:
                raise BadInput(
                    f"Node {node.address!r} is in state {node.state!r}.",
                    f"Use one of its states: {', '.join(node.states)}.",
                    address=node.address,
                )
        return changed

    def remove(self, addresses: Iterable[Address]) -> None:
        """Removes nodes. All nodes below them must be removed with them. Unknown addresses are ignored."""
        gone = {address for address in addresses if address in self._nodes}
        self.version += 1
        for address in gone:
            del self._nodes[address]
            self._children.pop(address, None)
        for above in {parent(address) for address in gone} & self._children.keys():
            self._children[above] = [child for child in self._children[above] if child not in gone]

    def __contains__(self, address: object) -> bool:
        return address in self._nodes

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def __len__(self) -> int:
        return len(self._nodes)

    def node(self, address: Address) -> Node:
        """The node at an address. Raises UnknownName."""
        try:
            return self._nodes[address]
        except KeyError:
            raise UnknownName(
                f"There is no place or object {address!r}.", "Register it first, or correct the address.", address=address
            ) from None

    def limits(self) -> list[tuple[Address, tuple[Node, ...]]]:
        """Each arena and object, with those places on the way to it that have owners or opening hours. Kept until places change."""
        if self._limits[0] != self.version:
            limited = {address: node for address, node in self._nodes.items() if node.owners or node.hours is not None}
            used = [node.address for node in self._nodes.values() if node.kind in (NodeKind.ARENA, NodeKind.OBJECT)]
            self._limits = self.version, [(it, tuple(limited[above] for above in _lineage(it) if above in limited)) for it in used]
        return self._limits[1]

    def root(self) -> Address:
        """The address of the world itself, which is the id of its town; empty if there is none."""
        return next((node.address for node in self._nodes.values() if node.kind is NodeKind.WORLD), "")

    def children(self, address: Address) -> list[Node]:
        """The nodes one level below an address."""
        return [self._nodes[child] for child in self._children.get(address, ())]

    def below(self, address: Address) -> list[Node]:
        """Every node below an address, at all levels. The node itself is left out."""
        found: list[Node] = []
        for child in self.children(address):
            found += [child, *self.below(child.address)]
        return found

    def check_state(self, address: Address, state: str) -> Node:
        """The node, if it can be in a state. Raises UnknownName, and BadInput for a state that the object does not have."""
        node = self.node(address)
        if node.states and state not in node.states:
            raise BadInput(f"Object {address!r} has no state {state!r}.", f"Use one of: {', '.join(node.states)}.", address=address)
        return node

    def set_state(self, address: Address, state: str) -> None:
        """Sets the present state of an object. Raises as `check_state` does."""
        self._nodes[address] = replace(self.check_state(address, state), state=state)

    def describe(self, address: Address) -> str:
        """The address in words, for prompts and people: `the stove in the kitchen of the Kettle Café`. Kept until places change."""
        if self._described[0] != self.version:
            self._described = self.version, {}
        found = self._described[1].get(address)
        if found is None:
            found = self._described[1][address] = self._in_words(address)
        return found

    def _in_words(self, address: Address) -> str:
        above = [self._nodes[a] for a in lineage(address) if a in self._nodes]
        nodes = [node for node in reversed(above) if node.kind is not NodeKind.WORLD]
        if not nodes:
            return with_article(above[-1].name) if above else address
        first, *around = nodes
        return with_article(first.name) + "".join(
            f" {(node.preposition or 'in') if i == 0 else 'of'} {with_article(node.name)}" for i, node in enumerate(around)
        )


def with_article(name: str) -> str:
    """The name with an article, as in `the stove`. Proper names, house numbers and names that have an article stay as they are."""
    return name if name[:1].isupper() or name[:1].isdigit() or name.startswith(("the ", "a ", "an ")) else f"the {name}"
