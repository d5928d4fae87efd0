"""Talk over: what stays of a talk. What was told keeps its day, hour and place as they were said."""

from __future__ import annotations

from models.nano import between
from models.nano.draw import Draw, content, style
from models.nano.facts import Fact, day_word, make_fact, noise
from models.nano.people import Someone, cast_of, manners, moment, someone
from models.nano.render import Sample, rendered, turn
from npc_server.llm.reply import one
from npc_server.mind import relationships, replies
from npc_server.mind.replies import NOTHING, Relationship, TalkOver
from npc_server.personas.names import first_name
from npc_server.records import GameTime, Social


def talk_over(draw: Draw) -> Sample:
    people = cast_of(draw, draw.number(3, 5))
    me = someone(draw, people, phrases=(1, 4), relations=(0, 2))
    now = moment(draw)
    who = draw.one([i for i in me.names if i != "me"])
    name = me.name_of(who)
    former = between.know(draw, me, who, now, people)
    unseen = [noise(draw, me, now, [name, *people]) for _ in range(draw.one((0, 0, 1, 2)))]
    lines, told, warm = _dialogue(draw, me, name, people)
    about = _about(draw, me, name, told)
    value = TalkOver(about[:200], *_now(draw, me, former, told, warm), tuple(t[:200] for t in told) or (NOTHING,))
    reply = one(TalkOver)
    values = {
        "other": name,
        "others": [name],
        "between": between.line(me, who),
        "unseen": [k.line for k in unseen],
        "dialogue": [f"{s}: {t}" for s, t in lines],
    }
    full = rendered(me, now, "talk_over", reply, values)
    return Sample("talk_over", full.part("system"), (turn(full, True, reply, value, tuple(told), "talk_over"),), {"npc": me.name})


def _dialogue(draw: Draw, me: Someone, name: str, people: list[str]) -> tuple[list[tuple[str, str]], list[str], int]:
    """Lines, what the other told in them as sentences to remember, and whether it went well (1), badly (-1) or as always."""
    other, mine = draw.one(manners()), me.manner
    first = first_name(name)
    lines = [(name, draw.said(other.greet, you=me.first)), (me.name, draw.said(mine.greet, you=first))]
    if draw.chance(0.5):
        lines.reverse()
    told: list[str] = []
    warm = 0
    others = [p for p in people if p != name]
    for _ in range(draw.one((0, 1, 1, 1, 2, 3))):
        roll = draw.rng.random()
        if roll < 0.45:
            fact: Fact = make_fact(draw, others)
            lines.append((name, draw.said(style()["news_open"], fact=fact.told, fact_l=fact.told)))
            told.append(fact.told)
            lines.append((me.name, draw.said(style()["surprise"])))
        elif roll < 0.7:
            values = {"event": draw.bank("event"), "place": draw.bank("place"), "day": day_word(draw), "time": draw.time()}
            lines.append((name, draw.said(style()["invite"], **values)))
            told.append(draw.fill(draw.one(content()["invited"]), a=name, m=me.first, **values))
            yes = draw.chance(0.75)
            lines.append((me.name, draw.said(style()["accept" if yes else "decline"], **values)))
            warm = max(warm, 1 if yes else 0)
        elif roll < 0.85:
            values = {"worry": draw.bank("worry"), "project": draw.bank("project"), "thing": draw.bank("thing")}
            pair = draw.one(content()["confided"])
            lines.append((name, draw.fill(pair[0], **values)))
            told.append(draw.fill(pair[1], a=name, m=me.first, **values))
            lines.append((me.name, draw.said(style()["comfort"])))
            warm = 1
        else:
            values = {"subject": draw.bank("subject")}
            pair = draw.one(content()["hard_words"])
            lines.append((name, draw.fill(pair[0], m=me.first, **values)))
            told.append(draw.fill(pair[1], a=name, m=me.first, **values))
            lines.append(
                (
                    me.name,
                    draw.one(
                        (
                            "Don't speak to me like that.",
                            "I don't have to listen to this.",
                            "That's not fair.",
                            "Then we have nothing more to say.",
                        )
                    ),
                )
            )
            warm = -1
    for _ in range(draw.few(0, 2)):
        lines.append((draw.one((me.name, name)), draw.said(style()["smalltalk"], place=draw.bank("place"))))
    if draw.chance(0.7):
        lines += [(me.name, draw.said(mine.bye, you=first)), (name, draw.said(other.bye, you=me.first))]
    return lines, told, warm


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
    """What the other is from now on: as before, with what is new; a stranger one talked with is an acquaintance."""
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
    """The relationship alone, from what was noticed of the other since."""
    people = cast_of(draw, 4)
    me = someone(draw, people, phrases=(1, 3), relations=(0, 2))
    now: GameTime = moment(draw)
    who = draw.one([i for i in me.names if i != "me"])
    former = between.know(draw, me, who, now, people)
    facts = [make_fact(draw, [p for p in people if p != me.name_of(who)]) for _ in range(draw.number(1, 2))]
    from models.nano.facts import keep

    kept = [keep(draw, me, fact, now, told_by=who) for fact in facts]
    value = Relationship(*_now(draw, me, former, [fact.text for fact in facts], 0))
    reply = one(Relationship)
    full = rendered(
        me, now, "talk_relation", reply, {"other": me.name_of(who), "between": between.line(me, who), "unseen": [k.line for k in kept]}
    )
    return Sample("talk_relation", full.part("system"), (turn(full, True, reply, value, (), "talk_relation"),), {"npc": me.name})
