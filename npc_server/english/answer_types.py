"""Of each kind of question what answers it: whether a sentence holds a person, a place, an hour, a number, a reason, a name.

What the question said itself does not count. The words by which each kind is known are in `data/answer_match.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from npc_server.english.normalize import Word, all_prepositions, level, levels_listed, listed, verbs
from npc_server.english.question_parts import AsksFor, QuestionParts, is_name

_CLOCK = re.compile(r"\d{1,2}[:.]\d\d$")
_DATE = re.compile(r"1\d{3}$|2[01]\d\d$|\d{1,2}(st|nd|rd|th)$")


def holds(asked: QuestionParts, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether there is something of the kind asked for that the question did not say."""
    fresh = [w for w in words if w.word and w.level not in asked.words]
    check = _CHECKS.get(asked.kind)
    return check is None or check(asked, words, fresh, known)


def _has(fresh: Sequence[Word], name: str) -> bool:
    return any(w.low in listed(name) for w in fresh)


def _is_person(word: Word, before: Word | None, known: frozenset[str]) -> bool:
    """A name, a trade, `a stranger`. What stands behind `in` or `near` with a capital is a place."""
    if word.low in listed("persons") or word.low in known or word.low in ("i", "we", "they", "he", "she"):
        return True
    if word.capital and word.low not in listed("times") | listed("empty") | listed("numbers"):
        return before is None or before.low not in ("in", "at", "near", "into", "on")
    endings = (*listed("person_endings"), "er", "or", "ers", "ors")
    return len(word.low) > 4 and word.low.endswith(tuple(endings)) and word.low not in listed("not_persons")


def _before_name(words: Sequence[Word], i: int) -> Word | None:
    """What stands before a name, of however many words it is: `in Mill Lane`."""
    while i > 1 and words[i].capital and words[i - 1].capital:
        i -= 1
    return words[i - 1] if i else None


def _who(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    people = [i for i, w in enumerate(words) if w.word and w.level not in asked.words and _is_person(w, _before_name(words, i), known)]
    done = next((i for i, w in enumerate(words) if w.level == asked.verb), None)
    if not asked.agent or done is None:
        return bool(people) or (asked.loose and _behind(asked, words, all_prepositions()))
    return any(i < done or any(w.low == "by" for w in words[done:i]) for i in people) or (
        words[done].low.startswith(("belong", "own")) and bool(people)
    )


def _where(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return _has(fresh, "places") or _behind(asked, words, listed("prepositions"))


def _behind(asked: QuestionParts, words: Sequence[Word], prepositions: frozenset[str]) -> bool:
    """Whether something new stands behind a preposition: `in a ditch`, or `to the railroad`."""
    return any(w.low in prepositions and _place_behind(asked, words[i + 1 : i + 6]) for i, w in enumerate(words))


def _place_behind(asked: QuestionParts, words: Sequence[Word]) -> bool:
    """Whether a place follows a preposition: the first noun behind it, which the question did not say and which is no hour."""
    for word in words:
        if not word.word or word.low in listed("time_links"):
            return False
        if word.low in listed("determiners") or word.low in listed("empty"):
            continue
        if word.low in listed("times") or word.low[0].isdigit():
            return False
        if word.level not in asked.words:
            return True
    return False


def _when(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    if any(listed("times") & {w.low, w.low.removesuffix("s")} and (w.low not in ("may", "march") or w.capital) for w in fresh):
        return True
    if any(_CLOCK.search(w.low) or _DATE.search(w.low) for w in fresh):
        return True
    pairs = list(zip(words, words[1:], strict=False))
    if any(
        a.low in ("at", "past", "by", "around", "to", "between", "from", "until", "till", "before", "after") and _is_hour(b)
        for a, b in pairs
    ):
        return True
    if any(a.low in ("the", "on") and b.low in listed("ordinals") for a, b in pairs) and any(w.low in ("on", "by", "until") for w in words):
        return True
    return any(a.low in listed("time_links") - {"by"} and b.word for a, b in pairs)


def _is_hour(word: Word) -> bool:
    return word.low in listed("hours") or (word.low.isdigit() and int(word.low) <= 24)


def _many(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    for i, word in enumerate(words):
        if word.low[0].isdigit() and not _CLOCK.search(word.low) and word.level not in asked.words:
            return True
        if word.low in listed("numbers") and word.level not in asked.words:
            return True
        if word.low in ("no", "one") and i + 1 < len(words) and words[i + 1].low not in ("one", "of"):
            return True
    return False


def _long(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return _many(asked, words, fresh, known) or any(w.level in levels_listed("lengths") | levels_listed("times") for w in fresh)


def _old(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    if not _many(asked, words, fresh, known):
        return False
    aged = any(w.low in listed("oldness") for w in words)
    pairs = zip(words, words[1:], strict=False)
    return aged or any(a.level == "be" and _is_number(b) for a, b in pairs)


def _is_number(word: Word) -> bool:
    return word.low[0].isdigit() or word.low in listed("numbers")


def _why(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    if _has(fresh, "reasons"):
        return True
    if any(w.text in ";:" for w in words) or (asked.words & levels_listed("feelings") and _feels_about(words)):
        return True
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        bare = after.low not in listed("determiners") and not after.capital and after.low not in listed("times")
        if (
            word.low == "to"
            and bare
            and after.word
            and after.low not in listed("empty")
            and after.level not in asked.words
            and before.low not in ("from", "going")
        ):
            return True
        if word.low == "since" and not (after.low in listed("times") or after.low in listed("numbers")):
            return True
        if word.low in ("for", "from", "as") and after.low not in listed("numbers") and after.low not in listed("times") and bare:
            return True
    return False


def _feels_about(words: Sequence[Word]) -> bool:
    return any(w.low in ("about", "over", "at", "that", "for", "of", "after", "when", "by", "with") for w in words)


def _name(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    """`is called Bram`, `the lion Sultan` or `Sultan is the lion`; a name that only stands nearby is somebody else's."""
    if any(w.level in levels_listed("naming") for w in words):
        return any(w.low not in listed("empty") and w.level not in levels_listed("naming") for w in fresh)
    about = asked.about | {asked.head} | {level(name) for name in asked.names}
    bare = [w for w in words if w.word]
    for i, word in enumerate(bare):
        if word in fresh and (is_name(word, known) or (word.first and word.capital and word.low not in listed("empty"))):
            behind = [w for w in bare[i + 1 :] if not is_name(w, known)]
            if (i and bare[i - 1].level in about) or (behind and behind[0].level == "be" and any(w.level in about for w in behind)):
                return True
    return False


def _colour(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return _has(fresh, "colours")


def _anything(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return any(w.low not in listed("empty") for w in fresh)


def _manner(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return any(w.low not in listed("empty") | listed("times") | listed("vague") for w in fresh)


def _what(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    """Something that is neither vague nor only the place or the hour of it."""
    if not _anything(asked, words, fresh, known):
        return False
    if not asked.verb:
        return (
            not asked.head
            or asked.head in verbs()
            or any(w.level == "be" or w.low in ("means", "became", "called") or w.text == ":" for w in words)
        )
    if asked.loose:
        return True
    done = next((i for i, w in enumerate(words) if w.level == asked.verb), 0)
    # Who did it stands before the verb, what it was done to behind it; `a box was buried` turns that round.
    turned = asked.does or any(w.level == "be" for w in words[max(done - 2, 0) : done])
    aside = False
    after = words if turned else words[done + 1 :]
    for i, word in enumerate(after):
        # `wants to sell the shop`: what is to be done belongs to the verb.
        infinitive = word.low == "to" and i + 1 < len(after) and (after[i + 1].level in asked.words or after[i + 1].level in verbs())
        if not word.word or word.low in ("and", "but") or word.level == asked.verb or infinitive:
            aside = False
        elif word.low in all_prepositions():
            aside = True
        elif not aside and word.level not in asked.words and word.low not in listed("empty") | listed("vague") | listed("times"):
            return True
    return False


_Check = Callable[[QuestionParts, Sequence[Word], Sequence[Word], frozenset[str]], bool]
_CHECKS: Mapping[AsksFor, _Check] = {
    AsksFor.WHO: _who,
    AsksFor.WHERE: _where,
    AsksFor.WHEN: _when,
    AsksFor.MANY: _many,
    AsksFor.LONG: _long,
    AsksFor.OLD: _old,
    AsksFor.WHY: _why,
    AsksFor.HOW: _manner,
    AsksFor.NAME: _name,
    AsksFor.COLOUR: _colour,
    AsksFor.WHICH: _anything,
    AsksFor.WHAT: _what,
}
