"""Social Memory (AGA, section 3.2): what another person is to one, what one feels, what matters between them, and how close they are.

One record for each ordered pair. It begins with what the persona's file says, and takes in each memory of the other once:
`upto` is the last one it knows. Prompts show it in place of long raw retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from npc_server.english.text import clipped, ended, says_nothing
from npc_server.mind.mind import Mind
from npc_server.mind.replies import BETWEEN_CHARS
from npc_server.records import GameTime, Memory, MemoryKind, Social

STRANGER, ACQUAINTANCE = "stranger", "acquaintance"
MET = 2
"""Closeness to whom one has talked with once."""
MOST_MOVE = 2
"""Most that closeness changes at once, whatever the model says."""
UNSEEN = 5
"""Latest memories that one revision takes in."""
WORTH_TAKING_IN = 3
"""Least importance of what was seen or overheard: that somebody walked by is nothing between two people."""
KNOWN_WELL = 3
"""Closeness from which others than the persona's own people are named in every prompt."""
NAMED = 4
"""Most such others."""

_ARTICLE = re.compile(r"^(?:an?|the|my|his|her|their|your)\s+", re.IGNORECASE)


def kept_by(mind: Mind) -> bool:
    """Whether this mind keeps Social Memory."""
    return mind.settings.uses("social_memory") and not mind.persona.opt_out_of_memory


def of(mind: Mind, who: str) -> Social:
    """What is kept of `who`, an NPC id or a player's name; at first use what the persona says."""
    return mind.social.get(who) or _at_first(mind, who)


def _at_first(mind: Mind, who: str) -> Social:
    relation = mind.persona.relation(who)
    if relation is not None:
        return Social(mind.npc, who, relation.being, relation.feeling, "", relation.closeness, 0, 0)
    met = any(m.kind is MemoryKind.CONVERSATION for m in mind.stream.about(mind.name_of(who), 5))
    return Social(mind.npc, who, ACQUAINTANCE if met else STRANGER, "", "", MET if met else 0, 0, 0)


def closeness(mind: Mind, who: str) -> int:
    """0 stranger, 3 acquaintance, 5 co-worker, 10 married (AGA); who was talked to is no stranger."""
    return of(mind, who).closeness


def line(mind: Mind, who: str, *, named: bool = False) -> str:
    """How prompts show it: `Ada: customer, closeness 3 of 10. She wonders about her. She sells wool.`

    `named`: the prompt begins with one's own people, so that what one feels for those stands there already.
    """
    kept = of(mind, who)
    feeling = "" if named and kept in people(mind) else ended(kept.feeling)
    parts = [f"{mind.name_of(who)}: {kept.relation}, closeness {kept.closeness} of 10.", feeling, ended(kept.between)]
    return " ".join(part for part in parts if part)


def people(mind: Mind) -> list[Social]:
    """Who stands in every prompt: the persona's own people in the file's order, then those one came to know well, closest first."""
    own = [of(mind, relation.who) for relation in mind.persona.relations]
    own_ids = {kept.other for kept in own}
    others = [kept for kept in mind.social.values() if kept.other not in own_ids and kept.closeness >= KNOWN_WELL]
    return own + sorted(others, key=lambda kept: (-kept.closeness, kept.other))[:NAMED]


def everybody(mind: Mind) -> list[Social]:
    """The persona's own people and whom one talked with, the closest first."""
    known = dict.fromkeys([*(relation.who for relation in mind.persona.relations), *mind.social])
    return sorted((of(mind, who) for who in known), key=lambda kept: (-kept.closeness, kept.other))


def unseen(mind: Mind, kept: Social) -> list[Memory]:
    """The latest memories of the other that the summary has not taken in, oldest first."""
    name = mind.name_of(kept.other).casefold()
    found: list[Memory] = []
    for memory in mind.stream.latest(len(mind.stream)):
        if memory.id <= kept.upto or len(found) == UNSEEN:
            break
        mundane = memory.kind is MemoryKind.OBSERVATION and memory.importance < WORTH_TAKING_IN
        if mundane or memory.kind in (MemoryKind.PLAN, MemoryKind.SEED):
            continue
        if _is_of(memory, name, kept.other):
            found.append(memory)
    return found[::-1]


def _is_of(memory: Memory, name: str, who: str) -> bool:
    if name in (memory.subject.casefold(), memory.object.casefold()) or memory.source_person == who:
        return True
    return memory.kind is MemoryKind.REFLECTION and name in memory.text.casefold()


def sensible(former: Social, relation: str, feeling: str, between: str, close: int) -> Social:
    """What a model says of a relationship, without what is empty, too long or too sudden: there the former stays."""
    between = clipped(between, BETWEEN_CHARS)
    return replace(
        former,
        relation=former.relation if says_nothing(relation) else _ARTICLE.sub("", clipped(relation, 60)).rstrip(". ") or former.relation,
        feeling=former.feeling if says_nothing(feeling) else clipped(feeling, 160),
        between=former.between if says_nothing(between) else between,
        closeness=max(former.closeness - MOST_MOVE, min(former.closeness + MOST_MOVE, close)),
    )


def keep(mind: Mind, kept: Social, taken: Sequence[Memory], now: GameTime) -> None:
    """The record takes the place of the former one; the memories `taken` and all before them count as known to it.

    The draft keeps the former one with it, so that what is taken back later can be taken back from here, too.
    """
    former = of(mind, kept.other)
    last = max((memory.id for memory in taken), default=former.upto)
    revised = replace(kept, upto=max(last, former.upto), at=now)
    mind.social[kept.other] = mind.draft.socials[kept.other] = revised
    grounds = {number for memory in taken for number in (memory.id, *memory.evidence)}
    mind.draft.taken_in.append((former, tuple(sorted(grounds))))


def take_back(mind: Mind, former: Social) -> None:
    """Puts a record as it was before; what else it took in since is unseen again, and is taken in at the next time."""
    if former.at:
        mind.social[former.other] = mind.draft.socials[former.other] = former
    else:  # it was never revised: it begins anew
        mind.social.pop(former.other, None)
        mind.draft.socials[former.other] = None
