"""What decides how well something answers a line: who answers, when, and what was said before."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server import clock
from npc_server.llm.engine import LineInTalk
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Line

PHRASES = 2
"""The first phrases of the identity say who somebody is."""
LINES_BEFORE = 4
"""Latest lines before the one that is answered."""
SAME_MOMENT = 15 * clock.MINUTE
"""A line that comes so soon after one's own last line is read with the time of that one, so that what was read ahead still holds."""


def listening(mind: Mind, heard: str, before: Sequence[Line], now: GameTime) -> LineInTalk:
    """A line as the one hears it who is to answer. npc-rerank was trained on this form."""
    persona = mind.persona
    phrases = persona.open_phrases[:PHRASES]
    last = max((line.at for line in before if line.speaker == mind.npc), default=now)
    at = last if now - last < SAME_MOMENT else now
    who = who_answers(persona.name, phrases, f"{clock.date(at)}, {clock.hhmm(at)}")
    return LineInTalk(heard, who, tuple((line.speaker == mind.npc, line.text) for line in before[-LINES_BEFORE:]))


def who_answers(name: str, phrases: Sequence[str], at: str = "") -> str:
    """Who somebody is, and the day and hour if they are known."""
    told = (f"You are {name}", *(it.strip().rstrip(".") for it in phrases), *((f"It is {at}",) if at else ()))
    return " ".join(f"{it}." for it in told)
