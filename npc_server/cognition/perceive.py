"""Perceive: what an NPC notices, and how much it matters (Generative Agents, section 4.1 and appendix).

An NPC notices the nearest `attention_bandwidth` events, and none that is among its last `retention` observations. An event
becomes a memory: a sentence with its importance, subject, predicate and object. The numbers are those of the paper's code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from npc_server import clock
from npc_server.cognition.importance import rate
from npc_server.english.text import ON_THE_WAY, SAID, TALKING_WITH, THERE, TOLD, TOLD_OF_OCCASION
from npc_server.memory.stream import casefolded
from npc_server.mind.instinct import WORTH_ASKING
from npc_server.mind.mind import Mind
from npc_server.records import Address, GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, NpcId, Perception, PerceptionKind
from npc_server.world.household import is_thing
from npc_server.world.tree import Node, lineage

IDLE = 1
"""Importance of a line that tells nothing."""
PASSES_BY = 2
"""Importance of somebody who only walks or stands somewhere, where rules rate: everyday life."""
PASSERS_BY_EVERY_S = clock.HOUR
"""For so many game seconds after seeing somebody, the NPC does not remember that they walk by."""
STATE_EVERY_S = clock.DAY
"""Game seconds after which an NPC remembers again that an object is still in an unusual state."""
FAILURE_EVERY_S = clock.DAY // 2
"""The same for something that could not be done for the same reason."""
LOOKED_THROUGH = 100
"""Latest observations among which an earlier sight is looked for. A busy hour holds fewer."""
LATE_S = clock.HOUR
"""Game seconds by which a perception may come later than newer ones. Among older memories no sight is looked for."""


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
    """Whether it is a line that is known to tell nothing."""
    dull: bool = False
    """Whether it only tells where somebody is or goes."""
    kept: bool = True
    """Whether it becomes a memory. If not, the NPC only notices it."""
    topic: MemoryTopic = MemoryTopic.OTHER


async def perceive(mind: Mind, perceptions: Sequence[Perception], now: GameTime) -> list[Memory]:
    """Takes in what was perceived and returns it as memories. From now on the NPC knows the places and objects it saw.

    A memory with the id 0 is not kept, such as that of somebody who walks by. The NPC may react to it.
    """
    found: list[Noticed] = []
    for perception in perceptions:
        noticed = notice(mind, perception)  # before it is learnt: what one knew already is no news
        learn(mind, perception)
        if noticed is not None:
            found.append(noticed)
    attended = attend(mind, found)
    return await _remember(mind, attended, await _rate(mind, attended, now))


async def _rate(mind: Mind, noticed: Sequence[Noticed], now: GameTime) -> list[int]:
    """The importance of each. The model is asked for what becomes a memory and tells something."""
    plain = {i: IDLE if n.idle else PASSES_BY for i, n in enumerate(noticed) if n.idle or (n.dull and _passes_by(mind, n))}
    rest = [i for i in range(len(noticed)) if i not in plain]
    weights = await mind.instinct.importance(mind, [noticed[i].text for i in rest], [noticed[i].topic for i in rest])
    found = plain | {i: weight.importance for i, weight in zip(rest, weights, strict=True)}
    asked = {i: weight for i, weight in zip(rest, weights, strict=True) if noticed[i].kept}
    # The reaction does not depend on the model's rating of words of others, and of what is grave enough to ask about it.
    later = {noticed[i].text for i in asked if noticed[i].source is MemorySource.HEARD or found[i] >= WORTH_ASKING}
    texts, topics = [noticed[i].text for i in asked], [noticed[i].topic for i in asked]
    rated = await rate(mind, texts, now, later=later, topics=topics, weights=list(asked.values()))
    found |= dict(zip(asked, rated, strict=True))
    return [found[i] for i in range(len(noticed))]


def _passes_by(mind: Mind, noticed: Noticed) -> bool:
    return not noticed.kept or mind.settings.uses("rule_importance")


def learn(mind: Mind, perception: Perception) -> None:
    """Adds to spatial knowledge: the place that was entered, or the object that was seen and its state."""
    if perception.kind is PerceptionKind.PLACE and perception.address in mind.world:
        mind.see(perception.address, perception.at)
    elif perception.kind is PerceptionKind.OBJECT and perception.subject in mind.world:
        told = _state_in(mind.world.node(perception.subject), perception.text.strip())
        mind.see(perception.subject, perception.at, told)


def notice(mind: Mind, perception: Perception) -> Noticed | None:
    """A perception as a sentence of the observer. None if it is not news.

    Nobody notices what they do or say themselves. A game may tell a line to all in earshot, its speaker included.
    """
    text = perception.text.strip()
    if perception.kind in (PerceptionKind.PERSON, PerceptionKind.SPEECH) and mind.is_oneself(perception.subject):
        return None
    if perception.kind is PerceptionKind.PERSON:
        return _person(mind, perception, text)
    if perception.player is not None and text:
        return _deed_of_player(perception, text)
    if perception.kind is PerceptionKind.PLACE or not text:
        return None
    if perception.kind is PerceptionKind.OBJECT:
        return _object(mind, perception, text)
    if perception.kind is PerceptionKind.SPEECH:
        return _speech(mind, perception, text)
    return Noticed(text, ("", "happened", text), perception.address, MemorySource.SEEN, "", perception.at, perception.distance)


def _person(mind: Mind, perception: Perception, text: str) -> Noticed | None:
    """Somebody in sight. An NPC remembers at most once an hour that a person walks by."""
    who = mind.people.name_of(perception.subject)
    if perception.on_the_way_to in mind.world:
        text = f"is on the way to {_destination(mind, perception.on_the_way_to, perception.address)}"
    if not text or (text.startswith(TALKING_WITH) and _talks_with(mind, perception.subject)):
        return None
    walks = bool(perception.on_the_way_to)
    kept = not walks or not _seen_since(mind, who, perception.at - PASSERS_BY_EVERY_S)
    where = ON_THE_WAY if walks else THERE if _is_only_there(mind, text, perception.address) else ""
    triple = (who, _verb(text), where or _rest(text))
    at, distance, dull = perception.at, perception.distance, bool(where)
    topic = MemoryTopic.SIGHT if dull or text.startswith(TALKING_WITH) else MemoryTopic.OTHER
    return Noticed(f"{who} {text}", triple, perception.address, MemorySource.SEEN, "", at, distance, dull=dull, kept=kept, topic=topic)


def _talks_with(mind: Mind, who: NpcId) -> bool:
    """Whether the NPC's last deed is a talk with somebody, of which the talk itself will remain."""
    return bool(mind.lifestyle.deeds) and who in mind.lifestyle.deeds[-1].talked_with


def _is_only_there(mind: Mind, text: str, place: Address) -> bool:
    """Whether a sight tells no more than where somebody is, in the world's own words (`named.seen_as`)."""
    if place not in mind.world:
        return False
    at = [place, *(node.address for node in mind.world.children(place))]
    return text in [f"is at {mind.world.describe(address)}" for address in at]


def _deed_of_player(perception: Perception, text: str) -> Noticed:
    who, at, distance = perception.subject, perception.at, perception.distance
    triple, topic = (who, _verb(text), _rest(text)), MemoryTopic.PLAYER_DID
    return Noticed(f"{who} {text}", triple, perception.address, MemorySource.SEEN, "", at, distance, topic=topic)


def _destination(mind: Mind, address: Address, here: Address) -> str:
    """Where somebody walks to: a building, for those inside it a room, and for those in the room an object."""
    for above in lineage(address)[1:]:
        if above not in lineage(here):
            return mind.world.describe(above)
    return mind.world.describe(address)


def _seen_since(mind: Mind, subject: str, since: GameTime) -> bool:
    """Whether the NPC remembers a sight of this person or object."""
    latest = islice(mind.stream.newest((MemoryKind.OBSERVATION,)), LOOKED_THROUGH)
    # What the game added may be of long ago, and the sights before it are not.
    lately = takewhile(lambda memory: memory.created > since - LATE_S or memory.key, latest)
    return any(memory.subject == subject and memory.created > since for memory in lately)


def _object(mind: Mind, perception: Perception, text: str) -> Noticed | None:
    """An object in sight. The NPC notices an everyday state only if it believed the object to be in another one.

    Everyday states never become memories, but the NPC knows them (`learn`). Another state, such as a fire, becomes one when it is news,
    and once a day while it lasts.
    """
    address, kept = perception.subject, True
    node = mind.world.node(address) if address in mind.world else None
    if node is not None and is_thing(node):
        return None  # where the cups are is known, not remarked on
    state = _state_in(node, text) if node is not None else ""
    if node is not None and state:
        is_believed, is_ordinary = mind.knowledge.state(address) == state, state in node.ordinary_states()
        if is_ordinary and (is_believed or _is_using(mind, address)):
            return None
        kept = not is_ordinary and not (is_believed and _seen_since(mind, address, perception.at - STATE_EVERY_S))
    what = mind.world.describe(address) if node is not None else address
    sentence, triple = f"{what} {text}", (address, _verb(text), _rest(text))
    sentence = sentence[0].upper() + sentence[1:]
    at, distance = perception.at, perception.distance
    return Noticed(sentence, triple, perception.address, MemorySource.SEEN, "", at, distance, kept=kept)


def _state_in(node: Node, text: str) -> str:
    """The state that a perception tells. Empty if it tells something else about the object."""
    told = text.removeprefix("is ")
    return told if told != text and told in (node.state, *node.states) else ""


def _is_using(mind: Mind, address: Address) -> bool:
    """Whether the NPC is doing something with the object."""
    return (
        bool(mind.lifestyle.deeds)
        and mind.lifestyle.deeds[-1].address == address
        and mind.lifestyle.deeds[-1].arrived
        and not mind.lifestyle.deeds[-1].end
    )


def _speech(mind: Mind, perception: Perception, text: str) -> Noticed:
    who = mind.people.name_of(perception.subject) or "somebody"
    line = mind.talks.said_lately.line(perception.subject, text)
    tells = line.claims if line is not None else None
    told = TOLD_OF_OCCASION if line is not None and line.of_occasion else TOLD
    triple = (who, told, tells[-1]) if tells else (who, SAID, text)
    heard, person = MemorySource.HEARD, perception.subject
    at, distance = perception.at, perception.distance
    said = f'{who} said: "{text}"'
    return Noticed(said, triple, perception.address, heard, person, at, distance, idle=tells == (), topic=MemoryTopic.SAID)


def attend(mind: Mind, noticed: Sequence[Noticed]) -> list[Noticed]:
    """The nearest events, as many as attention holds, without those that were noticed a moment ago."""
    chosen: list[Noticed] = []
    seen = mind.stream.seen_lately(mind.settings.retention) if noticed else set()
    for item in sorted(noticed, key=lambda n: n.distance):
        triple = casefolded(item.triple)
        if triple not in seen:
            seen.add(triple)
            chosen.append(item)
    return sorted(chosen[: mind.settings.attention_bandwidth], key=lambda n: n.at)


async def observe(mind: Mind, text: str, triple: tuple[str, str, str], address: Address, now: GameTime, topic: MemoryTopic) -> list[Memory]:
    """Remembers something that happened to the NPC itself, such as an action that failed.

    The same failure is remembered once in a while: where no way leads anywhere, it would soon be all that somebody remembers.
    """
    lately = mind.stream.latest(LOOKED_THROUGH, (MemoryKind.OBSERVATION,)) if topic is MemoryTopic.FAILED else ()
    if any(it.text == text and now - it.created < FAILURE_EVERY_S for it in lately):
        return []
    importance, seen = await rate(mind, [text], now, topics=[topic]), MemorySource.SEEN
    return await mind.remember(
        [text], kind=MemoryKind.OBSERVATION, at=now, importance=importance, source=seen, triples=[triple], address=address, topics=[topic]
    )


async def _remember(mind: Mind, noticed: Sequence[Noticed], importance: Sequence[int]) -> list[Memory]:
    made: list[Memory] = []
    # One call to the embedder for each source would be one for almost every memory; group by what differs.
    groups: dict[tuple[MemorySource, str, Address, GameTime], list[int]] = {}
    for i, item in enumerate(noticed):
        if not item.kept:
            made += _only_noticed(mind, item, importance[i])
            continue
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


def _only_noticed(mind: Mind, item: Noticed, importance: int) -> list[Memory]:
    """A memory with the id 0, of something that is noticed and not kept. Empty for an NPC without memory."""
    if mind.persona.opt_out_of_memory:
        return []
    subject, predicate, obj = item.triple
    memory = Memory(mind.npc, 0, MemoryKind.OBSERVATION, item.text, item.at, item.at, importance, subject, predicate, obj, item.source)
    return [replace(memory, address=item.address, source_person=item.person, topic=item.topic)]


def _verb(text: str) -> str:
    return text.split()[0] if text else ""


def _rest(text: str) -> str:
    return " ".join(text.split()[1:])
