"""Claims: what others said in a talk is remembered as their claims, and may change the plan (Generative Agents, section 4.3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from npc_server.cognition.importance import rate
from npc_server.english.text import TOLD, TOLD_OF_OCCASION
from npc_server.mind import appointments
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import named_places
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, Talk

LOOKED_THROUGH = 500
"""Latest memories among which a claim is looked for that was known before."""


def claims_of(talk: Talk, speaker: str, found: Sequence[str]) -> list[str]:
    """The claims that a speaker's lines carry, and those of `found` if some lines carry none."""
    lines = [line for line in talk.lines if line.speaker == speaker]
    known = [claim for line in lines for claim in line.claims or ()]
    return known + [fact for fact in found if fact not in known] if any(line.claims is None for line in lines) else known


def known_before(mind: Mind, claims: Sequence[str]) -> list[int]:
    """Ids of the memories that say one of these claims. No new memory is made of such a claim."""
    said = {claim.casefold() for claim in claims}
    return [memory.id for memory in mind.stream.latest(LOOKED_THROUGH) if memory.text.casefold() in said]


async def believe(
    mind: Mind,
    speaker: str,
    claims: Sequence[str],
    talk: Talk,
    now: GameTime,
    importance: Sequence[int] = (),
    triples: Sequence[tuple[str, str, str]] = (),
    topic: MemoryTopic = MemoryTopic.OTHER,
) -> list[Memory]:
    """Makes memories of what `speaker` told, as claims and not as facts.

    `importance` and `triples` have one entry for each claim, where they are known. Otherwise instinct rates the claims for now, and the
    model rates them in a later thought, several at once. An invitation becomes an appointment by rule, unless a model speaks for the NPC:
    what that agrees to counts.
    """
    known = {memory.text.casefold() for memory in mind.stream.latest(LOOKED_THROUGH)}
    once = {claim.casefold(): i for i, claim in reversed(list(enumerate(claims)))}
    numbers = [i for folded, i in reversed(once.items()) if folded not in known]
    fresh = [claims[i] for i in numbers]
    told, topics = _told(mind, speaker, talk), [topic] * len(fresh)
    made = await mind.remember(
        fresh,
        kind=MemoryKind.CONVERSATION,
        at=now,
        importance=[importance[i] for i in numbers] if importance else await rate(mind, fresh, now, later=fresh, topics=topics),
        source=MemorySource.TOLD,
        triples=[triples[i] if triples else told(claims[i]) for i in numbers],
        address=talk.place,
        source_person=speaker,
        topics=topics,
    )
    if speaker in mind.people.names and not mind.answerer.speaks_for_itself:
        # Also what is known already: whom a stranger's news of a party leaves cold may go when a friend tells it.
        for i in sorted(once.values()):
            follow(mind, claims[i], speaker, now)
    return made


def _told(mind: Mind, speaker: str, talk: Talk) -> Callable[[str], tuple[str, str, str]]:
    """What makes the triple of a claim of `speaker`. The lines of the talk say which claims are of an occasion."""
    lines = [line for line in talk.lines if line.speaker == speaker and line.of_occasion]
    outings = {claim for line in lines for claim in line.claims or ()}
    who, me = mind.people.name_of(speaker), mind.persona.first_name
    return lambda claim: (who, TOLD_OF_OCCASION if claim in outings else TOLD, me)


def follow(mind: Mind, text: str, speaker: str, now: GameTime) -> bool:
    """Puts an invitation into the plan by rule: the NPC goes to people it is close to, if it is free. True when it goes."""
    found = mind.instinct.invitation(text, now, named_places(mind))
    if found is None or not appointments.would_go(mind, found, appointments.people_in(mind, text, speaker), now):
        return False
    return appointments.keep(mind, found, f"{appointments.GOING_TO}{found.occasion}", now)
