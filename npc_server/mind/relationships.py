"""Social Memory (AGA, section 3.2): what another person is to the NPC, its feelings, what matters between them, and closeness.

There is one record for each ordered pair. It begins with the persona's file and includes each memory of the other once, up to `upto`.
Prompts show it instead of many raw memories.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from npc_server.english.text import PROMISED, clipped, ended, says_nothing
from npc_server.mind import mood
from npc_server.mind.mind import Mind
from npc_server.mind.replies import BETWEEN_CHARS
from npc_server.mind.retrieve import tells_nothing
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, Social

STRANGER, ACQUAINTANCE = "stranger", "acquaintance"
MET = 2
"""Closeness to somebody the NPC has talked with once."""
MOST_MOVE = 2
"""How far closeness moves at most in one revision, whatever the model says."""
UNSEEN, UNSEEN_OF_PLAYERS = 5, 16
"""How many unseen memories one revision includes; the latest. Of players, all that was said stands in them."""
WORTH_TAKING_IN = 3
"""Least importance of an observation that a revision includes. That somebody walked by says nothing about a relationship."""
KNOWN_WELL = 3
"""Least closeness of other people who are named in every prompt, besides the persona's own."""
NAMED = 4
"""How many of them are named at most."""

_ARTICLE = re.compile(r"^(?:an?|the|my|his|her|their|your)\s+", re.IGNORECASE)


def kept_by(mind: Mind) -> bool:
    """Whether this mind keeps Social Memory."""
    return mind.settings.uses("social_memory") and not mind.persona.opt_out_of_memory


def of(mind: Mind, who: str) -> Social:
    """The record of `who`, an NPC id or a player's name. Before the first revision it is what the persona says."""
    return mind.relationships.social.get(who) or _at_first(mind, who)


def _at_first(mind: Mind, who: str) -> Social:
    relation = mind.persona.relation(who)
    if relation is not None:
        return Social(mind.npc, who, relation.being, relation.feeling, "", relation.closeness, 0, 0)
    # With Social Memory a talk makes a record when it is over. Until then its own lines do not make a stranger an acquaintance.
    met = not kept_by(mind) and any(m.kind is MemoryKind.CONVERSATION for m in mind.stream.about(mind.people.name_of(who), 5))
    return Social(mind.npc, who, ACQUAINTANCE if met else STRANGER, "", "", MET if met else 0, 0, 0)


def closeness(mind: Mind, who: str) -> int:
    """0 stranger, 3 acquaintance, 5 co-worker, 10 married (AGA)."""
    return of(mind, who).closeness


def line(mind: Mind, who: str, *, named: bool = False) -> str:
    """As prompts show it: `Ada: customer, closeness 3 of 10. She wonders about her. She sells wool.`

    With `named`, what people are and the feeling for them are left out for those whom the prompt's beginning describes already.
    """
    kept, name = of(mind, who), mind.people.name_of(who)
    described = named and kept in people(mind)
    head = f"{name}, closeness {kept.closeness} of 10." if described else f"{name}: {kept.relation}, closeness {kept.closeness} of 10."
    parts = [head, "" if described else ended(kept.feeling), ended(kept.between)]
    return " ".join(part for part in parts if part)


def people(mind: Mind) -> list[Social]:
    """The people in every prompt: the persona's own in the file's order, then others it knows well, closest first."""
    own = [of(mind, relation.who) for relation in mind.persona.relations]
    own_ids = {kept.other for kept in own}
    others = [kept for kept in mind.relationships.social.values() if kept.other not in own_ids and kept.closeness >= KNOWN_WELL]
    return own + sorted(others, key=lambda kept: (-kept.closeness, kept.other))[:NAMED]


def everybody(mind: Mind) -> list[Social]:
    """Everybody the NPC has a relationship with, closest first."""
    known = dict.fromkeys([*(relation.who for relation in mind.persona.relations), *mind.relationships.social])
    return sorted((of(mind, who) for who in known), key=lambda kept: (-kept.closeness, kept.other))


def unseen(mind: Mind, kept: Social, most: int = UNSEEN) -> list[Memory]:
    """The latest memories of the other that the summary does not include yet, oldest first."""
    name, most = mind.people.name_of(kept.other).casefold(), UNSEEN if kept.other in mind.people.names else UNSEEN_OF_PLAYERS
    found: list[Memory] = []
    for memory in mind.stream.latest(len(mind.stream)):
        if memory.id <= kept.upto or len(found) == most:
            break
        if not memory.doubt and _is_of(memory, name, kept.other):
            found.append(memory)
    return found[::-1]


def includes(mind: Mind, kept: Social, memory: Memory) -> bool:
    """Whether the summary may include this memory."""
    return memory.id <= kept.upto and _is_of(memory, mind.people.name_of(kept.other).casefold(), kept.other)


def _is_of(memory: Memory, name: str, who: str) -> bool:
    """Whether a memory is of this person, and worth taking in."""
    mundane = memory.kind is MemoryKind.OBSERVATION and (memory.importance < WORTH_TAKING_IN or tells_nothing(memory))
    own_promise = memory.predicate == PROMISED and memory.source is MemorySource.SEEN
    if mundane or own_promise or memory.kind in (MemoryKind.PLAN, MemoryKind.SEED):
        return False
    if name in (memory.subject.casefold(), memory.object.casefold()) or memory.source_person == who:
        return True
    return memory.kind is MemoryKind.REFLECTION and name in memory.text.casefold()


def sensible(former: Social, relation: str, feeling: str, between: str, close: int) -> Social:
    """A model's revision, without parts that are empty, too long or too sudden. Those stay as they were."""
    between = clipped(between, BETWEEN_CHARS)
    return replace(
        former,
        relation=former.relation if says_nothing(relation) else _ARTICLE.sub("", clipped(relation, 60)).rstrip(". ") or former.relation,
        feeling=former.feeling if says_nothing(feeling) else clipped(feeling, 160),
        between=former.between if says_nothing(between) else between,
        closeness=max(former.closeness - MOST_MOVE, min(former.closeness + MOST_MOVE, close)),
    )


def keep(mind: Mind, kept: Social, taken: Sequence[Memory], now: GameTime, *, mood_named: bool = False) -> None:
    """Replaces the record. `taken`, and all memories before them, count as included.

    The draft keeps the former record, so that an undo can restore it. With `mood_named` the model has said what the talk leaves, and
    closeness changes no mood.
    """
    former = of(mind, kept.other)
    last = max((memory.id for memory in taken), default=former.upto)
    revised = replace(kept, upto=max(last, former.upto), at=now)
    if not mood_named:
        mind.feelings.mood = mood.after_talk(mind.feelings.mood, revised.closeness - former.closeness, now, mind.people.name_of(kept.other))
    mind.relationships.social[kept.other] = mind.draft.socials[kept.other] = revised
    grounds = {number for memory in taken for number in (memory.id, *memory.evidence)}
    mind.draft.taken_in.append((former, tuple(sorted(grounds))))


def take_back(mind: Mind, former: Social) -> None:
    """Restores a former record. What else was included since is unseen again."""
    if former.at:
        mind.relationships.social[former.other] = mind.draft.socials[former.other] = former
    else:  # it was never revised
        mind.relationships.social.pop(former.other, None)
        mind.draft.socials[former.other] = None
