"""Plan an hour: its steps with place and action, and other steps after one has failed."""

from __future__ import annotations

from dataclasses import dataclass

from models.nano.draw import Draw, content
from models.nano.facts import make_fact, noise, remember
from models.nano.people import Someone, distinct_names, random_time, someone
from models.nano.ranking import offered as ranked
from models.nano.ranking import with_those
from models.nano.render import Sample, rendered, turn
from models.nano.town import Thing, TownBuilder, all_ways
from npc_server import clock
from npc_server.config import MindSettings
from npc_server.llm.reply import Integer, many
from npc_server.mind import surroundings
from npc_server.mind.places import short
from npc_server.mind.replies import StepRow
from npc_server.records import GameTime
from npc_server.world.tree import Node

from .act import Step, activity

RANKED = 0.9
"""Share of the hours whose places come in the order of play."""
FAILURES = (
    "the {thing} is in use",
    "the door is locked",
    "somebody else is there",
    "there is no way there",
    "the {thing} is broken",
    "it is closed",
    "the {thing} is burning",
    "there is nothing left",
)
FAILED_THINGS = ("stove", "table", "counter", "bench", "shower", "workbench", "desk")
AT_HOME = ("rise", "breakfast", "lunch", "supper", "bed", "read")
"""Hours of the bank that people mostly spend at home."""


def plan_steps(draw: Draw) -> Sample:
    return _hour(draw, "plan_steps")


def replan(draw: Draw) -> Sample:
    return _hour(draw, "replan")


@dataclass
class _Hour:
    """An hour while its sample is made."""

    draw: Draw
    me: Someone
    people: list[str]
    key: str
    """Its name in the bank `hours`, such as `breakfast`."""
    place: TownBuilder
    minutes: int
    parts: list[int]
    """Minutes of each step."""
    activity: str = ""
    failed: str = ""
    """The activity that failed, where the hour is planned anew."""

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Kind of object and action of each step that the hour may have, in order."""
        return [(kind, action) for kind, action in content()["hours"][self.key]["steps"]]


def _hour(draw: Draw, question: str) -> Sample:
    people = distinct_names(draw, 4)
    me = someone(draw, people, phrases=(1, 3), relations=(0, 2))
    now = random_time(draw)
    key = draw.one(list(content()["hours"]))
    place = TownBuilder(draw, me)
    minutes = draw.one((60, 60, 60, 60, 30, 45, draw.number(15, 60)))
    hour = _Hour(draw, me, people, key, place, minutes, portions(draw, minutes))
    chosen = _choose(hour, hour.steps if question != "replan" else _without_failed(hour))
    wanted = _furnish(hour, chosen)
    offered = _offer(hour, wanted)
    settings = MindSettings()
    reply = many(
        StepRow,
        max(1, minutes // settings.step_minutes_max),
        max(1, minutes // settings.step_minutes_min),
        minutes=Integer(settings.step_minutes_min, settings.step_minutes_max),
        place=surroundings.place_choice(me.mind, offered),
        does=surroundings.does_choice(me.mind, offered),
    )
    full = rendered(me, now, question, reply, _values(hour, offered, now))
    answer = turn(full, True, reply, _rows_of(hour, wanted, offered), (), question)
    return Sample(question, full.part("system"), (answer,), {"npc": me.name})


def _without_failed(hour: _Hour) -> list[tuple[str, str]]:
    """The steps that are left when one of them, drawn here, has failed."""
    kind, action = hour.draw.one(hour.steps)
    hour.failed = activity(hour.draw, all_ways()[kind, action], hour.me.first)
    return [step for step in hour.steps if step[0] != kind] or [("bench", "sit"), ("armchair", "rest")]


def _choose(hour: _Hour, steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """As many steps as the hour has parts, in the order of the bank. A long hour starts again from the first step."""
    count = len(hour.parts)
    order = steps if len(steps) >= count else (steps * 12)[:count]
    return order if len(order) == count else [order[i] for i in sorted(hour.draw.some(range(len(order)), count))]


def _furnish(hour: _Hour, chosen: list[tuple[str, str]]) -> list[Step]:
    """Puts the objects of the steps into the town, and others that fit none of them. Returns the steps in words."""
    draw, place, ways = hour.draw, hour.place, all_ways()
    things: dict[str, Thing] = {}
    for kind, action in chosen:
        if kind not in things:
            things[kind] = place.put(kind, at_home=hour.key in AT_HOME and draw.chance(0.9), state=ways[kind, action].needs)
    actions = {action for _, action in chosen}
    kinds = set(things)
    for kind in draw.shuffled(list(content()["objects"])):
        if len(place.things) >= draw.few(5, 12):
            break
        if kind not in kinds and not actions & set(content()["objects"][kind]["do"]):
            place.put(kind)
            kinds.add(kind)
    hour.activity = draw.fill(draw.line(f"hours.{hour.key}", content()["hours"][hour.key]["say"]))
    found: list[Step] = []
    for kind, action in chosen:
        way, thing = ways[kind, action], things[kind]
        if way.needs and thing.node.state != way.needs:  # another step needs the thing in another state
            way = next((w for (k, _), w in ways.items() if k == kind and not w.needs), way)
        found.append(Step(activity(draw, way, hour.me.first), thing, way))
    return found


def _offer(hour: _Hour, wanted: list[Step]) -> list[Node]:
    """The places that the prompt offers, with those of the steps among them."""
    draw, place = hour.draw, hour.place
    place.show_all()
    offered = [thing.node for thing in draw.shuffled(place.things)][:12]
    shown = {node.address for node in offered}
    needed = list({step.thing.node.address: step.thing.node for step in wanted}.values())
    if any(node.address not in shown for node in needed):
        offered = draw.shuffled(needed)
    return with_those(ranked(hour.me.world, offered, hour.activity), needed) if draw.chance(RANKED) else offered


def _rows_of(hour: _Hour, wanted: list[Step], offered: list[Node]) -> tuple[StepRow, ...]:
    """The rows of the reply. An action that no offered place allows is written as none."""
    possible = {
        (node.address, action.name) for node in offered for action in node.actions if not action.needs or action.needs == node.state
    }
    rows: list[StepRow] = []
    for minutes, step in zip(hour.parts, wanted, strict=True):
        address, action = step.thing.node.address, step.way.action
        does = action if (address, action) in possible else surroundings.NOTHING
        rows.append(StepRow(minutes, step.activity, short(hour.me.world, address), does, step.way.sign))
    return tuple(rows)


def _values(hour: _Hour, offered: list[Node], now: GameTime) -> dict[str, object]:
    draw, me, people = hour.draw, hour.me, hour.people
    memories = [noise(draw, me, now, people).line for _ in range(draw.few(0, 2))]
    memories += [remember(draw, me, make_fact(draw, people), now).line for _ in range(draw.few(0, 2))]
    reason = draw.fill(draw.one(FAILURES), thing=draw.one(FAILED_THINGS)) if hour.failed else ""
    return {
        "activity": hour.activity,
        "failed": hour.failed,
        "reason": reason,
        "start": clock.hhmm(now),
        "end": clock.hhmm(now + hour.minutes * clock.MINUTE),
        "minutes": hour.minutes,
        "memories": memories,
        "places": surroundings.lines(me.mind, offered),
    }


def portions(draw: Draw, minutes: int) -> list[int]:
    """Minutes of each step, from 5 to 15, which add up to `minutes`."""
    parts: list[int] = []
    left = minutes
    while left > 0:
        if left <= 15:
            parts.append(max(5, left))
            break
        part = draw.one((10, 15, 15, 15, 5))
        if left - part < 5:
            part = left - 5
        parts.append(min(15, max(5, part)))
        left -= parts[-1]
    return parts
