"""Mending: what is wrong with a thing is put right, by the action that its state asks for, and before it what that needs."""

from __future__ import annotations

from npc_server import clock
from npc_server.english.stems import words_of
from npc_server.instinct.reflexes import is_own
from npc_server.mind.instinct import MENDING_MIN, Errand
from npc_server.mind.mind import Mind
from npc_server.personas.routine import is_asleep_at, next_waking
from npc_server.records import Address, GameTime, Memory, PlanLevel, PlanOrigin, PlanStep
from npc_server.world.knowledge import may_enter, open_at
from npc_server.world.tree import Node, NodeKind, ObjectAction, lineage

ERRAND_MIN = 20
"""Game minutes that fetching something takes."""
WORTH_MENDING = 5
"""Least importance of an object's state that instinct does something about."""


def mend(mind: Mind, memory: Memory, now: GameTime) -> tuple[tuple[Errand, ...], tuple[PlanStep, ...]]:
    """What is wrong with an object is put right: the action that its state asks for, and before it what that needs.

    The first are done now; the others wait until a shop opens.
    """
    remedy = remedy_seen(mind, memory) if memory.importance >= WORTH_MENDING else None
    if remedy is None:
        return (), ()
    node = mind.world.node(memory.subject)
    do = Errand(MENDING_MIN, f"{remedy.name} at {mind.world.describe(node.address)}", node.address)
    if not remedy.first:
        return (do,), ()
    where, at = _place_for(mind, remedy.first, now)
    fetch = Errand(ERRAND_MIN, f"{remedy.first} at {mind.world.describe(where)}", where)
    if where and at <= now:
        return (fetch, do), ()
    if where and not any(step.text == do.activity and step.end > now for step in mind.plan):
        until = at + fetch.minutes * clock.MINUTE
        end = until + do.minutes * clock.MINUTE
        rows = [(at, until, fetch.activity, where), (until, end, do.activity, do.address)]
        return (), tuple(PlanStep(mind.npc, 0, PlanLevel.STEP, 0, *row, origin=PlanOrigin.REACTION) for row in rows)
    return (), ()


def remedy_seen(mind: Mind, memory: Memory) -> ObjectAction | None:
    """What puts right the thing that was seen, where that is this person's business."""
    if memory.subject not in mind.world:
        return None
    node = mind.world.node(memory.subject)
    remedy = _remedy_for(node)
    return remedy if remedy is not None and (_is_urgent(remedy) or is_own(mind, node.address)) else None


def _place_for(mind: Mind, activity: str, now: GameTime) -> tuple[Address, GameTime]:
    """A known place where this can be done (its verb is that of the activity), and when it next is: now, or when it opens."""
    verb = words_of(activity.split()[0])
    best: tuple[GameTime, Address] | None = None
    for node in mind.world:
        if node.address not in mind.known or not may_enter(mind.world, node.address, mind.npc):
            continue
        if any(verb & words_of(action.name) for action in node.actions):
            at = _next_open(mind, node.address, now)
            if best is None or at < best[0]:
                best = (at, node.address)
    return (best[1], best[0]) if best else ("", now)


def _next_open(mind: Mind, address: Address, now: GameTime) -> GameTime:
    """When a place is next open while the NPC is up and can get there: now, or at its opening hour."""
    if open_at(mind.world, address, now + ERRAND_MIN * clock.MINUTE) and open_at(mind.world, address, now):
        return now
    opens = max((node.hours[0] for a in lineage(address) if (node := mind.world.node(a)).hours is not None), default=0)
    start = clock.day_start(now) + opens
    start = start if start >= now else start + clock.DAY
    return next_waking(mind.persona, start) if is_asleep_at(mind.persona, start) else start


def _remedy_for(node: Node) -> ObjectAction | None:
    """The action that only the object's present state calls for: put out the fire, fill the refrigerator."""
    if node.kind is not NodeKind.OBJECT or not node.state:
        return None
    return next((action for action in node.actions if action.needs == node.state and action.after not in ("", node.state)), None)


def _is_urgent(remedy: ObjectAction) -> bool:
    """Fire concerns everybody, an empty refrigerator only its owner."""
    return "fire" in remedy.name
