"""Who may go where, and when: the town's own rules, told in phrases that a mind can use."""

from __future__ import annotations

from npc_server import clock
from npc_server.records import Address, GameTime, NpcId
from npc_server.world.knowledge import may_enter
from npc_server.world.tree import Node, NodeKind, World, lineage, with_article


def holds_key(world: World, npc: NpcId, place: Address) -> bool:
    """Who owns a place, or a part of it, comes and goes outside its hours."""
    return any(npc in node.owners for node in [world.node(place), *world.below(place)])


def barred(world: World, npc: NpcId, address: Address, at: GameTime) -> str:
    """Why this person cannot enter then; empty when nothing bars them."""
    for above in lineage(address):
        node = world.node(above)
        if node.owners and npc not in node.owners:
            return f"{called(world, node)} is private"
        if not node.open_at(at) and node.hours is not None and not holds_key(world, npc, above):
            return f"{called(world, node)} is closed until {clock.hhmm(node.hours[0])}"
    return ""


def passable(world: World, npc: NpcId, address: Address) -> bool:
    """Whether a way may lead through. Hours count at the goal only: nobody has to go around a shop that closes in a minute."""
    return may_enter(world, address, npc)


def called(world: World, node: Node) -> str:
    """What people call it: `the bathroom`; a room that others own with its building, `the kitchen of the Kettle Café`."""
    return world.describe(node.address) if node.kind is NodeKind.ARENA and node.owners else with_article(node.name)
