"""What can never be in a household, whatever is done in it."""

from __future__ import annotations

from npc_server.world.household import PLACES, Home
from npc_server.world.household_rules import HANDS


def faults(home: Home) -> list[str]:
    """Each in words. A thing is in one place by the form of its state, so what is left is hands, seats, circles and ghosts."""
    found: list[str] = []
    people = {who for thing in home.things.values() for who in (*thing.state.people, thing.state.where) if who not in home.things and who}
    for npc in people:
        if len(home.held(npc)) > HANDS:
            found.append(f"{npc} holds {len(home.held(npc))} things")
        if sum(npc in thing.state.people for thing in home.things.values()) > 1:
            found.append(f"{npc} sits in two places")
    for thing in home.things.values():
        if thing.state.how in PLACES and thing.state.where not in home.things:
            found.append(f"{thing.id} is {thing.state.how} nothing")
        if thing.state.how in PLACES and home.anchor(thing.id) is not None and home.things[home.anchor(thing.id).id].state.how in PLACES:  # type: ignore[union-attr]
            found.append(f"{thing.id} is in a circle")
        if len(thing.state.people) > thing.seats:
            found.append(f"{thing.id} seats {len(thing.state.people)}")
    return found
