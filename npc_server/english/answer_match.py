"""Asked: whether a remembered sentence can be the answer to a question.

Rules over words, no model: a sentence answers when it speaks of the same thing (the question's verb, its nouns, who it is about) and holds
something of the kind asked for that the question did not say itself. Where the rules are unsure they let a sentence pass.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from npc_server.english.answer_types import holds
from npc_server.english.near_misses import falls_short
from npc_server.english.normalize import Word, levels, levels_listed, listed, read
from npc_server.english.question_parts import AsksFor, QuestionParts, asked_of, is_name


def answers(
    question: str, text: str, *, me: str = "", asker: str = "", names: Collection[str] = (), about: str = "", seen: bool = False
) -> bool:
    """Whether a remembered sentence can answer a question.

    `me` and `asker` are the names of the two, `names` those of everybody; `about` is who the sentence is known to be of,
    and `seen` whether it was seen as it happened: then its own date says when that was.
    """
    known = name_words(*names, me, asker)
    asked = asked_of(question, known)
    return fits(asked, text, me=me, asker=asker, about=about, known=known, seen=seen)


def name_words(*names: str) -> frozenset[str]:
    """The words of names, small, without titles: a captain is not the captain."""
    return frozenset(word for name in names for word in name.casefold().split()) - listed("titles") - listed("empty")


def fits(asked: QuestionParts, text: str, *, me: str, asker: str, about: str, known: frozenset[str], seen: bool = False) -> bool:
    """`answers` for a question that is taken apart."""
    words = read(text)
    if not _speaks_of(asked, words, levels(text), about, me, asker, known):
        return False
    if asked.past and seen and any(w.low in ("is", "are") for w in words):
        return True
    return not falls_short(asked, words) and holds(asked, words, known)


def _speaks_of(
    asked: QuestionParts, words: Sequence[Word], said: frozenset[str], about: str, me: str, asker: str, known: frozenset[str]
) -> bool:
    present = said | {w.level for w in words}
    if not named_in(asked, words, about, me, asker, known):
        return False
    if (asked.verb and not _done(asked, present)) or (asked.head and asked.head not in present):
        return False
    if asked.counted and asked.counted not in present:
        return False
    return len(asked.about & present) * 2 >= len(asked.about)


def named_in(asked: QuestionParts, words: Sequence[Word], about: str, me: str, asker: str, known: frozenset[str]) -> bool:
    """Whether a sentence is about those who are named, about the asker or about oneself, where that is asked."""
    lows = {w.low for w in words} | set(about.casefold().split())
    own, others = set(me.casefold().split()), set(asker.casefold().split())
    if asked.names - own - others and not asked.names & lows:
        return False
    if asked.of_asker and others and not others & lows:
        return False
    return not (asked.to_me and words and is_name(words[0], known) and words[0].low not in own)


def _done(asked: QuestionParts, present: frozenset[str]) -> bool:
    """Whether the sentence has the question's verb; what was put somewhere may lie there, if it is named."""
    if asked.verb in present:
        return True
    lies = asked.kind is AsksFor.WHERE and asked.verb in levels_listed("placing") and present & levels_listed("lying")
    return bool(lies) and bool(asked.about & present)
