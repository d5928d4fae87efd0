"""Places as prompts name them, and the few that suit an activity best, by embedding and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from npc_server.english.stems import stems_of
from npc_server.llm.engine import Embedder, Vectors
from npc_server.records import Address
from npc_server.world.tree import Node, NodeKind, World, lineage, parent


def describe(world: World, node: Node) -> str:
    """A node as a phrase for its embedding: `stove in the kitchen: cook, make tea`."""
    actions = ", ".join(action.name for action in node.actions)
    return f"{world.describe(node.address)}: {actions or node.description}".rstrip(": ")


def short(world: World, address: Address) -> str:
    """The address without the town's id, as prompts show it: `cafe:kitchen:stove`. With several worlds the id stays."""
    head, _, rest = address.partition(":")
    return rest if rest and [root.address for root in world.children("")] == [head] else address


def full(world: World, name: str) -> Address:
    """The address that `short` shortened; the name itself if there is none."""
    if name in world:
        return name
    return next((found for root in world.children("") if (found := f"{root.address}:{name}") in world), name)


def room_of(world: World, address: Address) -> Address:
    """The arena an address lies in, or the address itself."""
    rooms = [a for a in lineage(address) if a in world and world.node(a).kind is NodeKind.ARENA]
    return rooms[-1] if rooms else address


@dataclass(frozen=True)
class Everyday:
    """What belongs to every day in a world: telling words of what is done with its things and what they are called, and their states."""

    doings: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    """States that using a thing brings about. A fire is none of them."""


def everyday_of(world: World) -> Everyday:
    actions = [action for node in world for action in node.actions]
    return Everyday(
        frozenset().union(*(stems_of(action.name) for action in actions)),
        frozenset().union(*(stems_of(node.name) for node in world)),
        frozenset(state for action in actions for state in (action.during, action.after) if state),
    )


class PlaceVectors:
    """The embedding of each place's description, shared by all minds of a session and computed when first needed."""

    def __init__(self, world: World, embedder: Embedder) -> None:
        self._world = world
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self._phrases: dict[Address, tuple[str, frozenset[str], Address]] = {}
        self._everyday = Everyday()
        self._version = -1

    def _refresh(self) -> None:
        """Forgets what was computed for an older version of the world."""
        if self._version != self._world.version:
            self._phrases.clear()
            self._everyday = everyday_of(self._world)
            self._version = self._world.version

    def everyday(self) -> Everyday:
        """The everyday states of the whole world. They are kept until places change."""
        self._refresh()
        return self._everyday

    def phrase(self, address: Address) -> tuple[str, frozenset[str], Address]:
        """The description of a place, its telling words, and the room it is or lies in; kept until places change."""
        self._refresh()
        found = self._phrases.get(address)
        if found is None:
            text = describe(self._world, self._world.node(address))
            found = self._phrases[address] = (text, frozenset(stems_of(text)), _room(self._world, address))
        return found

    async def relevance(self, addresses: Sequence[Address], activity: str) -> Vectors:
        """Cosine of each place's description with an activity, shape (len(addresses),)."""
        return np.asarray((await self.of(addresses)) @ (await self._embedder.embed([activity]))[0])

    async def of(self, addresses: Sequence[Address]) -> Vectors:
        """Embeddings of the places' descriptions, shape (len(addresses), dimensions)."""
        texts = [self.phrase(address)[0] for address in addresses]
        missing = sorted({text for text in texts if text not in self._vectors})
        if missing:
            fresh = dict(zip(missing, await self._embedder.embed(missing), strict=True))
            self._vectors.update({text: row for text, row in fresh.items() if row.any()})  # zeros: there was no model just now
            found = {**self._vectors, **fresh}
            return np.stack([found[text] for text in texts])
        return np.stack([self._vectors[text] for text in texts]) if texts else np.zeros((0, self._embedder.dimensions), np.float32)


async def shortlist(
    world: World,
    places: PlaceVectors,
    usable: Sequence[Address],
    activity: str,
    near: Address,
    hint: Address,
    count: int,
) -> list[Address]:
    """At most `count` places for an activity, best first: the plan's own place, then by meaning, words and nearness."""
    if not usable:
        return []
    relevance = await places.relevance(usable, activity)
    wanted = stems_of(activity)
    scores: list[tuple[float, int]] = []
    here = _room(world, near)
    for i, address in enumerate(usable):
        node = world.node(address)
        _, words, room = places.phrase(address)
        score = float(relevance[i]) + 0.25 * len(wanted & words)
        score += 0.1 if room == here else 0.0
        score += 0.05 if node.kind is NodeKind.OBJECT else 0.0
        if hint:
            score += 10.0 if address == hint else 5.0 if address.startswith(hint + ":") else 0.0
        scores.append((-score, i))
    return [usable[i] for _, i in sorted(scores)[:count]]


def _room(world: World, address: Address) -> Address:
    if address in world and world.node(address).kind is NodeKind.OBJECT:
        return parent(address)
    return address
