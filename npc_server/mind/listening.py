"""What decides how well something answers a line: who answers, when, and what was said before."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server import clock
from npc_server.llm.engine import LineInTalk
from npc_server.mind import relationships
from npc_server.mind.mind import Mind
from npc_server.mind.moment import doing_now
from npc_server.records import GameTime, Line

PHRASES = 6
"""So many of the first phrases of the identity say who somebody is."""
LINES_BEFORE = 4
"""Latest lines before the one that is answered."""
SAME_MOMENT = 15 * clock.MINUTE
"""A line that comes so soon after one's own last line is read with the time of that one, so that what was read ahead still holds."""


def listening(mind: Mind, heard: str, before: Sequence[Line], now: GameTime, asker: str = "") -> LineInTalk:
    """A line as the one hears it who is to answer. npc-rerank was trained on this form.

    `asker` is who says it, an NPC id or a player's name; empty if that is not known yet.
    """
    persona = mind.persona
    last = max((line.at for line in before if line.speaker == mind.npc), default=now)
    at = last if now - last < SAME_MOMENT else now
    relation = relationships.of(mind, asker).relation if asker else ""
    who = who_answers(persona.name, persona.open_phrases, doing_now(mind, at), f"{clock.date(at)}, {clock.hhmm(at)}", relation)
    return LineInTalk(heard, who, tuple((line.speaker == mind.npc, line.text) for line in before[-LINES_BEFORE:]))


def who_answers(name: str, phrases: Sequence[str], doing: str = "", at: str = "", relation: str = "") -> str:
    """Who somebody is, and as far as it is known what they do, day and hour, and what the speaker is to them.

    What changes most stands last, so that what is before it need not be read again.
    """
    moment = (("You are busy:", doing), ("It is", at), ("The other:", relation))
    told = (f"You are {name}", *phrases[:PHRASES], *(f"{head} {it}" for head, it in moment if it))
    return " ".join(f"{it.strip().rstrip('.')}." for it in told)
