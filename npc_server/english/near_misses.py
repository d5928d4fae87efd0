"""Near misses: sentences that share a question's words and still do not answer it."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.english.normalize import Word, is_participle, listed, listed_terms, prepositions
from npc_server.english.question_parts import AnswerType, QuestionParts

_SAME_LINK = {
    "about": "about over on of that whether why how because", "for": "for to from after", "with": "with by", "from": "from out of off",
    "of": "of about", "to": "to for into towards toward", "at": "at in on", "on": "on in at upon against", "in": "in into at on inside",
    "like": "like as", "by": "by with", "after": "after for",
}  # fmt: skip
"""Prepositions before the answer to a question that ends in one: `about` may be answered with `over`."""
_QUOTING = frozenset("says said reads read tells told states that about whether asks asked asking warns announces promises".split())  # noqa: SIM905
_WAYS = frozenset("from when after by during through because while since for trying".split())  # noqa: SIM905
_EVENTS = frozenset("battle war fight siege duel accident fall fire storm crash race game brawl raid explosion lottery will".split())  # noqa: SIM905


def is_near_miss(asked: QuestionParts, words: Sequence[Word]) -> bool:
    """Whether a sentence on the question's topic leaves out what the question asks for."""
    lows = {word.lower for word in words}
    if (
        asked.last_preposition in _SAME_LINK
        and asked.kind in (AnswerType.WHAT, AnswerType.WHO, AnswerType.WHICH)
        and not lows & set(_SAME_LINK[asked.last_preposition].split())
    ):
        return True
    if _asks_wording(asked) and not (lows & _QUOTING or any(w.text == ":" for w in words)):
        return True
    if asked.kind is AnswerType.WHICH and asked.which_noun:
        return not _says_which(asked, words)
    if (
        asked.kind is AnswerType.WHERE
        and not asked.verb
        and "be" in asked.words
        and any(word.term in listed_terms("passing") for word in words)
    ):
        return True
    if asked.asks_contents and not _says_contents(asked, words):
        return True
    if asked.asks_who_acts and _is_passive(words) and "by" not in lows:
        return True
    if asked.kind is AnswerType.HOW and not asked.verb and asked.has_past_auxiliary and not asked.words & listed_terms("hindering"):
        return not lows & (_WAYS | _EVENTS)
    return False


def _says_contents(asked: QuestionParts, words: Sequence[Word]) -> bool:
    """`The casket contains`, `a casket of`, `in the casket`. To own or leave a casket says nothing of its contents."""
    if any(w.lower in ("contains", "contain", "contained", "holds", "held", "full", "filled", "stuffed", "inside") for w in words):
        return True
    for i, word in enumerate(words):
        if word.term in asked.about | {asked.head} and word.term:
            after = words[i + 1].lower if i + 1 < len(words) else ""
            if after == "of" or {w.lower for w in words[max(i - 3, 0) : i]} & {"in", "inside", "into", "from"}:
                return True
    return False


def _is_passive(words: Sequence[Word]) -> bool:
    """Whether a sentence is in the passive voice."""
    pairs = zip(words, words[1:], strict=False)
    return any(a.lower in ("is", "are", "was", "were", "been") and is_participle(b.lower) and not b.lower.endswith("ing") for a, b in pairs)


def _asks_wording(asked: QuestionParts) -> bool:
    """Whether a question asks what a letter says, or what somebody wrote in one."""
    return asked.kind is AnswerType.WHAT and bool(asked.words & listed_terms("stating")) and bool(asked.words & listed_terms("writings"))


def _says_which(asked: QuestionParts, words: Sequence[Word]) -> bool:
    """Whether a sentence says which one: `the north tower`, `airlock four`. Without the noun, a name may say it."""
    stands = [i for i, word in enumerate(words) if word.term == asked.which_noun]
    for i in stands:
        before, after = words[i - 1] if i else None, words[i + 1] if i + 1 < len(words) else None
        if before and before.is_word and not before.is_possessive and before.term not in asked.words and _distinguishes(before):
            return True
        if (
            after
            and after.is_word
            and (after.lower[0].isdigit() or after.is_capitalized or after.lower in listed("numbers") or after.lower == "of")
        ):
            return True
        if after and after.term == "be" and i < 3:
            return True
    return not stands


def _distinguishes(word: Word) -> bool:
    return word.lower not in listed("determiners") | listed("empty") | prepositions() | listed("numbers")
