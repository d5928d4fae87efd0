"""Loosely: which memory answers a question that is put in other words.

Words need only be like those of the question, and one that few memories have weighs more; but what is asked for has to be there all the
same: a person for who, a place for where, a cause for why. Tried when nothing fits word for word (`english.answer_match`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npc_server.english.answer_match import named_in
from npc_server.english.answer_types_loose import holds_loosely
from npc_server.english.indirect_questions import Aim, Sought, sought
from npc_server.english.normalize import Word, levels, levels_listed, read
from npc_server.english.question_parts import AsksFor, QuestionParts
from npc_server.english.similarity import KIN, KIND, MATTER, alike

LOOKED_AT = 60
"""How many memories, those most like the question, are tried as the answer."""
LIGHT = 0.35
"""What a word weighs that tells little, such as `take`; it is not missed where it has no like."""
ENOUGH = 0.55
"""Share of the question's words, weighed, that must have their like."""
ENOUGH_HINDERED = 0.5
"""The same where it is asked why something does not happen, and that which hinders is said."""

DEEDS = frozenset({AsksFor.WHO, AsksFor.WHAT, AsksFor.WHETHER, AsksFor.HOW})
"""What is asked of a deed: who did it, to what, how and whether."""


@dataclass(frozen=True)
class Candidate:
    """A memory's text, whom it is known to be about, and its number among those that are asked."""

    text: str
    about: str
    number: int


def most_like(question: str, memories: Sequence[Candidate], *, me: str, asker: str, known: frozenset[str]) -> int | None:
    """The number of the memory that answers best; of equals the first."""
    wanted = sought(question, known)
    if not wanted.terms and not wanted.asked.names and wanted.aim is not Aim.WORK:
        return None
    scored = _scored(wanted, memories, me)
    for _, candidate in scored[:LOOKED_AT]:
        words = read(candidate.text)
        if (
            words
            and _of_the_right_one(wanted, words, candidate, me, asker, known)
            and _enough(wanted, candidate)
            and holds_loosely(wanted, words, known)
        ):
            return candidate.number
    return None


def _scored(wanted: Sought, memories: Sequence[Candidate], me: str) -> list[tuple[float, Candidate]]:
    """The memories by likeness, the rarer the shared words the higher."""
    terms = wanted.terms | wanted.hints
    names = levels(" ".join(wanted.asked.names)) | (levels(me) if wanted.aim is Aim.WORK else frozenset())
    like: dict[str, tuple[str, float]] = {}
    for word in {word for memory in memories for word in levels(memory.text)}:
        if word[0].isdigit() and word not in terms:
            continue
        best = max(((alike(term, word), term) for term in terms), default=(0.0, ""))
        if best[0]:
            like[word] = (best[1], best[0])
    touched = []
    for memory in memories:
        words = levels(memory.text)
        shared = {like[word][0]: 0.0 for word in words if word in like}
        for word in words & like.keys():
            term, strength = like[word]
            shared[term] = max(shared[term], strength)
        if shared or names & (words | levels(memory.about)):
            trade = wanted.aim is Aim.WORK and bool(words & levels_listed("trades"))
            touched.append((shared, len(names & words) + trade, memory))
    common = Counter(term for shared, _, _ in touched for term in shared)
    rare = {
        term: _weight(term) * (1 + math.log(len(memories) / count + 1)) * (1 if term in wanted.terms else 0.5)
        for term, count in common.items()
    }
    scored = [(sum(s * rare[t] for t, s in shared.items()) + named, memory) for shared, named, memory in touched]
    return sorted(scored, key=lambda entry: -entry[0])


def _weight(term: str) -> float:
    return LIGHT if term in levels_listed("light") | levels_listed("times") | levels_listed("crowds") else 1.0


def _of_the_right_one(wanted: Sought, words: Sequence[Word], candidate: Candidate, me: str, asker: str, known: frozenset[str]) -> bool:
    """Whether it is about those who are named, and about oneself where that is asked."""
    if wanted.aim is Aim.WORK and not wanted.asked.names:
        return words[0].low in set(me.casefold().split())
    if wanted.asked.to_me and me and not set(me.casefold().split()) & {word.low for word in words}:
        return False
    return named_in(wanted.asked, words, candidate.about, me, asker, known)


def _enough(wanted: Sought, candidate: Candidate) -> bool:
    """Whether enough of the question has its like in a sentence, and not only by words that are no more than of one matter."""
    said = levels(candidate.text)
    if wanted.aim is Aim.WORK:
        # `Anselm's sister` is not Anselm.
        kin = wanted.terms & levels_listed("persons")
        return all(any(alike(term, word) >= KIND for word in said) for term in kin) or not wanted.asked.names
    strengths = {term: max((alike(term, word) for word in said), default=0.0) for term in wanted.terms}
    whole = sum(_weight(term) for term, s in strengths.items() if s or _weight(term) == 1)
    if not whole:
        return bool(wanted.asked.names)
    share = sum(strength * _weight(term) for term, strength in strengths.items()) / whole
    close = bool(wanted.asked.names) or any(s >= KIN and _weight(t) == 1 for t, s in strengths.items())
    heavy = [s for t, s in strengths.items() if _weight(t) == 1]
    if not close and sum(s >= MATTER for s in heavy) < min(2, len(heavy)):
        return False
    if not _does_alike(wanted.asked, strengths):
        return False
    return share >= (ENOUGH_HINDERED if wanted.asked.kind is AsksFor.WHY and wanted.negated else ENOUGH)


def _does_alike(asked: QuestionParts, strengths: Mapping[str, float]) -> bool:
    """Whether something like what is asked about is done: who carries flour need not have stolen it."""
    if asked.kind is AsksFor.WHAT and asked.verb in levels_listed("telling_verbs"):
        return bool(strengths.get(asked.verb))
    telling = (
        asked.kind in DEEDS
        and (asked.agent or _weight(asked.verb) == 1)
        and asked.verb in strengths
        and asked.verb not in levels_listed("ordering")
    )
    return not telling or strengths[asked.verb] > 0
