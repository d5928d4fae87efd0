"""React: whether to continue, wait, change the plan or talk, after something was noticed."""

from __future__ import annotations

from dataclasses import dataclass

from models.nano import social_memory
from models.nano.draw import Draw, content, style
from models.nano.facts import DOING, OBJECT, QUIPS, FactMemory, make_fact, noise, own_sight, remember
from models.nano.people import Someone, distinct_names, random_time, someone
from models.nano.ranking import retrieved, stream_of, with_those
from models.nano.render import Sample, Turn, rendered, turn
from npc_server import clock
from npc_server.cognition.react import FEW, drafted
from npc_server.instinct import poignancy, reflexes
from npc_server.llm.reply import Choice, one
from npc_server.memory.topics import topic_of
from npc_server.mind.instinct import Reaction
from npc_server.mind.replies import CHANGE, CONTINUE, NOTHING, TALK, WAIT, ReactReply
from npc_server.personas.names import first_name
from npc_server.records import GameTime, Memory, MemoryKind, Source

from . import interview, say

AS_SHOWN = 0.9
"""Share of the samples with as few memories as in play, in retrieval order."""

WRONG = 0.2
"""Share of the suggested answers that are wrong on purpose. Instinct is right on nine in ten sights of the banks, but on seven in ten
others."""
SEEN_NOW = 10_000
"""Id of the new observation, later than all memories."""


@dataclass(frozen=True)
class Sight:
    """Something noticed, the wanted reaction, and its reasons."""

    observation: str
    answer: ReactReply
    doing: str
    memories: tuple[FactMemory, ...] = ()
    between: str = ""


def react(draw: Draw) -> Sample:
    people = distinct_names(draw, draw.number(2, 5))
    me = someone(draw, people)
    now = random_time(draw)
    turns: list[Turn] = []
    who = draw.one([i for i in me.names if i != "me"])
    with_person = draw.chance(0.6)
    scene = _person(draw, me, who, now, people) if with_person else _thing(draw, me, now, people)
    kinds = (CONTINUE, WAIT, CHANGE, TALK) if with_person else (CONTINUE, WAIT, CHANGE)
    system = ""
    reply = one(ReactReply, reaction=Choice(kinds))
    doing, here = scene.doing, say.place(draw)
    rest = [noise(draw, me, now, people) for _ in range(draw.few(0, 4))] + [
        remember(draw, me, make_fact(draw, people), now) for _ in range(draw.few(0, 3))
    ]
    kept = draw.shuffled(list(scene.memories) + rest)
    if draw.chance(AS_SHOWN):
        kept = with_those(retrieved(draw, kept, scene.observation, now, FEW), scene.memories)
    lines = [item.line for item in kept]
    me.stream = stream_of(kept)
    for i in range(draw.number(1, 3) if not with_person else 1):
        if i:
            scene = _thing(draw, me, now, people, doing)
        values = {
            "observation": scene.observation,
            "other": me.name_of(who) if with_person else "",
            "doing": doing,
            "here": here,
            "between": scene.between,
            "memories": lines,
            "draft": _draft(draw, me, scene, who if with_person else "", now) if draw.chance(interview.DRAFTED) else "",
        }
        full = rendered(me, now, "react", reply, values)
        system = full.part("system")
        turns.append(turn(full, i == 0, reply, scene.answer, (scene.answer.reaction,), "react"))
    return Sample("react", system, tuple(turns), {"npc": me.name, "doing": doing, "memories": lines, "observation": scene.observation})


def _draft(draw: Draw, me: Someone, scene: Sight, who: str, now: GameTime) -> str:
    """What instinct would do, or sometimes something else."""
    text, topic, name = scene.observation, topic_of(scene.observation), me.name_of(who) if who else ""
    weight = poignancy.importance(text, topic)
    seen_now = Memory("me", SEEN_NOW, MemoryKind.OBSERVATION, text, now, now, weight, name, topic=topic)
    reflex = reflexes.reflex(me.mind, seen_now, who, scene.doing, "", now)
    found = drafted(Reaction(reflex.kind, Source.INSTINCT, about=reflex.about)) if reflex else CONTINUE
    if not draw.chance(WRONG):
        return found
    return CONTINUE if found != CONTINUE else draw.one((f"{CHANGE}: see what has happened", f"{TALK if who else WAIT}: {text}"))


def _doing(draw: Draw) -> str:
    return draw.fill(draw.line("activities", content()["activities"]))


def _thing(draw: Draw, me: Someone, now: GameTime, people: list[str], doing: str = "") -> Sight:
    """An observation of an object: urgent, in the way, or ordinary."""
    roll = draw.rng.random()
    doing_now = doing or _doing(draw)
    if roll < 0.4:
        spec = draw.one(content()["urgent"])
        place = say.place(draw)
        values = {"here": place}
        text = draw.fill(draw.line("urgent.see", spec["see"]) if len(spec["see"]) > 5 else draw.one(spec["see"]), **values)
        what = draw.fill(draw.one(spec["do"]), **values)
        answer = ReactReply(CHANGE, draw.one(spec["minutes"]), what)
    elif roll < 0.6 and not doing:
        spec = draw.one(content()["blocked"])
        doing_now = draw.one(spec["doing"])
        a = draw.one(people)
        text = draw.fill(draw.one(spec["see"]), a=a)
        answer = ReactReply(WAIT, draw.one((5, 10)), draw.fill(draw.one(spec["wait"]), a=first_name(a)))
    else:
        text = everyday(draw, people)
        answer = ReactReply(CONTINUE, 1, NOTHING)
    return Sight(text, answer, doing_now)


def everyday(draw: Draw, people: list[str], a: str = "") -> str:
    """An everyday observation, of what `a` does when given."""
    thing, state = draw.one(OBJECT)
    line = draw.line("everyday_sights")
    while a and not line.startswith("{a}"):
        line = draw.line("everyday_sights")
    who = a or draw.one(people)
    b = draw.one([p for p in people if p != who] or people)
    return draw.fill(
        line,
        a=who,
        b=b,
        doing=draw.fill(draw.one(DOING), b=b),
        object=thing,
        state=state,
        quip=draw.fill(draw.one(QUIPS)),
    )


def _person(draw: Draw, me: Someone, who: str, now: GameTime, people: list[str]) -> Sight:
    """An observation of a person. Memories or their doing may give a reason to talk; else the reaction is to continue."""
    kept = social_memory.add_relationship(draw, me, who, now, people)
    name, first = me.name_of(who), first_name(me.name_of(who))
    doing = _doing(draw)
    text = everyday(draw, people, name)
    memories: list[FactMemory] = []
    roll = draw.rng.random()
    if roll < 0.35:
        topic = draw.said(style()["topics"], b=draw.one(people))
        spec = draw.one(content()["reasons"])
        reason = draw.fill(spec, m=me.first, f=draw.one((name, first)), topic=topic)
        memories = [own_sight(me, reason, now, now - draw.number(1, 300) * 600)]
        answer = ReactReply(TALK, draw.one((5, 10)), topic)
    elif roll < 0.6:
        spec = draw.one(content()["troubled"])
        text = draw.fill(draw.line("troubled.see", spec["see"]) if len(spec["see"]) > 5 else draw.one(spec["see"]), a=name)
        answer = ReactReply(TALK, draw.one((5, 10)), draw.fill(draw.one(spec["talk"]), f=first))
        if (kept.closeness <= 1 and draw.chance(0.4)) or "angry" in kept.feeling:
            answer = ReactReply(CONTINUE, 1, NOTHING)
            no_more = draw.said(("{m} does not want to see {f} any more", "{m} has sworn not to speak to {f} again"), m=me.first, f=first)
            memories = [own_sight(me, no_more, now, now - clock.DAY)]
    elif roll < 0.7:
        text = draw.said(
            (
                '{a} said: "{m}, do you have a moment?"',
                '{a} said: "{m}! I need your help."',
                "{a} is waving at {m}",
                '{a} said: "There you are, {m}."',
                "{a} is coming over to {m}",
                '{a} said: "I must tell you something, {m}."',
            ),
            a=name,
            m=me.first,
        )
        answer = ReactReply(TALK, 5, draw.said(("what {f} wants", "what {f} has to say"), f=first))
    elif roll < 0.78:
        spec = draw.one(content()["blocked"])
        doing = draw.one(spec["doing"])
        text = draw.fill(draw.one(spec["by"]), a=name)
        answer = ReactReply(WAIT, draw.one((5, 10)), draw.fill(draw.one(spec["wait"]), a=first))
    else:
        answer = ReactReply(CONTINUE, 1, NOTHING)
    return Sight(text, answer, doing, tuple(memories), social_memory.line(me, who) if draw.chance(0.8) else "")
