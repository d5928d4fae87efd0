"""Listen: whether a person stops for somebody who wants to talk."""

from __future__ import annotations

from models.nano import social_memory
from models.nano.draw import Draw
from models.nano.facts import make_fact, noise, remember
from models.nano.people import distinct_names, random_time, someone
from models.nano.render import Sample, memory_line, rendered, turn
from npc_server.llm.reply import one
from npc_server.mind.replies import Willing
from npc_server.personas.names import first_name

AGAINST = (
    "{m} does not want to talk with {f} any more",
    "{m} is very angry with {f}",
    "{f} insulted {m} in front of everybody",
    "{m} has had enough of {f}",
    "{f} lied to {m} about {subject}",
    "{m} avoids {f} since the quarrel",
)


def listen(draw: Draw) -> Sample:
    people = distinct_names(draw, draw.number(2, 4))
    me = someone(draw, people)
    now = random_time(draw)
    who = draw.one([i for i in me.names if i != "me"])
    kept = social_memory.add_relationship(draw, me, who, now, people)
    hurried = draw.chance(0.3)
    lines = [noise(draw, me, now, people).line for _ in range(draw.few(0, 3))] + [
        remember(draw, me, make_fact(draw, people), now).line for _ in range(draw.few(0, 3))
    ]
    against = draw.chance(0.3)
    if against:
        lines.append(
            memory_line(me, draw.fill(draw.one(AGAINST), m=me.first, f=first_name(me.name_of(who))), now, now - 3600 * draw.number(1, 60))
        )
    angry = against or "angry" in kept.feeling or "avoids" in kept.feeling
    answer = "no" if angry or (hurried and kept.closeness < 8) else "yes"
    reply = one(Willing)
    values = {"other": me.name_of(who), "hurried": hurried, "memories": draw.shuffled(lines), "between": social_memory.line(me, who)}
    full = rendered(me, now, "listen", reply, values)
    return Sample("listen", full.part("system"), (turn(full, True, reply, Willing(answer), (answer,), "listen"),), {"npc": me.name})
