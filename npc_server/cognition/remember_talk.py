"""Remember a talk: its summary, what the others claimed, own promises, and the changed relationships (Generative Agents, section 4.3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.affordable.social_memory import facts_of, revise, talk_overs
from npc_server.cognition.claims import believe, claims_of
from npc_server.cognition.importance import rate
from npc_server.english.text import PROMISED, TALKED_WITH, clipped
from npc_server.llm.reply import many, one
from npc_server.mind import appointments, relationships
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import NOTHING, Learned, Summary
from npc_server.records import Address, GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, Source, Talk

LATELY = 30
"""Latest memories of conversations among which a promise of this talk is looked for."""
ROUND_IMPORTANCE = 2
"""Importance of having talked with a further person in a larger round."""


async def remember(mind: Mind, talk: Talk, now: GameTime, summed_up: str = "") -> list[Memory]:
    """Makes the memories of a talk that is over, revises the relationships, and returns the memories.

    The first one says what the talk was about. `summed_up` is another member's summary, which the reference asks for only once.
    """
    others = mind.others_in(talk)
    spoke = list(dict.fromkeys(line.speaker for line in talk.lines if line.speaker != mind.npc))
    if not spoke:
        return []
    baseline = mind.answerer.reference
    if baseline:
        return await baseline.remember_talk(mind, talk, spoke, summed_up, now)
    if not mind.answerer.singly:
        overs = await talk_overs(mind, talk, spoke, talk, now)
        made = await that_they_talked(mind, talk, overs[spoke[0]].about, others, now)
        claims = {other: claims_of(talk, other, over.told) for other, over in overs.items()}
    else:
        overs = {}
        made = await that_they_talked(mind, talk, await _summary(mind, talk, others, now), others, now)
        claims = {other: claims_of(talk, other, await _found(mind, talk, other, now)) for other in spoke}
    for other in spoke:
        made += await believe(mind, other, [*mind.instinct.left_out(mind, talk, other, claims[other], now), *claims[other]], talk, now)
    for other, over in overs.items():
        made += await _promised(mind, talk, other, over.promised, now)
    for other in spoke:
        revised = overs[other].revised if other in overs else None
        if revised is not None:
            named = overs[other].source is not Source.INSTINCT
            relationships.keep(mind, revised, [*overs[other].unseen, *made], now, mood_named=named)
        elif not overs:
            await revise(mind, other, now, claims[other])
    return made


async def own_line(mind: Mind, player: str, text: str, address: Address, now: GameTime) -> list[Memory]:
    """Remembers what the NPC itself said to a player, told by the sentence `text`. Rules rate it now, the model in a later thought."""
    topics = [MemoryTopic.ANSWERED]
    return await mind.remember(
        [text],
        kind=MemoryKind.CONVERSATION,
        at=now,
        importance=await rate(mind, [text], now, later=[text], topics=topics),
        source=MemorySource.SEEN,
        triples=[(mind.persona.first_name, TALKED_WITH, player)],
        address=address,
        topics=topics,
    )


async def _promised(mind: Mind, talk: Talk, other: str, promised: str, now: GameTime) -> list[Memory]:
    """An own promise in this talk, unless it was remembered when it was made."""
    latest = mind.stream.latest(LATELY, (MemoryKind.CONVERSATION,))
    if not promised or any(memory.predicate == PROMISED and memory.created >= talk.started for memory in latest):
        return []
    return await appointments.remember_promise(mind, f"this: {promised.rstrip('. ')}", [other], now)


async def that_they_talked(mind: Mind, talk: Talk, summary: str, others: Sequence[str], now: GameTime) -> list[Memory]:
    """Memories that the talk was: its summary, and one for each further person."""
    first = mind.persona.first_name
    nothing_told = not any(line.claims for line in talk.lines) and summary == mind.instinct.talk_summary(mind, talk).summary
    topic = MemoryTopic.SMALL_TALK if nothing_told else MemoryTopic.TALKED
    made = await mind.remember(
        [summary],
        kind=MemoryKind.CONVERSATION,
        at=now,
        importance=await rate(mind, [summary], now, topics=[topic]),
        source=MemorySource.SEEN,
        triples=[(first, TALKED_WITH, mind.people.name_of(others[0]))],
        address=talk.place,
        topics=[topic],
    )
    # The others of a larger round are found by their own names, too.
    further = [mind.people.name_of(other) for other in others[1:]]
    return made + await mind.remember(
        [f"{first} talked with {name} in a round of {len(others) + 1}." for name in further],
        kind=MemoryKind.CONVERSATION,
        at=now,
        importance=[ROUND_IMPORTANCE] * len(further),
        source=MemorySource.SEEN,
        triples=[(first, TALKED_WITH, name) for name in further],
        address=talk.place,
        topics=[MemoryTopic.MET] * len(further),
    )


async def _summary(mind: Mind, talk: Talk, others: Sequence[str], now: GameTime) -> str:
    answer = await ask(
        mind,
        "talk_summary",
        one(Summary),
        lambda: Summary(clipped(mind.instinct.talk_summary(mind, talk).summary, 200)),
        now,
        max_tokens=64,
        others=[mind.people.name_of(other) for other in others],
        dialogue=mind.dialogue(talk.lines, own="You"),
    )
    return answer.value.summary


async def _found(mind: Mind, talk: Talk, speaker: str, now: GameTime) -> tuple[str, ...]:
    """What the model finds in the lines of a speaker of which is not known what they tell."""
    if all(line.claims is not None for line in talk.lines if line.speaker == speaker):
        return ()
    claims = await mind.instinct.talk_claims(mind, talk, speaker)
    plain = tuple(Learned(clipped(text, 200)) for text in claims[:3]) or (Learned(NOTHING),)
    answer = await ask(
        mind,
        "talk_claims",
        many(Learned, 1, 3),
        lambda: plain,
        now,
        max_tokens=120,
        other=mind.people.name_of(speaker),
        dialogue=mind.dialogue(talk.lines, own="You"),
    )
    return facts_of([item.fact for item in answer.value])
