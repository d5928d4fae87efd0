"""Act: a plan's step becomes something a body can do: a sentence, an address, emoji, and what becomes of the object there.

The address is chosen among what the NPC knows, may enter, believes to be open, and can reach as the game's paths say
(Generative Agents, section 5.1; there the tree is asked level by level, here in one question).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Annotated

from npc_server.cognition import instinct
from npc_server.cognition.ask import ask
from npc_server.cognition.mind import Mind
from npc_server.cognition.places import shortlist
from npc_server.llm.reply import Choice, Emoji, Text, one
from npc_server.records import Action, Address, GameTime, PlanStep, Reach, Source
from npc_server.world.knowledge import usable
from npc_server.world.tree import Node, ObjectAction

AskPaths = Callable[[Sequence[Address]], Awaitable[Sequence[Reach]]]
"""Asks the game how far places are. Empty when the game does not answer in time."""


@dataclass(frozen=True)
class Taken:
    """The place that was meant has no room now: one waits outside (Generative Agents, section 5.2: the bathroom)."""

    address: Address


NOTHING = "nothing special"
"""What is done with an object when none of its actions is meant."""


@dataclass(frozen=True)
class Deed:
    """Where, what with the object there, as a sentence, and as emoji."""

    place: Annotated[str, Choice(())]
    does: Annotated[str, Choice(())]
    sentence: Annotated[str, Text(120, "what is being done, one sentence")]
    emoji: Annotated[str, Emoji()]


async def act(
    mind: Mind, step: PlanStep, here: Address, now: GameTime, ask_paths: AskPaths, action_id: str, avoid: Collection[Address] = ()
) -> Action | Taken | None:
    """What to do for a step that is due; None when no place for it can be reached. `avoid` are addresses that failed."""
    offered = await offer(mind, step, here, now, ask_paths, avoid)
    if isinstance(offered, Taken):
        return offered
    if not offered:
        return None
    deed, source = await _choose(mind, step, offered, here, now)
    node = mind.world.node(deed.place)
    action = next((a for a in node.actions if a.name == deed.does), None)
    return Action(
        id=action_id,
        npc=mind.npc,
        sentence=deed.sentence,
        address=deed.place,
        emoji=deed.emoji,
        start=now,
        end=step.end,
        object_action=action.name if action else "",
        object_state=action.during if action else "",
        object_state_after=_state_after(node, action),
        source=source,
    )


async def offer(
    mind: Mind, step: PlanStep, here: Address, now: GameTime, ask_paths: AskPaths, avoid: Collection[Address] = ()
) -> list[Node] | Taken:
    """The places that suit the step and can be reached, best first; or that the plan's own place is taken just now."""
    known = [address for address in usable(mind.world, mind.known, mind.npc, now) if address not in avoid]
    count = mind.settings.places_offered
    best = await shortlist(mind.world, mind.places, mind.embedder, known, step.text, here, step.address, count)
    if not best:
        return []
    reaches = {reach.address: reach for reach in await ask_paths(best)}
    own = reaches.get(step.address)
    if own is not None and own.reachable and not own.free:
        return Taken(step.address)
    # A game that gives no answer is taken at the tree's word.
    open_to = [a for a in best if not reaches or (a in reaches and reaches[a].reachable and reaches[a].free)]
    return [mind.world.node(address) for address in open_to]


async def _choose(mind: Mind, step: PlanStep, offered: Sequence[Node], here: Address, now: GameTime) -> tuple[Deed, Source]:
    states = {node.address: mind.known.state(node.address) or node.state for node in offered}
    names = list(dict.fromkeys(action.name for node in offered for action in node.actions))

    def by_instinct() -> Deed:
        choice = instinct.choose_place(offered, step.text, step.address, states)
        return Deed(
            choice.address,
            choice.action.name if choice.action else NOTHING,
            instinct.sentence(mind.persona.first_name, step.text),
            instinct.emoji(step.text),
        )

    # Sleep is nobody's decision, and a place the routine names is none either.
    if step.text == instinct.ASLEEP or (step.source is Source.INSTINCT and step.address and offered[0].address == step.address):
        return by_instinct(), Source.INSTINCT
    answer = await ask(
        mind,
        "act",
        one(Deed, place=Choice(tuple(node.address for node in offered)), does=Choice((*names, NOTHING))),
        by_instinct,
        now,
        max_tokens=120,
        activity=step.text,
        here=mind.world.describe(here) if here else "",
        places=[_line(mind, node, states[node.address]) for node in offered],
    )
    return answer.value, answer.source


def _line(mind: Mind, node: Node, state: str) -> str:
    actions = ", ".join(action.name for action in node.actions if not action.needs or action.needs == state)
    parts = [
        f"{node.address} ({mind.world.describe(node.address)}",
        f" is {state}" if state else "",
        f"; one can: {actions}" if actions else "",
    ]
    return "".join(parts) + ")"


def _state_after(node: Node, action: ObjectAction | None) -> str:
    """The state an object is left in: the action's, or the one before when the action changes it only while it lasts."""
    if action is None:
        return ""
    return action.after or (node.state if action.during else "")
