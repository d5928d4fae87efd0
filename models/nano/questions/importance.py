"""Importance: rating several new memories."""

from __future__ import annotations

from models.nano.draw import Draw, content
from models.nano.facts import day_word, make_fact
from models.nano.people import distinct_names, random_time, someone
from models.nano.render import Sample, Turn, rendered, turn
from npc_server.llm.reply import Integer, many
from npc_server.mind.replies import Rating

OF_FACTS = {
    "event": 7,
    "work": 3,
    "likes": 3,
    "drinkfood": 2,
    "married": 5,
    "kin": 3,
    "saw": 2,
    "lost": 5,
    "office": 8,
    "builds": 4,
    "owes": 5,
    "pet": 2,
    "ill": 6,
    "dreams": 5,
    "worries": 5,
    "trade": 3,
    "quarrel": 7,
    "opinion": 4,
    "lives": 2,
    "meets": 5,
    "keeps": 3,
    "password": 6,
    "count": 2,
}
"""Importance of the facts of the bank, by kind."""


def importance(draw: Draw) -> Sample:
    people = distinct_names(draw, draw.number(2, 5))
    me = someone(draw, people)
    now = random_time(draw)
    turns: list[Turn] = []
    system = ""
    for number in range(draw.number(4, 8)):
        count = draw.one((1, 1, 1, 1, 1, 1, 2, 3, 12))
        rows = dict(rated(draw, me.first, people) for _ in range(count))
        reply = many(Rating, len(rows), len(rows), importance=Integer(1, 10))
        full = rendered(me, now, "importance", reply, {"memories": list(rows)})
        system = full.part("system")
        turns.append(turn(full, number == 0, reply, tuple(Rating(value) for value in rows.values()), (), "importance"))
    return Sample("importance", system, tuple(turns), {"npc": me.name})


def rated(draw: Draw, me: str, people: list[str]) -> tuple[str, int]:
    """A memory and its importance. A quotation is as important as what it says."""
    if draw.chance(0.25):
        fact = make_fact(draw, people, draw.one(tuple(OF_FACTS)))
        return _as_noticed(draw, fact.text, people), OF_FACTS[fact.kind]
    levels = content()["importance"]
    level = draw.one(tuple(levels))
    a, b = (draw.some(people, 2) * 2)[:2]
    text = draw.fill(draw.line(f"importance.{level}", levels[level]), a=a, b=b, me=me, day=day_word(draw))
    return _as_noticed(draw, text, people), int(level)


def _as_noticed(draw: Draw, text: str, people: list[str]) -> str:
    return f'{draw.one(people)} said: "{text}"' if draw.chance(0.12) and '"' not in text else text
