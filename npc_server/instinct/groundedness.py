"""Groundedness: whether a small model's answer still holds what was asked for.

A small model may shorten a remembered answer so far that the fact is gone, or repeat only the question.
"""

from __future__ import annotations

import re

from npc_server.english.answer_types import has_answer
from npc_server.english.normalize import terms_of, tokenize
from npc_server.english.question_parts import AnswerType
from npc_server.english.text import sentences
from npc_server.instinct.answering import Question

_FILLER_TERMS = terms_of(
    "think remember right know knew believe guess suppose sure told tell heard hear say said well yes no oh bah ago far idea clue honestly "
    "really sorry care wish ask nobody else friend dear love"
)
"""Words around a statement, and of people who do not know."""
_REGRET = re.compile(r"\bi(?:['’]m| am) afraid\b(?! (?:of|to|for)\b)", re.IGNORECASE)
_FACTS = frozenset(
    {
        AnswerType.WHO,
        AnswerType.WHERE,
        AnswerType.WHEN,
        AnswerType.MANY,
        AnswerType.LONG,
        AnswerType.OLD,
        AnswerType.NAME,
        AnswerType.COLOUR,
        AnswerType.WHICH,
    }
)


def stated_terms(text: str) -> frozenset[str]:
    """Terms of the words that state something. `I'm afraid I don't know` states nothing."""
    return terms_of(_REGRET.sub("", text)) - _FILLER_TERMS


def may_be_shortened(question: Question) -> bool:
    """Whether a few words of a sentence can answer it. Why and whether need whole sentences."""
    return question.asked.kind in _FACTS | {AnswerType.WHAT}


def leaves_out(question: Question, remembered: str, reply: str) -> bool:
    """Whether a reply lacks the fact that `remembered` holds, or says only what the question said."""
    words = terms_of(question.text)
    if terms_of(remembered) - words and not stated_terms(reply) - words:
        return True
    asked = question.asked
    return (
        asked.kind in _FACTS
        and has_answer(asked, tokenize(remembered), question.names)
        and not has_answer(asked, tokenize(_told(reply)), question.names)
    )


def _told(reply: str) -> str:
    """Without the clauses that state nothing, such as `as far as I know`."""
    return " ".join(", ".join(part for part in sentence.split(", ") if stated_terms(part)) or sentence for sentence in sentences(reply))
