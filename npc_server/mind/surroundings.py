"""The places offered to an NPC for an activity, as prompts list them: those it knows, may enter, and believes to be open.

Prompts and replies name places without the town's id: `cafe:kitchen:stove`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from npc_server.llm.reply import Choice
from npc_server.mind.mind import Mind
from npc_server.mind.named import without_people
from npc_server.mind.place_choice import places_for
from npc_server.mind.places import short
from npc_server.records import Address, GameTime, Memory
from npc_server.world.knowledge import may_enter, open_at, usable
from npc_server.world.tree import Node, NodeKind, ObjectAction, lineage

NOTHING = "nothing special"
"""The choice that performs none of the object's actions."""


async def best_places(
    mind: Mind,
    activity: str,
    here: Address,
    hint: Address,
    now: GameTime,
    *,
    avoid: Collection[Address] = (),
    habits: Collection[Address] = (),
    usual: Collection[Address] = (),
) -> list[Address]:
    """At most `places_offered` places for an activity, best first. `habits`, the usual places for it, come before the rest; some of the
    `usual` ones, where the routine has the NPC at that hour, are always there."""
    known = [address for address in usable(mind.world, mind.knowledge, mind.npc, now) if address not in avoid]
    first = [address for address in dict.fromkeys(habits) if address in known]
    found = await places_for(mind, known, activity, here, hint, mind.settings.places_offered, [*first, *usual])
    return list(dict.fromkeys([*first, *found]))[: mind.settings.places_offered]


def whereabouts(mind: Mind, address: Address) -> str:
    """A place for prompts, as its names and not as a phrase, so that any name reads well: `shop floor, Finch's Repairs`. Empty for none."""
    nodes = [mind.world.node(part) for part in reversed(lineage(address)) if part in mind.world]
    return ", ".join(node.name for node in nodes if node.kind is not NodeKind.WORLD)


def named_places(mind: Mind) -> list[Node]:
    """Nodes that the NPC knows, so that their names mean something to it."""
    return [mind.world.node(address) for address in mind.knowledge.addresses() if address in mind.world]


def believed(mind: Mind, node: Node) -> str:
    """The state in which the NPC last saw an object."""
    return mind.knowledge.state(node.address) or node.state


def has_changed(mind: Mind, memory: Memory) -> bool:
    """Whether a memory tells of an object's state, and the NPC has seen the object in another one since."""
    if memory.subject not in mind.world or memory.object not in mind.world.node(memory.subject).states:
        return False
    return mind.knowledge.changed_at(memory.subject) >= memory.created and mind.knowledge.state(memory.subject) not in ("", memory.object)


def is_open_to(mind: Mind, address: Address, at: GameTime) -> bool:
    """Whether the NPC knows the place, may enter it, and believes it to be open then."""
    known = address in mind.world and address in mind.knowledge
    return known and may_enter(mind.world, address, mind.npc) and open_at(mind.world, address, at)


def can_be_done(mind: Mind, address: Address, does: str, now: GameTime) -> bool:
    """Whether the NPC can do `does` there now: the place is open to it, and the object's believed state fits."""
    if not is_open_to(mind, address, now):
        return False
    if not does:
        return True
    node = mind.world.node(address)
    return action_named(node, does) in possible_actions(mind, node)


async def learn(mind: Mind, activities: Sequence[str]) -> None:
    """Learns what activities mean, for `meant_action`."""
    await mind.places.learn([without_people(mind, activity) for activity in activities])


def meant_action(mind: Mind, node: Node, activity: str) -> ObjectAction | None:
    """The action of an object that an activity means, of those that its believed state allows; None when it means none.

    The activity was learnt, or places for it were looked for. Whom it names says nothing of what is done.
    """
    return mind.places.action_for(without_people(mind, activity), possible_actions(mind, node))


def action_named(node: Node, does: str) -> ObjectAction | None:
    return next((action for action in node.actions if action.name == does), None)


def lines(mind: Mind, offered: Sequence[Node]) -> list[str]:
    """One line for each place: `cafe:kitchen:stove is off; one can: cook, make tea`."""
    return [_line(mind, node) for node in offered]


def shown(mind: Mind, offered: Sequence[Node], first: str = "") -> Sequence[Node]:
    """The first of `offered`, as many as the model's file says it can tell apart.

    The one named `first` comes before the rest.
    """
    most = mind.tools.engine.status().places_shown or len(offered)
    return sorted(offered, key=lambda node: short(mind.world, node.address) != first)[:most]


def place_choice(mind: Mind, offered: Sequence[Node]) -> Choice:
    return Choice(tuple(short(mind.world, node.address) for node in offered), "a place of the list")


def does_choice(mind: Mind, offered: Sequence[Node]) -> Choice:
    names = dict.fromkeys(action.name for node in offered for action in possible_actions(mind, node))
    return Choice((*names, NOTHING), f"what one can do there, or '{NOTHING}'", otherwise=NOTHING)


def _line(mind: Mind, node: Node) -> str:
    state = believed(mind, node)
    actions = ", ".join(action.name for action in possible_actions(mind, node))
    return "".join([short(mind.world, node.address), f" is {state}" if state else "", f"; one can: {actions}" if actions else ""])


def possible_actions(mind: Mind, node: Node) -> list[ObjectAction]:
    """The actions that the object's believed state allows."""
    return [action for action in node.actions if not action.needs or action.needs == believed(mind, node)]
