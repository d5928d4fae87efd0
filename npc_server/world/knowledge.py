"""What one NPC knows of the world: the part of the tree that it has seen, and the states it last saw (Generative Agents, section 5.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from npc_server.records import NEVER, Address, GameTime, NpcId
from npc_server.world.tree import World, lineage


@dataclass(frozen=True)
class Seen:
    """The state of a place or object that an NPC last saw, and when. `at` is `NEVER` for what it knew from the start."""

    address: Address
    state: str
    at: GameTime


class Knowledge:
    """The places and objects that one NPC knows. Their states may be out of date, as in a person's memory."""

    def __init__(self, seen: Iterable[Seen] = ()) -> None:
        self._seen = {item.address: item for item in seen}

    def __contains__(self, address: object) -> bool:
        return address in self._seen

    def __iter__(self) -> Iterator[Seen]:
        return iter(self._seen.values())

    def __len__(self) -> int:
        return len(self._seen)

    def copy(self) -> Knowledge:
        """An independent copy."""
        found = Knowledge()
        found._seen = self._seen.copy()
        return found

    def addresses(self) -> list[Address]:
        """Every known address, in the order in which it was learned."""
        return list(self._seen)

    def state(self, address: Address) -> str | None:
        """The state that was last seen, or None for an unknown address."""
        seen = self._seen.get(address)
        return seen.state if seen else None

    def changed_at(self, address: Address) -> GameTime:
        """When it was first seen in the state that it was last seen in; `NEVER` for what is known from the start, or not at all."""
        seen = self._seen.get(address)
        return seen.at if seen else NEVER

    def learn(self, address: Address, state: str, at: GameTime) -> list[Seen]:
        """Learns a place or object with its state, and all places above it. Returns what is new or has changed."""
        fresh = [Seen(above, "", at) for above in lineage(address)[:-1] if above not in self._seen]
        before = self._seen.get(address)
        if before is None or before.state != state:
            fresh.append(Seen(address, state, at))
        for item in fresh:
            self._seen[item.address] = item
        return fresh

    def forget(self, addresses: Iterable[Address]) -> None:
        """Removes addresses. Unknown ones are ignored."""
        for address in addresses:
            self._seen.pop(address, None)


def known_from_start(world: World, npc: NpcId, home: Address, named: Collection[Address]) -> list[Seen]:
    """What an NPC knows at the start of play: its home, and the addresses in `named` with everything below them.

    If `named` is empty, it knows every place that it may enter.
    """
    known: dict[Address, Seen] = {}

    def take(address: Address) -> None:
        for above in lineage(address):
            if above in world:
                known.setdefault(above, Seen(above, world.node(above).state, NEVER))

    homes = lineage(home)[1] if len(lineage(home)) > 1 else home
    for root in [homes, *named]:
        if root in world:
            take(root)
            for node in world.below(root):
                take(node.address)
    if not named:
        for node in world:
            if may_enter(world, node.address, npc):
                take(node.address)
    return list(known.values())


def may_enter(world: World, address: Address, npc: NpcId) -> bool:
    """Whether an NPC may enter an address: no place on the way to it belongs only to others."""
    return all(not world.node(a).owners or npc in world.node(a).owners for a in lineage(address) if a in world)


def open_at(world: World, address: Address, at: GameTime) -> bool:
    """Whether an address is open at a game time, with all places on the way to it."""
    return all(world.node(a).open_at(at) for a in lineage(address) if a in world)


def usable(world: World, known: Knowledge, npc: NpcId, at: GameTime) -> list[Address]:
    """The arenas and objects that an NPC knows, may enter, and that are open at a game time, in the order of the world."""
    return [
        address
        for address, limits in world.limits()
        if address in known and all((not it.owners or npc in it.owners) and it.open_at(at) for it in limits)
    ]
