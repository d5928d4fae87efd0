"""Answer matching by shared words: whether a remembered sentence can answer a question.

A sentence can answer when it shares the question's verb, nouns and people, and holds something new of the answer type. When the rules
are unsure, they let it pass. `answer_match_fuzzy` handles questions in other words.
"""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.english.answer_types import has_answer
from npc_server.english.near_misses import is_near_miss
from npc_server.english.normalize import Word, listed, listed_terms, terms_of, tokenize
from npc_server.english.question_parts import AnswerType, QuestionParts, is_name


def name_words(*names: str) -> frozenset[str]:
    """The words of names in lower case, without titles: not every captain is Captain Brandt."""
    return frozenset(word for name in names for word in name.casefold().split()) - listed("titles") - listed("empty")


def can_answer(asked: QuestionParts, text: str, *, me: str, asker: str, about: str, known: frozenset[str], seen: bool = False) -> bool:
    """Whether a remembered sentence can answer a question.

    `me` and `asker` are the names of the two who talk, `known` the words of all known names. `about` is whom the sentence is known
    to be about. With `seen`, it was seen as it happened, so its own date answers when.
    """
    words = tokenize(text)
    if not _shares_topic(asked, words, terms_of(text), about, me, asker, known):
        return False
    if asked.asks_past_time and seen and any(w.lower in ("is", "are") for w in words):
        return True
    return not is_near_miss(asked, words) and has_answer(asked, words, known)


def _shares_topic(
    asked: QuestionParts, words: Sequence[Word], said: frozenset[str], about: str, me: str, asker: str, known: frozenset[str]
) -> bool:
    present = said | {w.term for w in words}
    if not is_about_named(asked, words, about, me, asker, known):
        return False
    if (asked.verb and not _has_verb(asked, present)) or (asked.head and asked.head not in present):
        return False
    if asked.counted and asked.counted not in present:
        return False
    return len(asked.about & present) * 2 >= len(asked.about)


def is_about_named(asked: QuestionParts, words: Sequence[Word], about: str, me: str, asker: str, known: frozenset[str]) -> bool:
    """Whether a sentence is about the people whom the question names, its asker, or the one who is asked."""
    lows = {w.lower for w in words} | set(about.casefold().split())
    own, others = set(me.casefold().split()), set(asker.casefold().split())
    if asked.names - own - others and not asked.names & lows:
        return False
    if asked.of_asker and others and not others & lows:
        return False
    return not (asked.to_me and words and is_name(words[0], known) and words[0].lower not in own)


def _has_verb(asked: QuestionParts, present: frozenset[str]) -> bool:
    """Whether the sentence has the question's verb. For `where`, a thing that was put somewhere may also lie there."""
    if asked.verb in present:
        return True
    lies = asked.kind is AnswerType.WHERE and asked.verb in listed_terms("placing") and present & listed_terms("lying")
    return bool(lies) and bool(asked.about & present)
