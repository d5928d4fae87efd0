"""The places an NPC may choose among for an activity, as prompts list them: what it knows, may enter, and believes to be open.

Prompts and replies name places without the town's own id: `cafe:kitchen:stove`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from npc_server.llm.reply import Choice
from npc_server.mind.mind import Mind
from npc_server.mind.places import short, shortlist
from npc_server.records import Address, GameTime
from npc_server.world.knowledge import may_enter, open_at, usable
from npc_server.world.tree import Node, ObjectAction

NOTHING = "nothing special"
"""What is done with an object when none of its actions is meant."""


async def best_places(
    mind: Mind,
    activity: str,
    here: Address,
    hint: Address,
    now: GameTime,
    *,
    avoid: Collection[Address] = (),
    habits: Collection[Address] = (),
) -> list[Address]:
    """At most `places_offered` places that suit an activity, best first; `habits`, where it is usually done, go before the rest."""
    known = [address for address in usable(mind.world, mind.known, mind.npc, now) if address not in avoid]
    usual = [address for address in dict.fromkeys(habits) if address in known]
    found = await shortlist(mind.world, mind.places, known, activity, here, hint, mind.settings.places_offered)
    return list(dict.fromkeys([*usual, *found]))[: mind.settings.places_offered]


def named_places(mind: Mind) -> list[Node]:
    """The places that may be named to it."""
    return [mind.world.node(address) for address in mind.known.addresses() if address in mind.world]


def believed(mind: Mind, node: Node) -> str:
    """The state an object was last seen in."""
    return mind.known.state(node.address) or node.state


def is_open_to(mind: Mind, address: Address, at: GameTime) -> bool:
    """Whether the NPC knows the place, may enter it, and believes it to be open then."""
    known = address in mind.world and address in mind.known
    return known and may_enter(mind.world, address, mind.npc) and open_at(mind.world, address, at)


def can_be_done(mind: Mind, address: Address, does: str, now: GameTime) -> bool:
    """Whether the place is known and open to the NPC, and what is to be done there fits the state it believes the object to be in."""
    if not is_open_to(mind, address, now):
        return False
    if not does:
        return True
    node = mind.world.node(address)
    return named(node, does) in possible(mind, node)


def named(node: Node, does: str) -> ObjectAction | None:
    return next((action for action in node.actions if action.name == does), None)


def lines(mind: Mind, offered: Sequence[Node]) -> list[str]:
    """One for each place: `cafe:kitchen:stove is off; one can: cook, make tea`."""
    return [_line(mind, node) for node in offered]


def shown(mind: Mind, offered: Sequence[Node], first: str = "") -> Sequence[Node]:
    """Of places that come best first those that a prompt shows: no more than the model can keep apart by its own file's word.

    `first`, by its name in prompts, goes before the rest.
    """
    most = mind.engine.status().places_shown or len(offered)
    return sorted(offered, key=lambda node: short(mind.world, node.address) != first)[:most]


def place_choice(mind: Mind, offered: Sequence[Node]) -> Choice:
    return Choice(tuple(short(mind.world, node.address) for node in offered), "a place of the list")


def does_choice(mind: Mind, offered: Sequence[Node]) -> Choice:
    names = dict.fromkeys(action.name for node in offered for action in possible(mind, node))
    return Choice((*names, NOTHING), f"what one can do there, or {NOTHING}")


def _line(mind: Mind, node: Node) -> str:
    state = believed(mind, node)
    actions = ", ".join(action.name for action in possible(mind, node))
    return "".join([short(mind.world, node.address), f" is {state}" if state else "", f"; one can: {actions}" if actions else ""])


def possible(mind: Mind, node: Node) -> list[ObjectAction]:
    """What its state allows, as the NPC believes."""
    return [action for action in node.actions if not action.needs or action.needs == believed(mind, node)]
