"""Chooses a new action as the reference does, in eight calls.

They ask for the sector, the arena, the object, the emoji, the event, the object's state, its emoji and its event. In the reference these
are `generate_action_sector`, `_arena`, `_game_object`, `_pronunciatio`, `_event_triple`, `generate_act_obj_desc`, and the two before it
again for the object. The reference also asks about sleep; the baseline does not. Our records have no emoji for objects, and read the event
from what the NPC sees. So the last answers are asked for and checked, but not kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from npc_eval.baseline.parts import triple
from npc_server.llm.reply import Choice, Emoji, Text, one
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.places import full, short
from npc_server.mind.replies import Deed
from npc_server.mind.surroundings import NOTHING, believed, possible_actions
from npc_server.personas import routine
from npc_server.records import Address, GameTime, Source
from npc_server.world.tree import Node, NodeKind, ObjectAction

SECTOR, ARENA, OBJECT = 1, 2, 3
"""Depths in the world's tree."""


@dataclass(frozen=True)
class Where:
    place: Annotated[str, Choice(())]


@dataclass(frozen=True)
class Signs:
    emoji: Annotated[str, Emoji()]


@dataclass(frozen=True)
class ObjectState:
    state: Annotated[str, Text(60, "its state, in a few words")]


async def choose(mind: Mind, activity: str, usable: Sequence[Address], usual: Address, here: Address, now: GameTime) -> tuple[Deed, Source]:
    """Chooses where and how an activity is done, out of all usable places. `usual` is the place that instinct would choose.

    The place in the returned deed is a whole address.
    """
    address, found = "", Source.INSTINCT
    for depth, question in ((SECTOR, "ga_sector"), (ARENA, "ga_arena"), (OBJECT, "ga_object")):
        below = [a for a in usable if not address or a == address or a.startswith(address + ":")]
        options = list(dict.fromkeys(":".join(a.split(":")[: depth + 1]) for a in below if a.count(":") >= depth))
        if not options:  # Like the reference, this asks nothing about a room without objects.
            break
        picked, source = await _level(mind, question, depth, activity, options, usual, address, here, now)
        found = source if source is Source.MODEL else found
        if not picked:
            break
        address = picked
    address = address if address in usable else usual
    sentence = mind.instinct.sentence(mind.persona.first_name, activity)
    emoji = await _emoji(mind, "ga_emoji", sentence, now)
    await triple(mind, sentence, now)
    node = mind.world.node(address)
    action = await _object(mind, node, activity, sentence, now) if node.kind is NodeKind.OBJECT else None
    return Deed(address, action.name if action else "", sentence, emoji), found


async def _level(
    mind: Mind,
    question: str,
    depth: int,
    activity: str,
    options: Sequence[Address],
    usual: Address,
    above: Address,
    here: Address,
    now: GameTime,
) -> tuple[Address, Source]:
    """Asks for one of the options. Returns an empty address when the model wants none of the objects."""
    by_instinct = ":".join(usual.split(":")[: depth + 1])
    names = [short(mind.world, option) for option in options] + ([NOTHING] if depth == OBJECT else [])
    if depth == OBJECT and by_instinct not in options:
        plain = NOTHING
    else:
        plain = short(mind.world, by_instinct if by_instinct in options else options[0])
    answer = await ask(
        mind,
        question,
        one(Where, place=Choice(tuple(names), "one of these")),
        lambda: Where(plain),
        now,
        max_tokens=32,
        activity=activity,
        here=mind.world.describe(here) if here else "",
        home=mind.world.describe(routine.home(mind.persona)),
        above=mind.world.describe(above) if above else "",
        options=[_described(mind, option, name) for option, name in zip(options, names, strict=False)],
        nothing=NOTHING,
    )
    return ("" if answer.value.place == NOTHING else full(mind.world, answer.value.place)), answer.source


def _described(mind: Mind, address: Address, name: str) -> str:
    """Returns a place with what lies in it, as the reference lists sectors and arenas."""
    inside = ", ".join(node.name for node in mind.world.children(address) if node.address in mind.knowledge)
    return f"{name} ({inside})" if inside else name


async def _emoji(mind: Mind, question: str, event: str, now: GameTime) -> str:
    answer = await ask(mind, question, one(Signs), lambda: Signs(mind.instinct.emoji(event)), now, max_tokens=12, event=event)
    return answer.value.emoji


async def _object(mind: Mind, node: Node, activity: str, sentence: str, now: GameTime) -> ObjectAction | None:
    """Asks for the object's new state, its emoji and its event. Returns the object's action that fits; None when none does."""
    state = believed(mind, node)
    fitting = mind.instinct.use(mind, node, activity)
    allowed = possible_actions(mind, node)
    plain = (fitting.during or fitting.after if fitting else "") or state or "in use"
    kinds = {"state": Choice(tuple(dict.fromkeys([*node.states, state])), "its state")} if len(node.states) > 1 and state else {}
    answer = await ask(
        mind,
        "ga_object_state",
        one(ObjectState, **kinds),
        lambda: ObjectState(plain),
        now,
        max_tokens=24,
        object=mind.world.describe(node.address),
        event=sentence,
        states=list(node.states),
    )
    event = f"{node.name} is {answer.value.state}"
    await _emoji(mind, "ga_object_emoji", event, now)
    await triple(mind, event, now)
    return fitting or next((a for a in allowed if answer.value.state and answer.value.state == a.during), None)
