"""Gathering: the steps of an appointment that lasts, and what is remembered of it.

Nobody would notice anybody at a party where all do one thing for two hours. Guests should enjoy it together, as those of the Valentine's
Day party do (Generative Agents, section 3.4.3). Afterwards each remembers with whom it was there, so that people can talk of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from npc_server import clock
from npc_server.english.text import WAS_AT, WAS_HOST, enumerated
from npc_server.mind import relationships
from npc_server.mind.appointments import GIVING, GOING_TO
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import is_open_to, possible_actions
from npc_server.records import (
    GameTime,
    Memory,
    MemoryKind,
    MemorySource,
    Need,
    NpcId,
    PlanLevel,
    PlanStatus,
    PlanStep,
)
from npc_server.world.tree import lies_in

ATTENDING = "attending "
LEISURE = frozenset({Need.FOOD, Need.COMPANY, Need.FUN})
"""What somebody at a gathering does fills one of these."""
OCCASION_IMPORTANCE = 6
"""Importance of having been at an occasion: as much as a promise, and enough to tell others."""
GUESTS_NAMED = 3
"""Others who are named in that memory, at most: the closest ones."""


def steps(mind: Mind, hour: PlanStep, now: GameTime, end: GameTime) -> list[PlanStep]:
    """The steps of an appointment from `now` to `end`: in turn the occasion itself, and what can be done at its place.

    None takes longer than `mind.step_minutes_max`. The first one is the way there, and where the place offers nothing it is the only one.
    The others are ready to be done, so they cost no question. So it is with occasions that one goes to. What people agreed to do
    together is done as agreed.
    """
    longest = mind.settings.step_minutes_max * clock.MINUTE
    offered = _offered(mind, hour, now)
    if not offered or end - now <= 2 * longest or not hour.text.startswith(GOING_TO):
        return [PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, now, end, hour.text, hour.address)]
    occasion = hour.text.replace(GOING_TO, ATTENDING, 1)
    begin = mind.seed_for("gathering", hour.id) % len(offered)
    found = [PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, now, now + longest, hour.text, hour.address)]
    for i, start in enumerate(range(now + longest, end, longest)):
        text = occasion if i % 2 else offered[(begin + i // 2) % len(offered)]
        sentence, emoji = mind.instinct.sentence(mind.persona.first_name, text), mind.instinct.emoji(text)
        until = min(start + longest, end)
        found.append(PlanStep(mind.npc, 0, PlanLevel.STEP, hour.id, start, until, text, hour.address, sentence=sentence, emoji=emoji))
    return found


async def remember(mind: Mind, now: GameTime) -> list[tuple[Memory, list[NpcId]]]:
    """Makes a memory of each occasion that is over.

    A guest's is `Mara was at the party with Tobin and Ines`, and the host's `Mara was host at the party, and Tobin came`.

    Returns each with those who were seen there. Nobody has to be told of it who was there, too.
    """
    open_ = (PlanStatus.AHEAD, PlanStatus.ACTIVE)
    over = [it for it in mind.planned().agreed if it.end <= now and it.status in open_ and it.text.startswith((GOING_TO, GIVING))]
    found: list[tuple[Memory, list[NpcId]]] = []
    for hour in over:
        came = any(it.parent == hour.id and it.status is PlanStatus.DONE for it in mind.plan.steps)
        mind.update_step(replace(hour, status=PlanStatus.DONE if came else PlanStatus.FAILED))
        if came:
            guests = _seen_at(mind, hour)
            found += [(memory, guests) for memory in await _remembered(mind, hour, guests, now)]
    return found


async def _remembered(mind: Mind, hour: PlanStep, guests: Sequence[NpcId], now: GameTime) -> list[Memory]:
    is_host = hour.text.startswith(GIVING)
    occasion, did = hour.text.removeprefix(GIVING if is_host else GOING_TO), WAS_HOST if is_host else WAS_AT
    closest = sorted(guests, key=lambda who: -relationships.closeness(mind, who))[:GUESTS_NAMED]
    names = enumerated([mind.people.first_name_of(who) for who in closest])
    company = "" if not names else f", and {names} came" if is_host else f" with {names}"
    return await mind.remember(
        [f"{mind.persona.first_name} {did} {occasion}{company}."],
        kind=MemoryKind.OBSERVATION,
        at=now,
        importance=[OCCASION_IMPORTANCE],
        source=MemorySource.SEEN,
        triples=[(mind.npc, did, occasion)],
        address=hour.address,
    )


def _seen_at(mind: Mind, hour: PlanStep) -> list[NpcId]:
    """Who was seen at the place during an appointment, in the order of the save."""
    latest = takewhile(lambda it: it.created >= hour.start or it.key, mind.stream.newest((MemoryKind.OBSERVATION,)))
    there = {it.subject for it in latest if it.source is MemorySource.SEEN and it.created <= hour.end and lies_in(it.address, hour.address)}
    return [npc for npc, name in mind.people.names.items() if name in there and npc != mind.npc]


def _offered(mind: Mind, hour: PlanStep, now: GameTime) -> list[str]:
    """The names of what can be done for pleasure at the place of an appointment."""
    if hour.address not in mind.world:
        return []
    nodes = [node for node in mind.world.below(hour.address) if is_open_to(mind, node.address, now)]
    actions = [action for node in nodes for action in possible_actions(mind, node)]
    return sorted({action.name for action in actions if LEISURE & {need for need, points in action.fills if points > 0}})
