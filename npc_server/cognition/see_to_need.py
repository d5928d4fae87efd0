"""An empty need comes before the plan's next step, where the model did not make that step (Humanoid Agents, arXiv 2310.05418).

A step is kept until it ends, as Lyfe Agents keeps an option (arXiv 2310.02172): nobody leaves a step in the middle for a need. A model
that plans an hour is told of the needs and decides itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from npc_server import clock
from npc_server.mind import needs
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import action_named, learn, possible_actions
from npc_server.personas import routine
from npc_server.records import Address, GameTime, Need, PlanLevel, PlanOrigin, PlanStatus, PlanStep, Source
from npc_server.world.household import is_thing
from npc_server.world.knowledge import usable
from npc_server.world.tree import Node, ObjectAction, lineage

SHORTEST_MIN, LONGEST_MIN = 10, 30
"""Game minutes that it takes at least and at most."""
SOON_S = 45 * clock.MINUTE
"""Game seconds within which the plan's own meal is waited for."""
BUILDING = 2
"""Levels of the tree that two addresses in the same building share at least: the world and the building."""
AGAIN_S = 2 * clock.HOUR
"""Game seconds before the same need is seen to again. What could not be done is not tried all day long."""


async def first(mind: Mind, step: PlanStep, here: Address, now: GameTime) -> PlanStep:
    """The step to do now: one that fills an empty need, or else `step`."""
    if not mind.settings.needs or step.source is Source.MODEL or step.origin is not PlanOrigin.PLANNED or step.text == routine.ASLEEP:
        return step
    empty = sorted((need for need in Need if needs.is_empty(mind, need)), key=mind.feelings.needs.of)
    if empty:
        await learn(mind, [each.text for each in (step, *_around(mind, now))])
    for need in empty:
        if need in _filled_by(mind, step) or _is_seen_to(mind, need, now):
            continue
        found = _nearest(mind, need, here, now)
        if found is not None:
            return _step(mind, need, *found, now)
    return step


def _step(mind: Mind, need: Need, node: Node, action: ObjectAction, now: GameTime) -> PlanStep:
    """A step that is ready to be done, put into the plan."""
    missing = needs.FULL - mind.feelings.needs.of(need)
    minutes = round(60 * missing / dict(action.fills)[need])
    until = now + min(LONGEST_MIN, max(SHORTEST_MIN, minutes)) * clock.MINUTE
    sentence, emoji = mind.instinct.sentence(mind.persona.first_name, action.name), mind.instinct.emoji(action.name)
    made = PlanStep(
        mind.npc, 0, PlanLevel.STEP, 0, now, until, action.name, node.address, does=action.name, sentence=sentence, emoji=emoji,
        origin=PlanOrigin.REACTION,
    )  # fmt: skip
    mind.tally.plan_changes += 1
    return mind.add_steps([made])[0]


def _nearest(mind: Mind, need: Need, here: Address, now: GameTime) -> tuple[Node, ObjectAction] | None:
    """The object that the NPC may use and that fills the need best in this building, else at home, else anywhere; the nearest of equals."""
    at, home = lineage(here), lineage(routine.home(mind.persona))
    best: tuple[tuple[bool, bool, float, int], Node, ObjectAction] | None = None
    for address in usable(mind.world, mind.knowledge, mind.npc, now):
        node = mind.world.node(address)
        if is_thing(node):
            continue  # in a household it takes commands, which the routine plans
        for action in possible_actions(mind, node):
            fills = dict(action.fills).get(need, 0.0)
            near, at_home = _shared(lineage(address), at), _shared(lineage(address), home)
            rank = (near >= BUILDING, at_home >= BUILDING, fills, near)
            if fills and (best is None or rank > best[0]):
                best = rank, node, action
    return best[1:] if best else None


def _shared(one: list[Address], other: list[Address]) -> int:
    """How many levels two addresses have in common."""
    return sum(a == b for a, b in zip(one, other, strict=False))


def _is_seen_to(mind: Mind, need: Need, now: GameTime) -> bool:
    """Whether the plan fills the need soon, or it was tried lately."""
    return any(need in _filled_by(mind, step) for step in _around(mind, now))


def _around(mind: Mind, now: GameTime) -> Iterator[PlanStep]:
    """Steps and hours that begin soon, and steps that a need put into the plan lately."""
    for step in mind.plan.steps:
        soon = now < step.start <= now + SOON_S and step.status is PlanStatus.AHEAD
        lately = step.origin is PlanOrigin.REACTION and now - AGAIN_S <= step.start <= now
        if soon or lately:
            yield step


def _filled_by(mind: Mind, step: PlanStep) -> dict[Need, float]:
    """The needs that a step fills, as far as its place says."""
    if step.address not in mind.world:
        return {}
    node = mind.world.node(step.address)
    action = action_named(node, step.does) or mind.instinct.use(mind, node, step.text)
    return dict(action.fills) if action is not None else {}
