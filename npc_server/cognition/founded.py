"""Founded: by rules, whether what a small model answers to a question rests on anything, and holds what was asked for.

Where its prompt has no answer such a model makes one up, and where it shortens what is remembered it may leave out the very thing. Only
questions after a fact are looked at (who, where, when, how many ...): what somebody would do, and why, may be said freely.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from npc_server.cognition import courtesy
from npc_server.cognition.answer_kinds import holds
from npc_server.cognition.asked import name_words
from npc_server.cognition.indirect import put_otherwise
from npc_server.cognition.levelled import levels, read
from npc_server.cognition.mind import Mind
from npc_server.cognition.question_parts import Asked, Kind, asked_of
from npc_server.cognition.wording import is_question, sentences

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
class Fact:
    """What a question asks for, and the words of the names that are known."""

    asked: Asked
    names: frozenset[str]


def after_a_fact(mind: Mind, question: str, asker: str) -> Fact | None:
    """What the question asks for, if that is a fact."""
    question = courtesy.without(question)
    names = name_words(mind.persona.name, mind.name_of(asker), *mind.names.values())
    asked = asked_of(put_otherwise(question), names)
    if asked.kind not in _FACTS or _FREE & {word.low for word in read(question)}:
        return None
    return Fact(asked, names)


def leaves_out(fact: Fact, remembered: str, reply: str) -> bool:
    """Whether what is remembered holds what was asked for, and the reply that should say it does not."""
    return holds(fact.asked, read(remembered), fact.names) and not holds(fact.asked, read(_told(reply)), fact.names)


def made_up(fact: Fact, reply: str, lines: Iterable[str]) -> bool:
    """Whether a sentence says what no line says that has to do with the question, or tells something where somebody was asked for."""
    asked = fact.asked
    about = frozenset({asked.verb, asked.head, asked.counted, *asked.about, *asked.names} - {""})
    told = [line for line in map(levels, lines) if about & line]
    claims = [(sentence, levels(sentence) - FILLING - asked.words) for sentence in sentences(_told(reply)) if not is_question(sentence)]
    claims = [(sentence, new) for sentence, new in claims if new]
    if asked.kind is Kind.WHO and claims and not any(holds(asked, read(sentence), fact.names) for sentence, _ in claims):
        return True
    return any(not any(len(new & line) >= SHARED * len(new) for line in told) for _, new in claims)


def _told(reply: str) -> str:
    """Without the clauses that tell nothing: `as far as I know` names nobody."""
    return " ".join(", ".join(part for part in sentence.split(", ") if levels(part) - FILLING) or sentence for sentence in sentences(reply))
