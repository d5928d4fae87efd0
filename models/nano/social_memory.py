"""Social Memory of a person about somebody else, as prompts show it."""

from __future__ import annotations

from models.nano.draw import Draw, style
from models.nano.facts import make_fact
from models.nano.people import COLD, PLAIN, WARM, Someone
from npc_server.mind import relationships
from npc_server.personas.names import first_name
from npc_server.records import GameTime, Social

KINDS = (
    ("stranger", 0),
    ("acquaintance", 2),
    ("acquaintance", 3),
    ("neighbour", 4),
    ("colleague", 5),
    ("friend", 6),
    ("good friend", 7),
    ("close friend", 8),
    ("rival", 2),
    ("former friend", 1),
    ("sister", 9),
    ("brother", 9),
    ("cousin", 6),
    ("wife", 10),
    ("husband", 10),
    ("customer", 3),
    ("teacher", 5),
)


def add_relationship(draw: Draw, me: Someone, who: str, now: GameTime, people: list[str]) -> Social:
    """Draws the relationship of `me` with `who`, adds it to `me.social`, and returns it."""
    name = me.name_of(who)
    own = next((r for r in me.persona.relations if r.who == who), None)
    relation, closeness = (own.being, own.closeness) if own else draw.one(KINDS)
    lines = WARM if closeness >= 6 else PLAIN if closeness >= 3 else COLD
    feeling = own.feeling if own and own.feeling else draw.fill(draw.one(lines), m=me.first, f=first_name(name))
    parts = []
    if relation != "stranger":
        for _ in range(draw.few(0, 2)):
            fact = make_fact(draw, [p for p in people if p != name])
            parts.append(draw.said(style()["between"], f=first_name(name), m=me.first, fact=fact.text))
    kept = Social("me", who, relation, "" if relation == "stranger" else feeling, " ".join(parts)[:290], closeness, 0, now)
    me.social[who] = kept
    return kept


def line(me: Someone, who: str) -> str:
    return relationships.line(me.mind, who)
