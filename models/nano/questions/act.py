"""Act: where an activity is done, and with which thing, among the places that a prompt offers."""

from __future__ import annotations

from dataclasses import dataclass

from models.nano.draw import Draw, content
from models.nano.people import Someone, distinct_names, random_time, someone
from models.nano.ranking import offered as ranked
from models.nano.ranking import with_those
from models.nano.render import Sample, Turn, rendered, turn
from models.nano.town import Thing, TownBuilder, Way, all_ways
from npc_server.instinct.act import sentence
from npc_server.llm.reply import one
from npc_server.mind import surroundings
from npc_server.mind.places import short
from npc_server.mind.replies import Deed

ALONE = 0.5
"""Share of the samples that ask for one activity, with its places in the order of play."""


@dataclass(frozen=True)
class Step:
    """An activity, and the object and action for it."""

    activity: str
    thing: Thing
    way: Way


def act(draw: Draw) -> Sample:
    """A sample of one activity, or of several at the same places."""
    people = distinct_names(draw, 3)
    me = someone(draw, people, phrases=(1, 3), relations=(0, 2))
    now = random_time(draw)
    place, ways = town(draw, me, draw.number(3, 6))
    wanted = draw.shuffled(ways)
    place.show_all()
    offered = [draw_thing.node for draw_thing in draw.shuffled(place.things)][:12]
    at = {node.address for node in offered}
    steps = [step for step in wanted if step.thing.node.address in at]
    at_now = draw.one(offered).address if draw.chance(0.6) else ""
    if steps and draw.chance(ALONE):
        steps = steps[:1]
        offered = with_those(ranked(me.world, offered, steps[0].activity, at_now), [steps[0].thing.node])
    here = short(me.world, at_now) if at_now else ""
    reply = one(Deed, place=surroundings.place_choice(me.mind, offered), does=surroundings.does_choice(me.mind, offered))
    turns: list[Turn] = []
    system = ""
    for step in {step.activity: step for step in steps}.values():
        values = {"activity": step.activity, "here": here, "places": surroundings.lines(me.mind, offered)}
        full = rendered(me, now, "act", reply, values)
        system = full.part("system")
        target = short(me.world, step.thing.node.address)
        deed = Deed(target, step.way.action, sentence(me.first, step.activity), step.way.sign)
        turns.append(turn(full, not turns, reply, deed, (target,), "place"))
    about = {"npc": me.name, "offered": [short(me.world, node.address) for node in offered], "activities": [s.activity for s in steps]}
    return Sample("act", system, tuple(turns), about)


def town(draw: Draw, me: Someone, count: int) -> tuple[TownBuilder, list[Step]]:
    """A town with `count` objects and an activity for each, and other objects that fit none of these activities."""
    place = TownBuilder(draw, me)
    ways = draw.shuffled(list(all_ways().values()))
    steps: list[Step] = []
    taken: set[str] = set()
    for way in ways:
        if len(steps) == count:
            break
        can = content()["objects"][way.kind]["do"]
        others = {action for step in steps for action in content()["objects"][step.way.kind]["do"]}
        if way.kind in taken or way.action in others or any(step.way.action in can for step in steps):
            continue
        taken.add(way.kind)
        thing = place.put(way.kind, state=way.needs)
        steps.append(Step(activity(draw, way, me.first), thing, way))
    meant = {way.action for way in (s.way for s in steps)}
    for kind in draw.shuffled(list(content()["objects"])):
        if len(place.things) >= draw.few(5, 14):
            break
        if kind not in taken and not meant & set(content()["objects"][kind]["do"]):
            taken.add(kind)
            place.put(kind)
    return place, steps


def activity(draw: Draw, way: Way, me: str) -> str:
    """An activity in words: mostly by the action, sometimes by its purpose."""
    if draw.chance(0.15):
        return way.action
    return draw.fill(draw.line(f"do.{way.kind}.{way.action}", way.says))
