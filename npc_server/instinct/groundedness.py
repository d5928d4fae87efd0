"""Founded: by rules, whether a small model's answer that should say what is remembered holds what was asked for.

Where it shortens what is remembered it may leave out the very thing, or say nothing but the question.
"""

from __future__ import annotations

import re

from npc_server.english.answer_types import holds
from npc_server.english.normalize import levels, read
from npc_server.english.question_parts import AsksFor
from npc_server.english.text import sentences
from npc_server.instinct.answering import Question

_FILLING = levels(
    "think remember right know knew believe guess suppose sure told tell heard hear say said well yes no oh bah ago far idea clue honestly "
    "really sorry care wish ask nobody else friend dear love"
)
"""What people say around what they tell, and where they do not know."""
_REGRET = re.compile(r"\bi(?:['’]m| am) afraid\b(?! (?:of|to|for)\b)", re.IGNORECASE)
_FACTS = frozenset(
    {
        AsksFor.WHO,
        AsksFor.WHERE,
        AsksFor.WHEN,
        AsksFor.MANY,
        AsksFor.LONG,
        AsksFor.OLD,
        AsksFor.NAME,
        AsksFor.COLOUR,
        AsksFor.WHICH,
    }
)


def told_by(text: str) -> frozenset[str]:
    """Levels of the words that tell something; `I'm afraid I don't know` tells nothing."""
    return levels(_REGRET.sub("", text)) - _FILLING


def wants_a_part(question: Question) -> bool:
    """Whether a few words out of a sentence may answer it; why and whether are told in whole ones."""
    return question.asked.kind in _FACTS | {AsksFor.WHAT}


def leaves_out(question: Question, remembered: str, reply: str) -> bool:
    """Whether what is remembered holds what was asked for, and the reply that should say it does not, or says only what was asked."""
    words = levels(question.text)
    if levels(remembered) - words and not told_by(reply) - words:
        return True
    asked = question.asked
    return asked.kind in _FACTS and holds(asked, read(remembered), question.names) and not holds(asked, read(_told(reply)), question.names)


def _told(reply: str) -> str:
    """Without the clauses that tell nothing: `as far as I know` names nobody."""
    return " ".join(", ".join(part for part in sentence.split(", ") if told_by(part)) or sentence for sentence in sentences(reply))
