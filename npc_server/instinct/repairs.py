"""Repairs: an object in a bad state is put right by the action that needs this state, and by what that action requires first."""

from __future__ import annotations

from npc_server import clock
from npc_server.english.stems import stems_of
from npc_server.mind.instinct import MENDING_MIN, Errand
from npc_server.mind.mind import Mind
from npc_server.personas.routine import home, is_asleep_at, next_waking
from npc_server.records import Address, GameTime, Memory, PlanLevel, PlanOrigin, PlanStep
from npc_server.world.knowledge import may_enter, open_at
from npc_server.world.tree import Node, NodeKind, ObjectAction, lineage

ERRAND_MIN = 20
"""Game minutes to fetch something."""
WORTH_MENDING = 4
"""Least importance of a state that instinct repairs."""


def repair(mind: Mind, memory: Memory, now: GameTime) -> tuple[tuple[Errand, ...], tuple[PlanStep, ...]]:
    """Errands to do now, and steps for later, when a shop has to open first. Both are empty when there is nothing to repair."""
    remedy = remedy_seen(mind, memory) if memory.importance >= WORTH_MENDING else None
    if remedy is None:
        return (), ()
    node = mind.world.node(memory.subject)
    # "Put out the fire at the stove" names what is acted on. A bare verb acts on the thing: "fill the refrigerator".
    at_thing = " at " if " " in remedy.name else " "
    do = Errand(MENDING_MIN, f"{remedy.name}{at_thing}{mind.world.describe(node.address)}", node.address)
    if not remedy.first:
        return (do,), ()
    where, at = _place_for(mind, remedy.first, now)
    fetch = Errand(ERRAND_MIN, f"{remedy.first} at {mind.world.describe(where)}", where)
    if where and at <= now:
        return (fetch, do), ()
    if where and not any(step.text == do.activity and step.end > now for step in mind.plan.steps):
        until = at + fetch.minutes * clock.MINUTE
        end = until + do.minutes * clock.MINUTE
        rows = [(at, until, fetch.activity, where), (until, end, do.activity, do.address)]
        return (), tuple(PlanStep(mind.npc, 0, PlanLevel.STEP, 0, *row, origin=PlanOrigin.REACTION) for row in rows)
    return (), ()


def remedy_seen(mind: Mind, memory: Memory) -> ObjectAction | None:
    """The action that repairs the object in a memory, if that is this NPC's business."""
    if memory.subject not in mind.world:
        return None
    node = mind.world.node(memory.subject)
    remedy = _remedy_for(node)
    return remedy if remedy is not None and (_is_urgent(remedy) or _is_own(mind, node.address)) else None


def _is_own(mind: Mind, address: Address) -> bool:
    """Whether a place or object belongs to the NPC's home or workplace."""
    roots = {home(mind.persona), ":".join(mind.persona.work.split(":")[:2])}
    return any(above in roots for above in lineage(address))


def _place_for(mind: Mind, activity: str, now: GameTime) -> tuple[Address, GameTime]:
    """A known place that has an action with the activity's verb, and when it can be done there: now, or when it opens."""
    verb = stems_of(activity.split()[0])
    best: tuple[GameTime, Address] | None = None
    for node in mind.world:
        if node.address not in mind.knowledge or not may_enter(mind.world, node.address, mind.npc):
            continue
        if any(verb & stems_of(action.name) for action in node.actions):
            at = _next_open(mind, node.address, now)
            if best is None or at < best[0]:
                best = (at, node.address)
    return (best[1], best[0]) if best else ("", now)


def _next_open(mind: Mind, address: Address, now: GameTime) -> GameTime:
    """When a place is next open while the NPC is awake: now, or at its opening hour."""
    if open_at(mind.world, address, now + ERRAND_MIN * clock.MINUTE) and open_at(mind.world, address, now):
        return now
    opens = max((node.hours[0] for a in lineage(address) if (node := mind.world.node(a)).hours is not None), default=0)
    start = clock.day_start(now) + opens
    start = start if start >= now else start + clock.DAY
    return next_waking(mind.persona, start) if is_asleep_at(mind.persona, start) else start


def _remedy_for(node: Node) -> ObjectAction | None:
    """The action that needs the object's present state and changes it: put out the fire, fill the refrigerator."""
    if node.kind is not NodeKind.OBJECT or not node.state:
        return None
    return next((action for action in node.actions if action.needs == node.state and action.after not in ("", node.state)), None)


def _is_urgent(remedy: ObjectAction) -> bool:
    """Whether it is everybody's business: a fire is, an empty refrigerator is only its owner's."""
    return "fire" in remedy.name
