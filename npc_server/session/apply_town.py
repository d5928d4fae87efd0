"""Applies a changed town file to the world of a save: finds out what to add, change, remove and keep."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from npc_server.agent import Agent
from npc_server.personas.in_world import mentioned
from npc_server.personas.schema import Persona
from npc_server.records import Address, GameTime, PlanStatus
from npc_server.world.town_records import Town
from npc_server.world.tree import Node, World, lineage


@dataclass(frozen=True)
class WorldChange:
    """What changes in the tree of the world."""

    nodes: tuple[Node, ...] = ()
    """Nodes to add or replace, each in its current state."""
    gone: tuple[Address, ...] = ()
    kept: tuple[Address, ...] = ()
    """Places that are gone from the file, but stay because somebody needs them."""

    def applied(self, world: World) -> World:
        """Returns a changed copy of the world."""
        changed = World(world)
        changed.merge(self.nodes)
        changed.remove(self.gone)
        return changed


def world_change(world: World, before: Town | None, now: Town, needed: Collection[Address]) -> WorldChange:
    """Finds out what a town file changes. Places that the game registered itself stay, and so do `needed` places and their parents."""
    fresh = {node.address: node for node in now.nodes()}
    former = {node.address for node in before.nodes()} if before else set()
    registered = [node.address for node in world if node.address not in former and node.address not in fresh]
    above = {place for address in (*needed, *registered) for place in lineage(address)}
    missing = [node.address for node in world if node.address in former and node.address not in fresh]
    put = [_in_its_state(node, world.node(node.address)) if node.address in world else node for node in fresh.values()]
    return WorldChange(
        tuple(node for node in put if node.address not in world or node != world.node(node.address)),
        tuple(address for address in missing if address not in above),
        tuple(address for address in missing if address in above),
    )


def needed_by(agents: Iterable[Agent], personas: Iterable[Persona], now: GameTime) -> set[Address]:
    """Returns the places that people need: homes, works, routines, current places, and places of their plans."""
    found = {address for persona in personas for address in mentioned(persona)}
    for agent in agents:
        action = agent.doing.action
        found |= {agent.doing.address, *([action.address] if action else [])}
        found |= {step.address for step in agent.mind.plan.steps if step.end > now and step.status in (PlanStatus.AHEAD, PlanStatus.ACTIVE)}
    return found - {""}


def _in_its_state(node: Node, known: Node) -> Node:
    """Returns the node of the file in the current state of its object, if the file still allows that state."""
    possible = known.state in node.states if node.states else bool(node.state)
    return replace(node, state=known.state) if possible else node
