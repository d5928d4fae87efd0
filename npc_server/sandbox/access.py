"""Decides who may enter which place and when, by owners and opening hours. Reasons are phrases that a mind can use."""

from __future__ import annotations

from npc_server import clock
from npc_server.records import Address, GameTime, NpcId
from npc_server.world.knowledge import may_enter
from npc_server.world.tree import Node, NodeKind, World, lineage, with_article


def holds_key(world: World, npc: NpcId, place: Address) -> bool:
    """Whether a person owns a place or a part of it. Owners may enter outside the opening hours."""
    return any(npc in node.owners for node in [world.node(place), *world.below(place)])


def barred(world: World, npc: NpcId, address: Address, at: GameTime) -> str:
    """Says why this person cannot enter at that time. The text is empty if they can."""
    for above in lineage(address):
        node = world.node(above)
        if node.owners and npc not in node.owners:
            return f"{called(world, node)} is private"
        if not node.open_at(at) and node.hours is not None and not holds_key(world, npc, above):
            return f"{called(world, node)} is closed until {clock.hhmm(node.hours[0])}"
    return ""


def passable(world: World, npc: NpcId, address: Address) -> bool:
    """Whether a path may lead through a place. Opening hours count only at the goal of a path."""
    return may_enter(world, address, npc)


def called(world: World, node: Node) -> str:
    """Names a place as people do: `the bathroom`. A room with owners gets its building: `the kitchen of the Kettle Café`."""
    return world.describe(node.address) if node.kind is NodeKind.ARENA and node.owners else with_article(node.name)
