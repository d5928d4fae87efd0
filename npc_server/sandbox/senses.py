"""What each person notices that is new to them: others in sight, what they do, and the states of objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from npc_server.records import Address, GameTime, NpcId, Perception, PerceptionKind
from npc_server.sandbox.body import Body
from npc_server.sandbox.grid import Grid
from npc_server.sandbox.household import Household
from npc_server.world.town_records import Cell
from npc_server.world.tree import World


@dataclass
class Senses:
    """What one person last noticed."""

    room: Address = ""
    people: dict[NpcId, tuple[str, Address]] = field(default_factory=dict)
    """Who is in sight, what they did, and where they walked to."""
    states: dict[Address, str] = field(default_factory=dict)


def look(
    body: Body,
    senses: Senses,
    bodies: Sequence[Body],
    grid: Grid,
    world: World,
    radius: float,
    now: GameTime,
    household: Household,
) -> list[Perception]:
    """What this person newly notices, nearest first: a room on entering it, people in the room within `radius`, states of objects.

    `bodies` are those in the room.
    """
    entered = body.room != senses.room
    senses.room = body.room
    found: list[Perception] = []
    if entered and body.room in grid.rooms:
        found.append(Perception(body.npc, PerceptionKind.PLACE, body.room, f"is at {world.describe(body.room)}", body.room, 0.0, now))
    near = _people(body, senses, bodies, grid.metres, world, radius, now)
    near += _objects(body, senses, grid.metres, world, radius, entered, now, household)
    return found + sorted(near, key=lambda p: p.distance)


def _people(
    body: Body, senses: Senses, bodies: Sequence[Body], metres: Callable[[Cell, Cell], float], world: World, radius: float, now: GameTime
) -> list[Perception]:
    found: list[Perception] = []
    in_sight: dict[NpcId, tuple[str, Address]] = {}
    for other in bodies:
        if other is body:
            continue
        distance = metres(body.cell, other.cell)
        if distance > radius:
            continue
        doing = other.activity() or f"is at {world.describe(other.room)}"
        activity, towards = in_sight[other.npc] = doing, other.on_the_way_to()
        if senses.people.get(other.npc) != (activity, towards):
            found.append(Perception(body.npc, PerceptionKind.PERSON, other.npc, activity, body.room, distance, now, towards))
    senses.people = in_sight
    return found


def _objects(
    body: Body,
    senses: Senses,
    metres: Callable[[Cell, Cell], float],
    world: World,
    radius: float,
    entered: bool,
    now: GameTime,
    household: Household,
) -> list[Perception]:
    found: list[Perception] = []
    for address, cell in household.things_in(body.room):
        state = world.node(address).state
        if not state or senses.states.get(address) == state:
            continue
        distance = metres(body.cell, cell)
        if not entered and distance > radius:
            continue
        senses.states[address] = state
        found.append(Perception(body.npc, PerceptionKind.OBJECT, address, f"is {state}", body.room, distance, now))
    return found
