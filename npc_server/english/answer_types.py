"""Answer types: whether a sentence holds a person, place, time, number, reason or name that the question did not say.

One function for each answer type. Their word lists are in `data/answer_match.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from npc_server.english.normalize import Word, listed, listed_terms, prepositions, term_of, verb_terms
from npc_server.english.question_parts import AnswerType, QuestionParts, is_name

_CLOCK = re.compile(r"\d{1,2}[:.]\d\d$")
_DATE = re.compile(r"1\d{3}$|2[01]\d\d$|\d{1,2}(st|nd|rd|th)$")


def has_answer(asked: QuestionParts, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether there is something of the answer type that the question did not say itself."""
    fresh = [w for w in words if w.is_word and w.term not in asked.words]
    check = _CHECKS.get(asked.kind)
    return check is None or check(asked, words, fresh, known)


def _has(fresh: Sequence[Word], name: str) -> bool:
    return any(w.lower in listed(name) for w in fresh)


def _is_person(word: Word, before: Word | None, known: frozenset[str]) -> bool:
    """A name, a trade, or `a stranger`. A capitalized word after `in` or `near` is a place."""
    if word.lower in listed("persons") or word.lower in known or word.lower in ("i", "we", "they", "he", "she"):
        return True
    if word.is_capitalized and word.lower not in listed("times") | listed("empty") | listed("numbers"):
        return before is None or before.lower not in ("in", "at", "near", "into", "on")
    endings = (*listed("person_endings"), "er", "or", "ers", "ors")
    return len(word.lower) > 4 and word.lower.endswith(tuple(endings)) and word.lower not in listed("not_persons")


def _before_name(words: Sequence[Word], i: int) -> Word | None:
    """The word before a name of any length: `in` for `in Mill Lane`."""
    while i > 1 and words[i].is_capitalized and words[i - 1].is_capitalized:
        i -= 1
    return words[i - 1] if i else None


def _who(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    people = [i for i, w in enumerate(words) if w.is_word and w.term not in asked.words and _is_person(w, _before_name(words, i), known)]
    done = next((i for i, w in enumerate(words) if w.term == asked.verb), None)
    if not asked.asks_who_acts or done is None:
        return bool(people) or (asked.any_preposition and _behind(asked, words, prepositions()))
    return any(i < done or any(w.lower == "by" for w in words[done:i]) for i in people) or (
        words[done].lower.startswith(("belong", "own")) and bool(people)
    )


def _where(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return _has(fresh, "places") or _behind(asked, words, listed("prepositions"))


def _behind(asked: QuestionParts, words: Sequence[Word], prepositions: frozenset[str]) -> bool:
    """Whether something new follows a preposition: `in a ditch`, `to the railroad`."""
    return any(w.lower in prepositions and _place_behind(asked, words[i + 1 : i + 6]) for i, w in enumerate(words))


def _place_behind(asked: QuestionParts, words: Sequence[Word]) -> bool:
    """Whether the first noun after a preposition is a place: no time, and not said in the question."""
    for word in words:
        if not word.is_word or word.lower in listed("time_links"):
            return False
        if word.lower in listed("determiners") or word.lower in listed("empty"):
            continue
        if word.lower in listed("times") or word.lower[0].isdigit():
            return False
        if word.term not in asked.words:
            return True
    return False


def _when(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    if any(listed("times") & {w.lower, w.lower.removesuffix("s")} and (w.lower not in ("may", "march") or w.is_capitalized) for w in fresh):
        return True
    if any(_CLOCK.search(w.lower) or _DATE.search(w.lower) for w in fresh):
        return True
    pairs = list(zip(words, words[1:], strict=False))
    if any(
        a.lower in ("at", "past", "by", "around", "to", "between", "from", "until", "till", "before", "after") and _is_hour(b)
        for a, b in pairs
    ):
        return True
    if any(a.lower in ("the", "on") and b.lower in listed("ordinals") for a, b in pairs) and any(
        w.lower in ("on", "by", "until") for w in words
    ):
        return True
    return any(a.lower in listed("time_links") - {"by"} and b.is_word for a, b in pairs)


def _is_hour(word: Word) -> bool:
    return word.lower in listed("hours") or (word.lower.isdigit() and int(word.lower) <= 24)


def _many(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    for i, word in enumerate(words):
        if word.lower[0].isdigit() and not _CLOCK.search(word.lower) and word.term not in asked.words:
            return True
        if word.lower in listed("numbers") and word.term not in asked.words:
            return True
        if word.lower in ("no", "one") and i + 1 < len(words) and words[i + 1].lower not in ("one", "of"):
            return True
    return False


def _long(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return _many(asked, words, fresh, known) or any(w.term in listed_terms("lengths") | listed_terms("times") for w in fresh)


def _old(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    if not _many(asked, words, fresh, known):
        return False
    aged = any(w.lower in listed("oldness") for w in words)
    pairs = zip(words, words[1:], strict=False)
    return aged or any(a.term == "be" and _is_number(b) for a, b in pairs)


def _is_number(word: Word) -> bool:
    return word.lower[0].isdigit() or word.lower in listed("numbers")


def _why(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    if _has(fresh, "reasons"):
        return True
    if any(w.text in ";:" for w in words) or (asked.words & listed_terms("feelings") and _feels_about(words)):
        return True
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        bare = after.lower not in listed("determiners") and not after.is_capitalized and after.lower not in listed("times")
        if (
            word.lower == "to"
            and bare
            and after.is_word
            and after.lower not in listed("empty")
            and after.term not in asked.words
            and before.lower not in ("from", "going")
        ):
            return True
        if word.lower == "since" and not (after.lower in listed("times") or after.lower in listed("numbers")):
            return True
        if word.lower in ("for", "from", "as") and after.lower not in listed("numbers") and after.lower not in listed("times") and bare:
            return True
    return False


def _feels_about(words: Sequence[Word]) -> bool:
    return any(w.lower in ("about", "over", "at", "that", "for", "of", "after", "when", "by", "with") for w in words)


def _name(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    """`is called Bram`, `the lion Sultan` or `Sultan is the lion`. A name that only stands nearby is not enough."""
    if any(w.term in listed_terms("naming") for w in words):
        return any(w.lower not in listed("empty") and w.term not in listed_terms("naming") for w in fresh)
    about = asked.about | {asked.head} | {term_of(name) for name in asked.names}
    bare = [w for w in words if w.is_word]
    for i, word in enumerate(bare):
        if word in fresh and (is_name(word, known) or (word.starts_sentence and word.is_capitalized and word.lower not in listed("empty"))):
            behind = [w for w in bare[i + 1 :] if not is_name(w, known)]
            if (i and bare[i - 1].term in about) or (behind and behind[0].term == "be" and any(w.term in about for w in behind)):
                return True
    return False


def _colour(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return _has(fresh, "colours")


def _anything(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return any(w.lower not in listed("empty") for w in fresh)


def _manner(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    return any(w.lower not in listed("empty") | listed("times") | listed("vague") for w in fresh)


def _what(asked: QuestionParts, words: Sequence[Word], fresh: Sequence[Word], known: frozenset[str]) -> bool:
    """Something that is not vague, and not only a place or a time."""
    if not _anything(asked, words, fresh, known):
        return False
    if not asked.verb:
        return (
            not asked.head
            or asked.head in verb_terms()
            or any(w.term == "be" or w.lower in ("means", "became", "called") or w.text == ":" for w in words)
        )
    if asked.any_preposition:
        return True
    done = next((i for i, w in enumerate(words) if w.term == asked.verb), 0)
    # The subject stands before the verb and the object after it. The passive voice turns that round: `a box was buried`.
    turned = asked.asks_what_acts or any(w.term == "be" for w in words[max(done - 2, 0) : done])
    aside = False
    after = words if turned else words[done + 1 :]
    for i, word in enumerate(after):
        # `wants to sell the shop`: the infinitive belongs to the verb.
        infinitive = word.lower == "to" and i + 1 < len(after) and (after[i + 1].term in asked.words or after[i + 1].term in verb_terms())
        if not word.is_word or word.lower in ("and", "but") or word.term == asked.verb or infinitive:
            aside = False
        elif word.lower in prepositions():
            aside = True
        elif not aside and word.term not in asked.words and word.lower not in listed("empty") | listed("vague") | listed("times"):
            return True
    return False


_Check = Callable[[QuestionParts, Sequence[Word], Sequence[Word], frozenset[str]], bool]
_CHECKS: Mapping[AnswerType, _Check] = {
    AnswerType.WHO: _who,
    AnswerType.WHERE: _where,
    AnswerType.WHEN: _when,
    AnswerType.MANY: _many,
    AnswerType.LONG: _long,
    AnswerType.OLD: _old,
    AnswerType.WHY: _why,
    AnswerType.HOW: _manner,
    AnswerType.NAME: _name,
    AnswerType.COLOUR: _colour,
    AnswerType.WHICH: _anything,
    AnswerType.WHAT: _what,
}
