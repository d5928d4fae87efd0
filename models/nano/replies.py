"""Reply types that npc-nano was trained on, where minds ask other models in other words today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from npc_server.llm.reply import Integer, Several, Text
from npc_server.mind.replies import BETWEEN_CHARS, FEELING_CHARS, NOTHING, RELATION_CHARS, SENTENCE_CHARS

_RELATION = Text(RELATION_CHARS, "what the other is to you, a few words")
_FEELING = Text(FEELING_CHARS, "how you feel about the other, one sentence")
_BETWEEN = Text(BETWEEN_CHARS, "what matters between you: what was before, and what is new")
_FACT = Text(SENTENCE_CHARS, f"one thing you were told, as a full sentence with names, day and hour, or '{NOTHING}'")


@dataclass(frozen=True)
class TaughtTalkOver:
    about: Annotated[str, Text(SENTENCE_CHARS, "what the talk was about, one sentence")]
    relation: Annotated[str, _RELATION]
    feeling: Annotated[str, _FEELING]
    between: Annotated[str, _BETWEEN]
    closeness: Annotated[int, Integer(0, 10)]
    told: Annotated[tuple[str, ...], Several(_FACT, 1, 3)]


@dataclass(frozen=True)
class TaughtRelationship:
    relation: Annotated[str, _RELATION]
    feeling: Annotated[str, _FEELING]
    between: Annotated[str, _BETWEEN]
    closeness: Annotated[int, Integer(0, 10)]
