"""Lookup: nothing but memories and questions on them, many to a prompt. No mind asks so; it is how reading is learned first."""

from __future__ import annotations

from models.nano.draw import Draw
from models.nano.people import cast_of, moment, someone
from models.nano.render import Sample, Turn

from . import interview

MOST_FACTS = 6
QUESTIONS = 10
UNKNOWN = 0.1
"""Share of the questions without an answer; more, and a model that cannot read yet never says anything else."""


def lookup(draw: Draw) -> Sample:
    """Some memories, and what they say, asked for in many ways; a share of the questions has no answer."""
    people = cast_of(draw, draw.number(2, 5))
    me = someone(draw, people)
    now = moment(draw)
    kept = interview.memories(draw, me, now, people, draw.number(1, MOST_FACTS))
    facts = [item for item in kept if item.fact]
    turns: list[Turn] = []
    asked: set[str] = set()
    for _ in range(QUESTIONS):
        if draw.chance(UNKNOWN):
            kind, text, answer, expect = interview.cannot_know(draw, me, [k.fact for k in kept if k.fact], people)
        else:
            found = interview.recall(draw, me, draw.one(facts), now)
            if found is None:
                continue
            kind, text, answer, expect = found
        if text not in asked:
            asked.add(text)
            turns.append(Turn("\n".join(item.line for item in kept) + f"\n{text}" if not turns else text, answer, expect, kind))
    return Sample("lookup", me.name, tuple(turns))
