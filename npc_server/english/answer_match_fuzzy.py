"""Fuzzy answer matching: which memory answers a question that is put in other words.

Words need only be similar to those of the question, and rare ones weigh more. The answer type must still be there: a person for who, a
place for where, a cause for why. Tried when `answer_match` finds nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npc_server.english.answer_match import is_about_named
from npc_server.english.answer_types_fuzzy import has_answer_fuzzy
from npc_server.english.indirect_questions import Aim, FuzzyQuestion, parse_fuzzy
from npc_server.english.normalize import Word, listed_terms, terms_of, tokenize
from npc_server.english.question_parts import AnswerType, QuestionParts
from npc_server.english.similarity import DERIVED, HYPONYM, RELATED, similarity

CANDIDATES_TRIED = 60
"""Memories tried as the answer, the most similar ones first."""
LIGHT_WEIGHT = 0.35
"""Weight of a word that says little, such as `take`. Such a word need not have a similar one."""
ENOUGH_SHARED = 0.55
"""Weighted share of the question's words that must have a similar word in the memory."""
ENOUGH_FOR_WHY_NOT = 0.5
"""The same when a question asks why something does not happen."""

ABOUT_ACTIONS = frozenset({AnswerType.WHO, AnswerType.WHAT, AnswerType.WHETHER, AnswerType.HOW})
"""Answer types of questions about an action: who did it, to what, how, and whether."""


@dataclass(frozen=True)
class Candidate:
    """A memory's text, whom it is known to be about, and its index in the caller's list."""

    text: str
    about: str
    number: int


def best_match(question: str, memories: Sequence[Candidate], *, me: str, asker: str, known: frozenset[str]) -> int | None:
    """The index of the memory that answers best, the first one of equals; None when none does."""
    wanted = parse_fuzzy(question, known)
    if not wanted.terms and not wanted.asked.names and wanted.aim is not Aim.WORK:
        return None
    scored = _scored(wanted, memories, me)
    for _, candidate in scored[:CANDIDATES_TRIED]:
        words = tokenize(candidate.text)
        if (
            words
            and _is_about_asked(wanted, words, candidate, me, asker, known)
            and _shares_enough(wanted, candidate)
            and has_answer_fuzzy(wanted, words, known)
        ):
            return candidate.number
    return None


def _scored(wanted: FuzzyQuestion, memories: Sequence[Candidate], me: str) -> list[tuple[float, Candidate]]:
    """The memories with their scores, best first. Rare shared words score higher (inverse document frequency)."""
    terms = wanted.terms | wanted.hints
    names = terms_of(" ".join(wanted.asked.names)) | (terms_of(me) if wanted.aim is Aim.WORK else frozenset())
    like: dict[str, tuple[str, float]] = {}
    for word in {word for memory in memories for word in terms_of(memory.text)}:
        if word[0].isdigit() and word not in terms:
            continue
        best = max(((similarity(term, word), term) for term in terms), default=(0.0, ""))
        if best[0]:
            like[word] = (best[1], best[0])
    touched = []
    for memory in memories:
        words = terms_of(memory.text)
        shared = {like[word][0]: 0.0 for word in words if word in like}
        for word in words & like.keys():
            term, strength = like[word]
            shared[term] = max(shared[term], strength)
        if shared or names & (words | terms_of(memory.about)):
            trade = wanted.aim is Aim.WORK and bool(words & listed_terms("trades"))
            touched.append((shared, len(names & words) + trade, memory))
    common = Counter(term for shared, _, _ in touched for term in shared)
    rare = {
        term: _weight(term) * (1 + math.log(len(memories) / count + 1)) * (1 if term in wanted.terms else 0.5)
        for term, count in common.items()
    }
    scored = [(sum(s * rare[t] for t, s in shared.items()) + named, memory) for shared, named, memory in touched]
    return sorted(scored, key=lambda entry: -entry[0])


def _weight(term: str) -> float:
    return LIGHT_WEIGHT if term in listed_terms("light") | listed_terms("times") | listed_terms("crowds") else 1.0


def _is_about_asked(wanted: FuzzyQuestion, words: Sequence[Word], candidate: Candidate, me: str, asker: str, known: frozenset[str]) -> bool:
    """Whether it is about the people whom the question names, or about the one who is asked."""
    if wanted.aim is Aim.WORK and not wanted.asked.names:
        return words[0].lower in set(me.casefold().split())
    if wanted.asked.to_me and me and not set(me.casefold().split()) & {word.lower for word in words}:
        return False
    return is_about_named(wanted.asked, words, candidate.about, me, asker, known)


def _shares_enough(wanted: FuzzyQuestion, candidate: Candidate) -> bool:
    """Whether enough of the question has similar words in the memory. Words that are only related are not enough alone."""
    said = terms_of(candidate.text)
    if wanted.aim is Aim.WORK:
        # `Anselm's sister` is not Anselm.
        kin = wanted.terms & listed_terms("persons")
        return all(any(similarity(term, word) >= HYPONYM for word in said) for term in kin) or not wanted.asked.names
    strengths = {term: max((similarity(term, word) for word in said), default=0.0) for term in wanted.terms}
    whole = sum(_weight(term) for term, s in strengths.items() if s or _weight(term) == 1)
    if not whole:
        return bool(wanted.asked.names)
    share = sum(strength * _weight(term) for term, strength in strengths.items()) / whole
    close = bool(wanted.asked.names) or any(s >= DERIVED and _weight(t) == 1 for t, s in strengths.items())
    heavy = [s for t, s in strengths.items() if _weight(t) == 1]
    if not close and sum(s >= RELATED for s in heavy) < min(2, len(heavy)):
        return False
    if not _verb_is_similar(wanted.asked, strengths):
        return False
    return share >= (ENOUGH_FOR_WHY_NOT if wanted.asked.kind is AnswerType.WHY and wanted.negated else ENOUGH_SHARED)


def _verb_is_similar(asked: QuestionParts, strengths: Mapping[str, float]) -> bool:
    """Whether the memory has a verb similar to the question's: who carries flour need not have stolen it."""
    if asked.kind is AnswerType.WHAT and asked.verb in listed_terms("telling_verbs"):
        return bool(strengths.get(asked.verb))
    telling = (
        asked.kind in ABOUT_ACTIONS
        and (asked.asks_who_acts or _weight(asked.verb) == 1)
        and asked.verb in strengths
        and asked.verb not in listed_terms("ordering")
    )
    return not telling or strengths[asked.verb] > 0
