"""Appointments: what the NPC has agreed to in talks. They are steps of the plan that go before the plan of the day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from npc_server import clock
from npc_server.english.text import PROMISED
from npc_server.mind import relationships
from npc_server.mind.agreement import HERE, TODAY, TOMORROW, Agreement
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.mind.place_choice import plain
from npc_server.mind.places import short
from npc_server.mind.surroundings import named_places
from npc_server.personas import routine
from npc_server.records import (
    Address,
    GameTime,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryTopic,
    PlanLevel,
    PlanOrigin,
    PlanStatus,
    PlanStep,
)
from npc_server.world.tree import Node, NodeKind

GOING_TO = "going to "
"""Before an occasion, how a plan names that one goes there."""
GIVING = "giving "
"""The same of who invites to it."""
EARLY = 10 * clock.MINUTE
"""Game seconds before the start at which people set out."""
USUAL_LENGTH = clock.HOUR
"""Game seconds of an appointment without an end."""
CLOSE_ENOUGH = 4
"""Least closeness of somebody to whom an NPC goes without asking a model: more than an acquaintance (3)."""
PROMISE_IMPORTANCE = 6
"""Importance of a promise of one's own: more than everyday life, less than what changes a life."""
SEARCHED = 100
"""Latest memories of a person among which a promise is looked for."""
SAME_HOUR_S = 30 * clock.MINUTE
"""Game seconds that an agreement may be earlier than one at the same place, and mean the same."""
NEAREST_SHOWN = 4
"""Known places that are named where an agreement names an unknown one."""
HOME = "home"
LATEST_EXAMPLE = 20 * clock.HOUR
"""Hour from which on the example of an agreement is for tomorrow."""
_ARTICLE = re.compile(r"^(?:the|an?|my|our|your|this) ", re.IGNORECASE)


def keep(mind: Mind, found: Invitation, activity: str, now: GameTime, early: int = EARLY, people: Sequence[str] = ()) -> bool:
    """Puts an invitation of `people` into the plan. False if the NPC has another appointment then, or sleeps.

    Who agrees with several people to be at one place at one hour meets them all.
    """
    if obstacle(mind, found, now, early):
        return False
    kept = _kept(mind, found, now)
    if kept is not None:
        if new := [who for who in people if who not in kept.people]:
            mind.update_step(replace(kept, people=(*kept.people, *new)))
        return True
    start, agreed = found.start - early, PlanOrigin.AGREED  # who agrees at the last minute should have set out already
    step = PlanStep(mind.npc, 0, PlanLevel.HOUR, 0, start, found.end, activity, found.address, origin=agreed, people=tuple(people))
    mind.add_steps([step])
    if mind.day_of(found.start) == mind.day_of(now):
        mind.plan.again = f"{mind.persona.first_name} has an appointment today at {clock.hhmm(found.start)}: {activity}."
    return True


def obstacle(mind: Mind, found: Invitation, now: GameTime, early: int = EARLY) -> str:
    """Why the NPC cannot come, as the end of a sentence; empty if it can."""
    if found.end <= now:
        return f"agrees to come at {clock.hhmm(found.start)}, and that is past: it is {clock.hhmm(now)}"
    if routine.is_asleep_at(mind.persona, found.start):
        return f"agrees to come at {clock.hhmm(found.start)}, when {mind.persona.first_name} sleeps"
    if _kept(mind, found, now) is not None:
        return ""
    start = max(now, found.start - early)
    other = next((step for step in coming(mind, now) if step.start < found.end and start < step.end), None)
    if other is None:
        return ""
    hours = f"{clock.hhmm(agreed_hour(other))} to {clock.hhmm(other.end)}"
    return f"agrees to come at {clock.hhmm(found.start)}, and {hours} is promised already: {other.text}"


def _kept(mind: Mind, found: Invitation, now: GameTime) -> PlanStep | None:
    """The step, if this is in the plan already: who says yes twice, or names the hour a little differently, agrees to one thing."""
    there = [step for step in coming(mind, now) if step.address == found.address] if found.address else []
    return next((step for step in there if step.start - SAME_HOUR_S <= found.start <= step.end), None)


def would_go(mind: Mind, found: Invitation, people: Sequence[str], now: GameTime) -> bool:
    """Whether the NPC goes, where no model decides: to people it is close to, if it is free."""
    close = max((relationships.closeness(mind, person) for person in people), default=0)
    return bool(found.address) and close >= CLOSE_ENOUGH and not obstacle(mind, found, now)


def people_in(mind: Mind, text: str, speaker: str) -> list[str]:
    """Who tells of an invitation, and those of the save whom it names."""
    return [speaker, *(npc for npc in mind.people.names if mind.people.first_name_of(npc) in text)]


# ---- what was said aloud


def meant(mind: Mind, agreed: Agreement, here: Address, now: GameTime) -> Invitation:
    """When and where an agreement is. The address is empty if the NPC knows no place of that name; `here` is where they talk."""
    start = agreed.start(now)
    return Invitation(start, start + USUAL_LENGTH, place_named(mind, agreed.place, here), agreed.purpose)


def place_named(mind: Mind, name: str, here: Address) -> Address:
    """The place that the NPC knows by this name, empty if none.

    The name may have another article, other accents, or only some of the words: `the cafe` and `the Kettle` are the Kettle Café. Of several
    the best are where the talk is, then the NPC's own workplace and home, then the one higher in the tree.
    """
    wanted = _bare(name)
    if wanted in (HERE, "place", *(plain(root.name) for root in mind.world.children(""))):
        return here
    if wanted == HOME:
        return routine.home(mind.persona)
    known = [node for node in named_places(mind) if node.kind is not NodeKind.WORLD]
    exact = [node for node in known if wanted in _names(mind, node)]
    if exact:
        return min(exact, key=lambda node: _likeliness(mind, node, here)).address
    within = [node for node in known if f" {_bare(node.name)} " in f" {wanted} "]
    if within:
        return max(within, key=_length_and_height).address
    parts = set(wanted.split())
    some = [node for node in known if parts and parts <= set(_bare(node.name).split())]
    return min(some, key=lambda node: _likeliness(mind, node, here)).address if some else ""


def unknown_place(mind: Mind, name: str) -> str:
    """What is wrong with an agreement to come to a place that is not known, with the known ones that read most like it."""
    known = dict.fromkeys(mind.world.describe(node.address) for node in named_places(mind) if node.kind is NodeKind.SECTOR)
    nearest = get_close_matches(name, known, NEAREST_SHOWN, 0.0)
    return f"agrees to come to {name!r}, and no known place has that name. Known places: {', '.join(nearest)}" if nearest else ""


def example(mind: Mind, here: Address, other: str, now: GameTime) -> str:
    """A yes to `other`, a first name, as it may stand in a reply: in this town, at an hour that is still to come."""
    start = (now // clock.HOUR + 2) * clock.HOUR
    is_today = start < clock.day_start(now) + LATEST_EXAMPLE and not routine.is_asleep_at(mind.persona, start)
    hour = start % clock.DAY if is_today else (mind.persona.wake // clock.HOUR + 2) * clock.HOUR
    place = ":".join((mind.persona.work or here).split(":")[:2])
    where = mind.world.describe(place) if place in mind.world else "this place"
    return f"yes, {TODAY if is_today else TOMORROW} {clock.hhmm(hour)} at {where} to help {other}"


def _names(mind: Mind, node: Node) -> tuple[str, ...]:
    return _bare(node.name), _bare(mind.world.describe(node.address)), plain(short(mind.world, node.address))


def _bare(name: str) -> str:
    return plain(_ARTICLE.sub("", name.strip(" .")))


def _likeliness(mind: Mind, node: Node, here: Address) -> tuple[int, int]:
    """How likely a place of a common name is the one that is meant; the smallest is the likeliest."""
    own = (here, mind.persona.work, routine.home(mind.persona))
    near = next((i for i, place in enumerate(own) if place and _share_a_sector(node.address, place)), len(own))
    return near, node.address.count(":")


def _share_a_sector(one: Address, other: Address) -> bool:
    return one.split(":")[:2] == other.split(":")[:2]


def _length_and_height(node: Node) -> tuple[int, int]:
    return len(node.name), -node.address.count(":")


async def promise(mind: Mind, agreed: Invitation, others: Sequence[str], now: GameTime) -> list[Memory]:
    """Puts into the plan what the NPC has just agreed to aloud, and remembers it as its own promise to `others`."""
    is_known = _kept(mind, agreed, now) is not None
    keep(mind, agreed, agreed.occasion, now, people=others)
    if is_known:
        return []
    place = f" at {mind.world.describe(agreed.address)}" if agreed.address else ""
    text = f"to {agreed.occasion}{place}, on {clock.date(agreed.start)} at {clock.hhmm(agreed.start)}"
    return await remember_promise(mind, text, others, now, MemoryTopic.APPOINTMENT)


async def remember_promise(
    mind: Mind, what: str, others: Sequence[str], now: GameTime, topic: MemoryTopic = MemoryTopic.OTHER
) -> list[Memory]:
    """A memory of an own promise for each of `others`. `what` follows `Mara promised Tobin Hale`: `to bring flour`."""
    first, names = mind.persona.first_name, [mind.people.name_of(other) for other in others]
    return await mind.remember(
        [f"{first} promised {name} {what}." for name in names],
        kind=MemoryKind.CONVERSATION,
        at=now,
        importance=[PROMISE_IMPORTANCE] * len(names),
        source=MemorySource.SEEN,
        triples=[(first, PROMISED, name) for name in names],
        topics=[topic] * len(names),
    )


def promise_of(mind: Mind, step: PlanStep, who: str) -> str:
    """The promise to `who`, as a sentence, that made this appointment; empty if none did."""
    name = mind.people.name_of(who)
    begins = f"{mind.persona.first_name} promised {name} to {step.text}"
    about = mind.stream.about(name, SEARCHED)
    return next((memory.text for memory in about if memory.predicate == PROMISED and memory.text.startswith(begins)), "")


# ---- what is coming


def coming(mind: Mind, now: GameTime) -> list[PlanStep]:
    """Appointments that are not over, by start."""
    live = (PlanStatus.AHEAD, PlanStatus.ACTIVE)
    return sorted((step for step in mind.planned().agreed if step.end > now and step.status in live), key=lambda step: step.start)


def agreed_hour(step: PlanStep) -> GameTime:
    """The hour for which an appointment was agreed. The step begins before, when people set out."""
    return step.start + EARLY


def named_hour(step: PlanStep) -> GameTime:
    """When a step begins, as people name it and lists show it."""
    return agreed_hour(step) if step.origin is PlanOrigin.AGREED else step.start


def same_as(mind: Mind, hour: PlanStep) -> PlanStep | None:
    """The appointment that an hour of the day's own plan stands for: one that was agreed for about the time at which it begins."""
    if hour.origin is not PlanOrigin.PLANNED or hour.level is not PlanLevel.HOUR:
        return None
    return next((step for step in mind.planned().agreed if abs(agreed_hour(step) - hour.start) <= EARLY), None)


def of_today(mind: Mind, now: GameTime) -> list[str]:
    """Today's appointments with their hours, as prompts list them: `17:00 going to the party`."""
    return [f"{clock.hhmm(agreed_hour(step))} {step.text}" for step in coming(mind, now) if mind.day_of(step.start) == mind.day_of(now)]


def due(mind: Mind, now: GameTime) -> PlanStep | None:
    """The appointment in progress, if any."""
    return next((step for step in coming(mind, now) if step.start <= now), None)
