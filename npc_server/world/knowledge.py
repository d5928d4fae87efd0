"""What one NPC knows of the world: the part of the tree it has seen, and the states it last saw (Generative Agents, section 5.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from npc_server.records import Address, GameTime, NpcId
from npc_server.world.tree import NodeKind, World, lineage, parent


@dataclass(frozen=True)
class Seen:
    """The state an NPC last saw, and when. `at` is 0 for what it knew from the start."""

    address: Address
    state: str
    at: GameTime


class Knowledge:
    """The addresses one NPC knows. It may be out of date: that is the point of it."""

    def __init__(self, seen: Iterable[Seen] = ()) -> None:
        self._seen = {item.address: item for item in seen}

    def __contains__(self, address: object) -> bool:
        return address in self._seen

    def __iter__(self) -> Iterator[Seen]:
        return iter(self._seen.values())

    def __len__(self) -> int:
        return len(self._seen)

    def copy(self) -> Knowledge:
        found = Knowledge()
        found._seen = self._seen.copy()
        return found

    def addresses(self) -> list[Address]:
        return list(self._seen)

    def state(self, address: Address) -> str | None:
        """The state last seen; None when the address is not known."""
        seen = self._seen.get(address)
        return seen.state if seen else None

    def learn(self, address: Address, state: str, at: GameTime) -> list[Seen]:
        """Takes in what was seen, with all places above it; returns what is new or changed."""
        fresh = [Seen(above, "", at) for above in lineage(address)[:-1] if above not in self._seen]
        before = self._seen.get(address)
        if before is None or before.state != state:
            fresh.append(Seen(address, state, at))
        for item in fresh:
            self._seen[item.address] = item
        return fresh

    def forget(self, addresses: Iterable[Address]) -> None:
        for address in addresses:
            self._seen.pop(address, None)


def known_from_start(world: World, npc: NpcId, home: Address, named: Collection[Address]) -> list[Seen]:
    """What an NPC knows before play: its home, and the addresses named with all in them; the public town when none are named."""
    known: dict[Address, Seen] = {}

    def take(address: Address) -> None:
        for above in lineage(address):
            if above in world:
                known.setdefault(above, Seen(above, world.node(above).state, 0))

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
    """Whether no place on the way is somebody else's."""
    return all(not world.node(a).owners or npc in world.node(a).owners for a in lineage(address) if a in world)


def open_at(world: World, address: Address, at: GameTime) -> bool:
    """Whether every place on the way is open."""
    return all(world.node(a).open_at(at) for a in lineage(address) if a in world)


def usable(world: World, known: Knowledge, npc: NpcId, at: GameTime) -> list[Address]:
    """Arenas and objects that this NPC knows, may enter, and believes to be open at that time, in the order of the world."""
    judged: dict[Address, bool] = {}

    def fits(address: Address) -> bool:
        """As `may_enter` and `open_at` together; each place is judged once."""
        if address not in world:
            return True
        if address not in judged:
            node = world.node(address)
            judged[address] = (not node.owners or npc in node.owners) and node.open_at(at) and fits(parent(address))
        return judged[address]

    return [
        node.address for node in world if node.kind in (NodeKind.ARENA, NodeKind.OBJECT) and node.address in known and fits(node.address)
    ]
