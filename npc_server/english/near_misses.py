"""Near misses: sentences that share all of a question's words and still do not say what it asks for."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.english.normalize import Word, all_prepositions, is_bent, levels_listed, listed
from npc_server.english.question_parts import AsksFor, QuestionParts

_SAME_LINK = {
    "about": "about over on of that whether why how because", "for": "for to from after", "with": "with by", "from": "from out of off",
    "of": "of about", "to": "to for into towards toward", "at": "at in on", "on": "on in at upon against", "in": "in into at on inside",
    "like": "like as", "by": "by with", "after": "after for",
}  # fmt: skip
"""What may stand before the answer to a question that ends in a preposition."""
_QUOTING = frozenset("says said reads read tells told states that about whether asks asked asking warns announces promises".split())  # noqa: SIM905
_WAYS = frozenset("from when after by during through because while since for trying".split())  # noqa: SIM905
_EVENTS = frozenset("battle war fight siege duel accident fall fire storm crash race game brawl raid explosion lottery will".split())  # noqa: SIM905


def falls_short(asked: QuestionParts, words: Sequence[Word]) -> bool:
    """Whether a sentence that speaks of what is asked leaves out just that."""
    lows = {word.low for word in words}
    if (
        asked.ends in _SAME_LINK
        and asked.kind in (AsksFor.WHAT, AsksFor.WHO, AsksFor.WHICH)
        and not lows & set(_SAME_LINK[asked.ends].split())
    ):
        return True
    if _of_contents(asked) and not (lows & _QUOTING or any(w.text == ":" for w in words)):
        return True
    if asked.kind is AsksFor.WHICH and asked.noun:
        return not _told_apart(asked, words)
    if (
        asked.kind is AsksFor.WHERE
        and not asked.verb
        and "be" in asked.words
        and any(word.level in levels_listed("passing") for word in words)
    ):
        return True
    if asked.inside and not _told_inside(asked, words):
        return True
    if asked.agent and _is_passive(words) and "by" not in lows:
        return True
    if asked.kind is AsksFor.HOW and not asked.verb and asked.past_helper and not asked.words & levels_listed("hindering"):
        return not lows & (_WAYS | _EVENTS)
    return False


def _told_inside(asked: QuestionParts, words: Sequence[Word]) -> bool:
    """`The casket contains`, `a casket of`, `in the casket`: who only owns or leaves it tells nothing of what is in it."""
    if any(w.low in ("contains", "contain", "contained", "holds", "held", "full", "filled", "stuffed", "inside") for w in words):
        return True
    for i, word in enumerate(words):
        if word.level in asked.about | {asked.head} and word.level:
            after = words[i + 1].low if i + 1 < len(words) else ""
            if after == "of" or {w.low for w in words[max(i - 3, 0) : i]} & {"in", "inside", "into", "from"}:
                return True
    return False


def _is_passive(words: Sequence[Word]) -> bool:
    """Whether a sentence says what was done to somebody or something."""
    pairs = zip(words, words[1:], strict=False)
    return any(a.low in ("is", "are", "was", "were", "been") and is_bent(b.low) and not b.low.endswith("ing") for a, b in pairs)


def _of_contents(asked: QuestionParts) -> bool:
    """Whether it is asked what a letter says, or what somebody wrote in one."""
    return asked.kind is AsksFor.WHAT and bool(asked.words & levels_listed("stating")) and bool(asked.words & levels_listed("writings"))


def _told_apart(asked: QuestionParts, words: Sequence[Word]) -> bool:
    """Whether it is said which one: `the north tower`, `airlock four`. Where the noun itself is not said, its name may be."""
    stands = [i for i, word in enumerate(words) if word.level == asked.noun]
    for i in stands:
        before, after = words[i - 1] if i else None, words[i + 1] if i + 1 < len(words) else None
        if before and before.word and not before.owner and before.level not in asked.words and _tells(before):
            return True
        if after and after.word and (after.low[0].isdigit() or after.capital or after.low in listed("numbers") or after.low == "of"):
            return True
        if after and after.level == "be" and i < 3:
            return True
    return not stands


def _tells(word: Word) -> bool:
    return word.low not in listed("determiners") | listed("empty") | all_prepositions() | listed("numbers")
