"""Act: turns a step of the plan into something a body can do: a sentence, an address, emoji, and the object's new state.

The NPC chooses among places that it knows, may enter, believes to be open, and can reach by the game's paths. *Generative Agents*
(section 5.1) asks the tree level by level; here one question does it. A step whose plan already named place and action is ready: it is
done without a question as long as its place can be used.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace

from npc_server.cognition.occupied import Occupied, is_occupied
from npc_server.english.text import TALKING_WITH
from npc_server.llm.reply import one
from npc_server.mind import surroundings
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.places import full
from npc_server.mind.replies import Deed
from npc_server.mind.surroundings import action_named
from npc_server.personas import routine
from npc_server.records import Action, Address, GameTime, NpcId, PlanOrigin, PlanStep, Reach, Source
from npc_server.world.knowledge import usable
from npc_server.world.tree import Node, ObjectAction

AskPaths = Callable[[Sequence[Address]], Awaitable[Sequence[Reach]]]
"""Asks the game how far places are. Empty when the game does not answer in time."""


async def act(
    mind: Mind, step: PlanStep, here: Address, now: GameTime, ask_paths: AskPaths, action_id: str, avoid: Collection[Address] = ()
) -> Action | Occupied | None:
    """What to do for a step that is due; None when no place for it can be reached. `avoid` are addresses that failed."""
    if step.emoji and step.address not in avoid and surroundings.can_be_done(mind, step.address, step.does, now):
        reach = await _reach(ask_paths, step.address)
        if is_occupied(reach):
            return Occupied(step.address)
        if reach.reachable:
            deed = Deed(step.address, step.does, step.sentence, step.emoji)
            return _action(mind, deed, step, now, action_id, step.source)
    offered = await offer(mind, step, here, now, ask_paths, avoid)
    if isinstance(offered, Occupied):
        return offered
    if not mind.tools.engine.status().ready:
        offered = _instead_of(mind, step, offered)
    if not offered:
        return None
    deed, source = await _choose(mind, step, offered, here, now, avoid)
    if deed.place not in [node.address for node in offered]:  # the baseline chooses among all places
        reach = await _reach(ask_paths, deed.place)
        if is_occupied(reach):
            return Occupied(deed.place)
        if not reach.reachable:
            deed, source = _whole(mind, mind.instinct.act(mind, step, offered)), Source.INSTINCT
    return _action(mind, deed, step, now, action_id, source)


def talk(mind: Mind, others: Sequence[NpcId], here: Address, now: GameTime, until: GameTime, action_id: str) -> Action:
    """What somebody does who talks: they stay where they are."""
    seen = f"{TALKING_WITH} {' and '.join(mind.people.name_of(other) for other in others)}"
    sentence = f"{mind.persona.first_name} {seen}"
    return Action(action_id, mind.npc, sentence, here, "💬", now, until, seen_as=seen, talks_with=tuple(others))


async def _reach(ask_paths: AskPaths, address: Address) -> Reach:
    """Whether the NPC can get there. If the game does not answer, the place counts as reachable."""
    answers = await ask_paths([address])
    unknown = Reach(address, not answers, 0.0)
    return next((reach for reach in answers if reach.address == address), unknown)


def _action(mind: Mind, deed: Deed, step: PlanStep, now: GameTime, action_id: str, source: Source) -> Action:
    """`deed.place` is a whole address here."""
    node = mind.world.node(deed.place)
    action = action_named(node, deed.does)
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
) -> list[Node] | Occupied:
    """The places that suit the step and can be reached, best first, or `Occupied` when somebody uses the plan's own place."""
    best = await surroundings.best_places(mind, step.text, here, step.address, now, avoid=avoid)
    if not best:
        return []
    reaches = {reach.address: reach for reach in await ask_paths(best)}
    own = reaches.get(step.address)
    if own is not None and is_occupied(own):
        return Occupied(step.address)
    # If the game does not answer, every place counts as reachable.
    open_to = [a for a in best if not reaches or (a in reaches and reaches[a].reachable and reaches[a].free)]
    return [mind.world.node(address) for address in open_to]


async def _choose(
    mind: Mind, step: PlanStep, offered: Sequence[Node], here: Address, now: GameTime, avoid: Collection[Address]
) -> tuple[Deed, Source]:
    def by_instinct() -> Deed:
        return mind.instinct.act(mind, step, offered)

    # Nobody decides about sleep, or about a place that the routine or a reaction names: who waits does so where one is.
    is_named = step.source is Source.INSTINCT or step.origin is PlanOrigin.REACTION
    if step.text == routine.ASLEEP or (is_named and step.address and offered[0].address == step.address):
        return _whole(mind, by_instinct()), Source.INSTINCT
    baseline = mind.answerer.singly
    if baseline and mind.tools.engine.status().ready:
        known = [address for address in usable(mind.world, mind.knowledge, mind.npc, now) if address not in avoid]
        return await baseline.act(mind, step.text, known, _whole(mind, by_instinct()).place, here, now)
    shown = surroundings.shown(mind, offered, first=by_instinct().place)
    answer = await ask(
        mind,
        "act",
        one(Deed, place=surroundings.place_choice(mind, shown), does=surroundings.does_choice(mind, shown)),
        by_instinct,
        now,
        max_tokens=120,
        activity=step.text,
        here=surroundings.whereabouts(mind, here),
        places=surroundings.lines(mind, shown),
    )
    return _whole(mind, answer.value), answer.source


def _instead_of(mind: Mind, step: PlanStep, nodes: Sequence[Node]) -> list[Node]:
    """Those of `nodes` that can stand in for the plan's own place where no model says so. If it is an object with an action for this,
    so must they be: nobody draws water where there is no well."""
    own = mind.world.node(step.address) if step.address in mind.world else None
    needed = surroundings.meant_action(mind, own, step.text) if own is not None else None
    return [node for node in nodes if needed is None or action_named(node, needed.name) is not None]


def _whole(mind: Mind, deed: Deed) -> Deed:
    """The deed with a full address in place of the name that prompts use."""
    return replace(deed, place=full(mind.world, deed.place))


def _state_after(node: Node, action: ObjectAction | None) -> str:
    """The state an object is left in: the action's, or its resting state when the action changes it only while it lasts."""
    if action is None:
        return ""
    return action.after or (node.resting_state() if action.during else "")
