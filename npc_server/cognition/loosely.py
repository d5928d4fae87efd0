"""Loosely: which memory answers a question that is put in other words.

Words need only be like those of the question, and one that few memories have weighs more; but what is asked for has to be there all the
same: a person for who, a place for where, a cause for why. Tried when nothing fits word for word (`cognition.asked`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from npc_server.cognition.asked import holds, named_in
from npc_server.cognition.indirect import Aim, Sought, sought
from npc_server.cognition.levelled import Word, is_bent, levels, levels_listed, listed, read
from npc_server.cognition.likeness import KIN, KIND, MATTER, alike
from npc_server.cognition.near_misses import falls_short
from npc_server.cognition.question_parts import Asked, Kind, is_name

LOOKED_AT = 60
"""How many memories, those most like the question, are tried as the answer."""
LIGHT = 0.35
"""What a word weighs that tells little, such as `take`; it is not missed where it has no like."""
ENOUGH = 0.55
"""Share of the question's words, weighed, that must have their like."""
ENOUGH_HINDERED = 0.5
"""The same where it is asked why something does not happen, and that which hinders is said."""

DEEDS = frozenset({Kind.WHO, Kind.WHAT, Kind.WHETHER, Kind.HOW})
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
            and _is(wanted, words, known)
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
    return share >= (ENOUGH_HINDERED if wanted.asked.kind is Kind.WHY and wanted.negated else ENOUGH)


def _does_alike(asked: Asked, strengths: Mapping[str, float]) -> bool:
    """Whether something like what is asked about is done: who carries flour need not have stolen it."""
    if asked.kind is Kind.WHAT and asked.verb in levels_listed("telling_verbs"):
        return bool(strengths.get(asked.verb))
    telling = (
        asked.kind in DEEDS
        and (asked.agent or _weight(asked.verb) == 1)
        and asked.verb in strengths
        and asked.verb not in levels_listed("ordering")
    )
    return not telling or strengths[asked.verb] > 0


def _is(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether what is asked for is there."""
    if wanted.aim is Aim.WORK:
        return _tells_work(words, known)
    if wanted.aim is Aim.STATE:
        return _tells_state(wanted, words)
    if falls_short(wanted.asked, words):
        return False
    check = _CHECKS.get(wanted.asked.kind)
    return check(wanted, words, known) if check else holds(wanted.asked, words, known)


def _tells_work(words: Sequence[Word], known: frozenset[str]) -> bool:
    """`Tansy gathers herbs`, `Piet is a cooper`, `works as a clerk`."""
    verb = next((i for i, w in enumerate(words) if not is_name(w, known) and not (w.first and w.capital)), len(words))
    if verb == len(words):
        return False
    if words[verb].low in ("is", "was"):
        return verb + 1 < len(words) and words[verb + 1].low in ("a", "an", "the") and len(words) < 12 and _has_trade(words[verb + 1 :])
    return words[verb].low.endswith("s") and words[verb].level not in levels_listed("states")


def _has_trade(words: Sequence[Word]) -> bool:
    ends = (*listed("person_endings"), "er", "or")
    return any(
        w.low in listed("persons") or (len(w.low) > 4 and w.low.endswith(ends) and w.low not in listed("not_persons")) for w in words[:5]
    )


def _tells_state(wanted: Sought, words: Sequence[Word]) -> bool:
    """Something done, suffered or wrong, not only where it is or what it is called."""
    fresh = [w for w in words if w.word and w.level not in wanted.asked.words]
    return any(w.level in levels_listed("hindering") or w.low in ("not", "no", "cannot") or is_bent(w.low) for w in fresh)


def _who(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Somebody who is not only the owner of what it was done to."""
    asked = wanted.asked
    if not holds(_without_verb(asked), words, known):
        return False
    bare = [w for w in words if w.word]
    if asked.agent or asked.does or not asked.verb:
        if any(w.low == "by" for w in bare):
            return True
        if asked.verb and not any(w.level == asked.verb for w in bare) and _to_somebody(asked, words, known):
            return True
        # Who does it comes first.
        first = next((w for w in bare if w.low not in listed("determiners") | listed("numbers")), bare[0])
        return first.level not in asked.words and not first.owner
    return True


def _to_somebody(asked: Asked, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether somebody new gets something: who inherits it is to whom it was left."""
    behind = next((words[i + 1 :] for i, w in enumerate(words) if w.low == "to"), ())
    return bool(behind) and holds(_without_verb(asked), behind, known)


def _where(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """A place, or where one sets out for."""
    bound = any(w.level in levels_listed("setting_out") and n.low == "for" for w, n in zip(words, words[1:], strict=False))
    return bound or holds(_without_verb(wanted.asked), words, known)


def _why(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """A cause that is called one, or what hinders where something is not done."""
    lows = [w.low for w in words]
    causes = listed("causes")
    if any(low in causes for low in lows if low not in wanted.asked.words):
        return True
    for low, after in zip(lows, lows[1:], strict=False):
        if (low, after) in (("out", "of"), ("in", "order"), ("in", "the")) and "siege" in lows:
            return True
    if "and" in lows and any(w.level in wanted.asked.words for w in words[lows.index("and") + 1 :]):
        return not any(w.level in wanted.asked.words - levels_listed("empty") and not w.capital for w in words[: lows.index("and")])
    if wanted.asked.words & levels_listed("allowing"):
        return False  # that it is forbidden is known
    if wanted.negated and "during" in lows:
        return True
    hindered = wanted.negated or bool(wanted.terms & levels_listed("hindered"))
    return hindered and any(w.level in levels_listed("hindering") and w.level not in wanted.asked.words for w in words)


def _how(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """By what means, or in what event."""
    return any(w.low in listed("manners") and n.word and n.level not in wanted.asked.words for w, n in zip(words, words[1:], strict=False))


def _what(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Something that is new and not only like what the question said."""
    new = [w for w in words if w.word and not w.first and _is_new(wanted, w)]
    new += [w for w in words[:1] if w.word and _is_new(wanted, w) and (wanted.asked.does or not wanted.asked.verb)]
    return bool(new)


def _is_new(wanted: Sought, word: Word) -> bool:
    if (
        word.low in listed("empty") | listed("vague") | listed("times")
        or word.level in wanted.asked.words
        or word.low in wanted.asked.names
    ):
        return False
    likes = [alike(term, word.level) for term in wanted.terms]
    return not any(MATTER <= s < KIND for s in likes) or wanted.asked.verb not in wanted.terms


def _whether(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    return True


def _without_verb(asked: Asked) -> Asked:
    return Asked(asked.kind, about=asked.about, names=asked.names, words=asked.words, loose=asked.loose)


_Check = Callable[[Sought, Sequence[Word], frozenset[str]], bool]
_CHECKS: Mapping[Kind, _Check] = {
    Kind.WHO: _who,
    Kind.WHERE: _where,
    Kind.WHY: _why,
    Kind.HOW: _how,
    Kind.WHAT: _what,
    Kind.OPEN: _whether,
    Kind.WHETHER: _whether,
}
