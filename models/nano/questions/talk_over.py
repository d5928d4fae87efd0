"""Talk over: the summary, claims and relationship after a talk. Claims keep day, hour and place as they were said."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.nano import social_memory
from models.nano.draw import Draw, content, style
from models.nano.facts import day_word, make_fact, noise, remember
from models.nano.people import Someone, distinct_names, manners, random_time, someone
from models.nano.render import Sample, rendered, turn
from models.nano.replies import TaughtRelationship, TaughtTalkOver
from npc_server.llm.reply import one
from npc_server.mind import relationships, replies
from npc_server.mind.replies import NOTHING
from npc_server.personas.names import first_name
from npc_server.records import GameTime, Social

REBUFFS = (
    "Don't speak to me like that.",
    "I don't have to listen to this.",
    "That's not fair.",
    "Then we have nothing more to say.",
)


def talk_over(draw: Draw) -> Sample:
    people = distinct_names(draw, draw.number(3, 5))
    me = someone(draw, people, phrases=(1, 4), relations=(0, 2))
    now = random_time(draw)
    who = draw.one([i for i in me.names if i != "me"])
    name = me.name_of(who)
    former = social_memory.add_relationship(draw, me, who, now, people)
    unseen = [noise(draw, me, now, [name, *people]) for _ in range(draw.one((0, 0, 1, 2)))]
    talk = _dialogue(draw, me, name, people)
    about = _about(draw, me, name, talk.told)
    value = TaughtTalkOver(about[:200], *_now(draw, me, former, talk.told, talk.warm), tuple(t[:200] for t in talk.told) or (NOTHING,))
    reply = one(TaughtTalkOver)
    values = {
        "other": name,
        "others": [name],
        "between": social_memory.line(me, who),
        "unseen": [k.line for k in unseen],
        "dialogue": [f"{speaker}: {text}" for speaker, text in talk.lines],
    }
    full = rendered(me, now, "talk_over", reply, values)
    return Sample("talk_over", full.part("system"), (turn(full, True, reply, value, tuple(talk.told), "talk_over"),), {"npc": me.name})


@dataclass
class _Talk:
    """A talk while it is made."""

    draw: Draw
    me: Someone
    name: str
    """Name of the other."""
    others: list[str]
    """Names of those whom the other may talk about."""
    lines: list[tuple[str, str]]
    told: list[str] = field(default_factory=list)
    """Claims of the other."""
    warm: int = 0
    """Whether the talk went well (1), badly (-1) or neither (0)."""


def _dialogue(draw: Draw, me: Someone, name: str, people: list[str]) -> _Talk:
    """Two people greet each other, the other tells up to three things, and they part."""
    other, mine = draw.one(manners()), me.manner
    first = first_name(name)
    lines = [(name, draw.said(other.greet, you=me.first)), (me.name, draw.said(mine.greet, you=first))]
    if draw.chance(0.5):
        lines.reverse()
    talk = _Talk(draw, me, name, [person for person in people if person != name], lines)
    for _ in range(draw.one((0, 1, 1, 1, 2, 3))):
        roll = draw.rng.random()
        if roll < 0.45:
            _tell_news(talk)
        elif roll < 0.7:
            _invite(talk)
        elif roll < 0.85:
            _confide(talk)
        else:
            _quarrel(talk)
    for _ in range(draw.few(0, 2)):
        talk.lines.append((draw.one((me.name, name)), draw.said(style()["smalltalk"], place=draw.bank("place"))))
    if draw.chance(0.7):
        talk.lines += [(me.name, draw.said(mine.bye, you=first)), (name, draw.said(other.bye, you=me.first))]
    return talk


def _tell_news(talk: _Talk) -> None:
    draw = talk.draw
    fact = make_fact(draw, talk.others)
    talk.lines.append((talk.name, draw.said(style()["news_open"], fact=fact.told, fact_l=fact.told)))
    talk.told.append(fact.told)
    talk.lines.append((talk.me.name, draw.said(style()["surprise"])))


def _invite(talk: _Talk) -> None:
    draw = talk.draw
    values = {"event": draw.bank("event"), "place": draw.bank("place"), "day": day_word(draw), "time": draw.time()}
    talk.lines.append((talk.name, draw.said(style()["invite"], **values)))
    talk.told.append(draw.fill(draw.one(content()["invited"]), a=talk.name, m=talk.me.first, **values))
    accepts = draw.chance(0.75)
    talk.lines.append((talk.me.name, draw.said(style()["accept" if accepts else "decline"], **values)))
    talk.warm = max(talk.warm, 1 if accepts else 0)


def _confide(talk: _Talk) -> None:
    draw = talk.draw
    values = {"worry": draw.bank("worry"), "project": draw.bank("project"), "thing": draw.bank("thing")}
    said, told = draw.one(content()["confided"])
    talk.lines.append((talk.name, draw.fill(said, **values)))
    talk.told.append(draw.fill(told, a=talk.name, m=talk.me.first, **values))
    talk.lines.append((talk.me.name, draw.said(style()["comfort"])))
    talk.warm = 1


def _quarrel(talk: _Talk) -> None:
    draw = talk.draw
    subject = draw.bank("subject")
    said, told = draw.one(content()["hard_words"])
    talk.lines.append((talk.name, draw.fill(said, m=talk.me.first, subject=subject)))
    talk.told.append(draw.fill(told, a=talk.name, m=talk.me.first, subject=subject))
    talk.lines.append((talk.me.name, draw.one(REBUFFS)))
    talk.warm = -1


def _about(draw: Draw, me: Someone, name: str, told: list[str]) -> str:
    if not told:
        return draw.said(
            (
                f"{me.first} and {name} talked about this and that.",
                f"{me.first} talked with {name} about everyday things.",
                f"{me.first} and {name} greeted each other and chatted.",
            )
        )
    return draw.said(
        ("{m} talked with {f}: {fact}", "{f} told {m} the news: {fact}", "{m} heard from {f}: {fact}"), m=me.first, f=name, fact=told[0]
    )


def _now(draw: Draw, me: Someone, former: Social, told: list[str], warm: int) -> tuple[str, str, str, int]:
    """The relationship after the talk: relation, feeling, summary, closeness. A stranger becomes an acquaintance."""
    first = first_name(me.name_of(former.other))
    relation = relationships.ACQUAINTANCE if former.relation == relationships.STRANGER else former.relation
    if former.relation == relationships.STRANGER:
        closeness = 2
    else:
        closeness = max(0, min(10, former.closeness + (warm if former.closeness < 9 else min(0, warm))))
    feeling = former.feeling
    if warm or not feeling:
        lines = content()["felt_about"][{1: "well", 0: "plain", -1: "badly"}[warm]]
        feeling = draw.fill(draw.one(lines), m=me.first, f=first)
    news = " ".join(t if t.startswith(first) or "told" in t else f"{first} told {me.first}: {t}" for t in told)
    kept = f"{former.between} {news}".strip()
    while len(kept) > replies.BETWEEN_CHARS and ". " in kept:
        kept = kept.split(". ", 1)[1]
    return relation, feeling[:160], kept[: replies.BETWEEN_CHARS] or f"{me.first} and {first} talked.", closeness


def relation(draw: Draw) -> Sample:
    """The relationship alone, from what was noticed of the other since the last talk."""
    people = distinct_names(draw, 4)
    me = someone(draw, people, phrases=(1, 3), relations=(0, 2))
    now: GameTime = random_time(draw)
    who = draw.one([i for i in me.names if i != "me"])
    former = social_memory.add_relationship(draw, me, who, now, people)
    facts = [make_fact(draw, [p for p in people if p != me.name_of(who)]) for _ in range(draw.number(1, 2))]
    kept = [remember(draw, me, fact, now, told_by=who) for fact in facts]
    value = TaughtRelationship(*_now(draw, me, former, [fact.text for fact in facts], 0))
    reply = one(TaughtRelationship)
    full = rendered(
        me,
        now,
        "talk_relation",
        reply,
        {"other": me.name_of(who), "between": social_memory.line(me, who), "unseen": [k.line for k in kept]},
    )
    return Sample("talk_relation", full.part("system"), (turn(full, True, reply, value, (), "talk_relation"),), {"npc": me.name})
