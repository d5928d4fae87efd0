"""Identity: its revision each morning, from the description, recent events and today's appointments."""

from __future__ import annotations

from models.nano.draw import Draw, content, style
from models.nano.facts import make_fact, noise, remember
from models.nano.people import distinct_names, random_time, someone
from models.nano.render import Sample, memory_line, rendered, turn
from npc_server.llm.reply import one
from npc_server.mind.replies import Identity


def identity(draw: Draw) -> Sample:
    people = distinct_names(draw, draw.number(2, 5))
    me = someone(draw, people)
    now = random_time(draw)
    felt = draw.one(content()["felt"])
    event = draw.fill(
        draw.line("felt.see", felt["see"]) if len(felt["see"]) > 5 else draw.one(felt["see"]),
        m=me.first,
        a=draw.one(people),
        b=draw.one(people),
    )
    rest = [noise(draw, me, now, people).line for _ in range(draw.few(0, 5))] + [
        remember(draw, me, make_fact(draw, people), now).line for _ in range(draw.few(0, 3))
    ]
    lines = draw.shuffled([*rest, memory_line(me, event, now, now - draw.number(3, 30) * 3600)])
    today = [
        f"{draw.time()} going to the {draw.bank('event')}" if draw.chance(0.7) else f"{draw.time()} meeting {draw.one(people)}"
        for _ in range(draw.one((0, 0, 1, 1, 2)))
    ]
    traits = me.persona.traits
    nature = f"{me.first} is {traits[0]} and {traits[1]}." if len(traits) > 1 else f"{me.first} is who {me.first} has always been."
    work = (
        draw.said(style()["days_for"], m=me.first, trade=me.trade)
        if "trade.trade" in me.facts
        else f"{me.first} takes the days as they come."
    )
    feeling = draw.said(felt["feel"], m=me.first)
    second = (
        draw.said(
            style()["today"],
            m=me.first,
            today=today[0][6:] if today[0][2] == ":" else today[0].split(" ", 2)[-1],
            at=today[0].split(" going")[0].split(" meeting")[0],
        )
        if today
        else (me.persona.currently or draw.said(style()["no_plan"], m=me.first))
    )
    mind = f"{event}{'' if event.endswith(('.', '!', '?', chr(34))) else '.'} {second}"
    reply = one(Identity)
    full = rendered(me, now, "identity", reply, {"memories": lines, "today": today})
    value = Identity(nature[:120], work[:120], feeling[:160], mind[:300])
    return Sample("identity", full.part("system"), (turn(full, True, reply, value, (), "identity"),), {"npc": me.name})
