"""Founded: by rules, whether a small model's answer that should say what is remembered holds what was asked for.

Where it shortens what is remembered it may leave out the very thing, or say nothing but the question.
"""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.cognition import courtesy
from npc_server.cognition.answer_kinds import holds
from npc_server.cognition.asked import name_words
from npc_server.cognition.indirect import put_otherwise
from npc_server.cognition.levelled import levels, read
from npc_server.cognition.mind import Mind
from npc_server.cognition.question_parts import Asked, Kind, asked_of
from npc_server.cognition.wording import sentences

SHARED = 0.6
"""Share of the telling words of a sentence that must be of what is known, for the sentence to say that."""
FILLING = levels(
    "think remember right know knew believe guess suppose sure told tell heard hear say said well yes no oh bah ago far idea clue honestly "
    "really sorry care wish ask nobody else friend dear love"
)
"""What people say around what they tell, and where they do not know."""
_FACTS = frozenset({Kind.WHO, Kind.WHERE, Kind.WHEN, Kind.MANY, Kind.LONG, Kind.OLD, Kind.NAME, Kind.COLOUR, Kind.WHICH})
_FREE = frozenset(["would", "could", "should", "shall", "might", "if", "want", "like", "prefer", "favourite", "best", "think", "feel"])
"""A question with one of these asks for no fact, but for what somebody likes or means to do."""


@dataclass(frozen=True)
class Question:
    """What a question asks for."""

    asked: Asked
    names: frozenset[str]
    """Words of the names that are known."""
    free: bool
    """Whether it asks what somebody would do or likes, which may be said freely."""
    words: frozenset[str]
    """Levels of its telling words."""


def of_question(mind: Mind, question: str, asker: str) -> Question:
    """The question taken apart."""
    question = courtesy.without(question)
    names = name_words(mind.persona.name, mind.name_of(asker), *mind.names.values())
    free = bool(_FREE & {word.low for word in read(question)})
    return Question(asked_of(put_otherwise(question), names), names, free, levels(question))


def leaves_out(question: Question, remembered: str, reply: str) -> bool:
    """Whether what is remembered holds what was asked for, and the reply that should say it does not, or says only what was asked."""
    if levels(remembered) - question.words and not levels(reply) - FILLING - question.words:
        return True
    asked = question.asked
    return asked.kind in _FACTS and holds(asked, read(remembered), question.names) and not holds(asked, read(_told(reply)), question.names)


def _told(reply: str) -> str:
    """Without the clauses that tell nothing: `as far as I know` names nobody."""
    return " ".join(", ".join(part for part in sentence.split(", ") if levels(part) - FILLING) or sentence for sentence in sentences(reply))
