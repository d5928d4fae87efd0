"""Reply types of every kind, for the engine's tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from npc_server.llm.reply import Choice, Emoji, Integer, Numbers, ReplyType, Text, TimeOfDay, many, one


@dataclass(frozen=True)
class Say:
    text: Annotated[str, Text(60)]


@dataclass(frozen=True)
class Short:
    text: Annotated[str, Text(24)]


@dataclass(frozen=True)
class Rating:
    importance: Annotated[int, Integer(1, 10)]


@dataclass(frozen=True)
class Feeling:
    face: Annotated[str, Emoji()]


@dataclass(frozen=True)
class Stroke:
    start: Annotated[int, TimeOfDay()]
    text: Annotated[str, Text(40)]


@dataclass(frozen=True)
class Act:
    place: Annotated[str, Choice(("cafe: the stove", "park/bench (2)", "home|bed"))]
    text: Annotated[str, Text(40)]
    face: Annotated[str, Emoji()]
    minutes: Annotated[int, Integer(5, 15)]


@dataclass(frozen=True)
class Insight:
    text: Annotated[str, Text(40)]
    evidence: Annotated[tuple[int, ...], Numbers((1, 3, 7, 12, 100))]


@dataclass(frozen=True)
class Where:
    place: Annotated[str, Choice(("the mill", "the well", "the Café Röstel"))]


KINDS: dict[str, ReplyType[Any]] = {
    "text": one(Say),
    "integer": one(Rating),
    "emoji": one(Feeling),
    "choice": one(Where),
    "record": one(Act),
    "strokes": many(Stroke, 2, 4),
    "insights": many(Insight, 1, 3),
    "acts": many(Act, 2, 2),
    "one line": many(Say, 1, 1),
}


@dataclass(frozen=True)
class Verse:
    text: Annotated[str, Text(200)]


ENDLESS = many(Verse, 40, 40)
"""Takes thousands of tokens, so that something can happen in the middle of it."""
