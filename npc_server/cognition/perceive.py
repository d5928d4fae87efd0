"""Perceive: what is noticed, and how much it matters (Generative Agents, section 4.1 and appendix; the numbers are its code's).

Nearest first, at most `attention_bandwidth` new events at once, and none that stands among the last `retention`
observations already. Each is kept as a sentence with its importance, subject, predicate and object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from npc_server.cognition.importance import rate
from npc_server.english.text import SAID, TOLD
from npc_server.mind.mind import Mind
from npc_server.records import Address, GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, Perception, PerceptionKind
from npc_server.world.household import is_thing
from npc_server.world.tree import NodeKind, lineage

IDLE = 1
"""Importance of a line that tells nothing."""


@dataclass(frozen=True)
class Noticed:
    """A perception in the mind's own words."""

    text: str
    triple: tuple[str, str, str]
    address: Address
    source: MemorySource
    person: str
    at: GameTime
    distance: float
    idle: bool = False
    """Whether it is a line of which is known that it tells nothing."""
    topic: MemoryTopic = MemoryTopic.OTHER


async def perceive(mind: Mind, perceptions: Sequence[Perception], now: GameTime) -> list[Memory]:
    """Takes in what was perceived; returns the new memories. What an NPC saw of places and objects it knows from now on."""
    for perception in perceptions:
        learn(mind, perception)
    noticed = attend(mind, [n for p in perceptions if (n := notice(mind, p)) is not None])
    if not noticed:
        return []
    telling = [n for n in noticed if not n.idle]
    overheard = {n.text for n in telling if n.source is MemorySource.HEARD}
    topics = [n.topic for n in telling]
    rated = iter(await rate(mind, [n.text for n in telling], now, later=overheard, topics=topics) if telling else [])
    return await _remember(mind, noticed, [IDLE if n.idle else next(rated) for n in noticed])


def learn(mind: Mind, perception: Perception) -> None:
    """Spatial knowledge: a place entered and an object seen are known, with the state they are in."""
    if perception.kind is PerceptionKind.PLACE:
        addresses = [perception.address]
    elif perception.kind is PerceptionKind.OBJECT:
        addresses = [perception.subject]
    else:
        return
    for address in addresses:
        if address in mind.world:
            mind.see(address, perception.at)


def notice(mind: Mind, perception: Perception) -> Noticed | None:
    """A perception as a sentence of the observer; None for what only teaches a place, and for what it does and says itself.

    A game that tells a line to all in earshot tells it to its speaker, too.
    """
    text = perception.text.strip()
    person, source, idle, topic = "", MemorySource.SEEN, False, MemoryTopic.OTHER
    if perception.kind in (PerceptionKind.PERSON, PerceptionKind.SPEECH) and mind.is_oneself(perception.subject):
        return None
    if perception.kind is PerceptionKind.PLACE:
        return None
    if perception.kind is PerceptionKind.PERSON:
        if not text:
            return None
        who = mind.name_of(perception.subject)
        sentence, triple = f"{who} {text}", (who, _verb(text), _rest(text))
    elif perception.kind is PerceptionKind.OBJECT:
        if not text:
            return None
        node = mind.world.node(perception.subject) if perception.subject in mind.world else None
        if node is not None and is_thing(node):
            return None  # where the cups are is known, not remarked on
        what = mind.world.describe(perception.subject) if node else perception.subject
        sentence, triple = f"{what} {text}", (perception.subject, _verb(text), _rest(text))
        sentence = sentence[0].upper() + sentence[1:]
    elif perception.kind is PerceptionKind.SPEECH:
        if not text:
            return None
        person, source, topic = perception.subject, MemorySource.HEARD, MemoryTopic.SAID
        who = mind.name_of(perception.subject) or "somebody"
        tells = mind.said_lately.tells(perception.subject, text)
        idle = tells == ()
        sentence = f'{who} said: "{text}"'
        triple = (who, TOLD, tells[-1]) if tells else (who, SAID, text)
    else:
        if not text:
            return None
        sentence, triple = text, ("", "happened", text)
    return Noticed(sentence, triple, perception.address, source, person, perception.at, perception.distance, idle, topic)


def attend(mind: Mind, noticed: Sequence[Noticed]) -> list[Noticed]:
    """Nearest first, as many as attention holds, without what was noticed a moment ago."""
    chosen: list[Noticed] = []
    seen: set[tuple[str, str, str]] = set()
    for item in sorted(noticed, key=lambda n: n.distance):
        if item.triple in seen or mind.stream.seen_lately(item.triple, mind.settings.retention):
            continue
        seen.add(item.triple)
        chosen.append(item)
    return sorted(chosen[: mind.settings.attention_bandwidth], key=lambda n: n.at)


async def observe(mind: Mind, text: str, triple: tuple[str, str, str], address: Address, now: GameTime, topic: MemoryTopic) -> list[Memory]:
    """Keeps something that happened to the NPC itself, such as an action that failed."""
    importance, seen = await rate(mind, [text], now, topics=[topic]), MemorySource.SEEN
    return await mind.remember(
        [text], kind=MemoryKind.OBSERVATION, at=now, importance=importance, source=seen, triples=[triple], address=address, topics=[topic]
    )


async def _remember(mind: Mind, noticed: Sequence[Noticed], importance: Sequence[int]) -> list[Memory]:
    made: list[Memory] = []
    # One call to the embedder for each source would be one for almost every memory; group by what differs.
    groups: dict[tuple[MemorySource, str, Address, GameTime], list[int]] = {}
    for i, item in enumerate(noticed):
        groups.setdefault((item.source, item.person, item.address, item.at), []).append(i)
    for (source, person, address, at), members in groups.items():
        made += await mind.remember(
            [noticed[i].text for i in members],
            kind=MemoryKind.OBSERVATION,
            at=at,
            importance=[importance[i] for i in members],
            source=source,
            triples=[noticed[i].triple for i in members],
            address=address,
            source_person=person,
            topics=[noticed[i].topic for i in members],
        )
    return made


def room_of(mind: Mind, address: Address) -> Address:
    """The arena an address lies in, or the address itself."""
    rooms = [a for a in lineage(address) if a in mind.world and mind.world.node(a).kind is NodeKind.ARENA]
    return rooms[-1] if rooms else address


def _verb(text: str) -> str:
    return text.split()[0] if text else ""


def _rest(text: str) -> str:
    return " ".join(text.split()[1:])
