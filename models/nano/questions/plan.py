"""Plans and deeds: a day, an hour in steps with their places, other steps after a failure, and one action."""

from __future__ import annotations

from dataclasses import dataclass

from models.nano.draw import Draw, content
from models.nano.facts import keep, make_fact, noise
from models.nano.people import Someone, cast_of, moment, someone
from models.nano.ranking import offered as ranked
from models.nano.ranking import with_those
from models.nano.render import Sample, Turn, memory_line, rendered, turn
from models.nano.town import Means, Place, Thing, means
from npc_server import clock
from npc_server.config import MindSettings
from npc_server.instinct import deeds
from npc_server.llm.reply import Integer, many, one
from npc_server.mind import replies, surroundings
from npc_server.mind.places import short
from npc_server.mind.replies import DayRow, Deed, StepRow
from npc_server.personas.names import first_name
from npc_server.records import GameTime

MORNING, NOON, EVENING = ("rise", "breakfast"), ("lunch",), ("supper", "bed")
ALONE, RANKED = 0.5, 0.9
"""Shares of the samples with one activity whose places come as they are offered for it; and of the hours whose places do."""
FREE = ("read", "walk", "garden", "music", "drink", "buy", "sport", "paint", "fish", "stars")
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


@dataclass(frozen=True)
class Step:
    """What is done with which thing."""

    activity: str
    thing: Thing
    means: Means


# ---- one action


def act(draw: Draw) -> Sample:
    """An activity, or several among the same places."""
    people = cast_of(draw, 3)
    me = someone(draw, people, phrases=(1, 3), relations=(0, 2))
    now = moment(draw)
    place, ways = town(draw, me, draw.number(3, 6))
    wanted = draw.mixed(ways)
    place.known()
    offered = [draw_thing.node for draw_thing in draw.mixed(place.things)][:12]
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
        deed = Deed(target, step.means.action, deeds.sentence(me.first, step.activity), step.means.sign)
        turns.append(turn(full, not turns, reply, deed, (target,), "place"))
    about = {"npc": me.name, "offered": [short(me.world, node.address) for node in offered], "activities": [s.activity for s in steps]}
    return Sample("act", system, tuple(turns), about)


def town(draw: Draw, me: Someone, count: int) -> tuple[Place, list[Step]]:
    """A few things with an activity for each, and others that do not suit any of these: one thing alone can be meant."""
    place = Place(draw, me)
    ways = draw.mixed(list(means().values()))
    steps: list[Step] = []
    taken: set[str] = set()
    for way in ways:
        if len(steps) == count:
            break
        can = content()["objects"][way.kind]["do"]
        others = {action for step in steps for action in content()["objects"][step.means.kind]["do"]}
        if way.kind in taken or way.action in others or any(step.means.action in can for step in steps):
            continue
        taken.add(way.kind)
        thing = place.put(way.kind, state=way.needs)
        steps.append(Step(activity(draw, way, me.first), thing, way))
    meant = {way.action for way in (s.means for s in steps)}
    for kind in draw.mixed(list(content()["objects"])):
        if len(place.things) >= draw.few(5, 14):
            break
        if kind not in taken and not meant & set(content()["objects"][kind]["do"]):
            taken.add(kind)
            place.put(kind)
    return place, steps


def activity(draw: Draw, way: Means, me: str) -> str:
    """A way to call it; most ways can be told from the action, some from what it is for."""
    if draw.chance(0.15):
        return way.action
    return draw.fill(draw.line(f"do.{way.kind}.{way.action}", way.says))


# ---- an hour


def steps(draw: Draw) -> Sample:
    return _hour(draw, "plan_steps")


def replan(draw: Draw) -> Sample:
    return _hour(draw, "replan")


def _hour(draw: Draw, question: str) -> Sample:
    people = cast_of(draw, 4)
    me = someone(draw, people, phrases=(1, 3), relations=(0, 2))
    now = moment(draw)
    settings = MindSettings()
    key = draw.one(list(content()["hours"]))
    spec = content()["hours"][key]
    place = Place(draw, me)
    ways = means()
    things: dict[str, Thing] = {}
    wanted: list[Step] = []
    pool = [(kind, action) for kind, action in spec["steps"]]
    minutes = draw.one((60, 60, 60, 60, 30, 45, draw.number(15, 60)))
    parts = portions(draw, minutes)
    failed = ""
    if question == "replan":
        kind, action = draw.one(pool)
        rest = [pair for pair in pool if pair[0] != kind]
        pool = rest or [("bench", "sit"), ("armchair", "rest")]
        failed = activity(draw, ways[kind, action], me.first)
    # In the order of the bank, as a sequence that makes sense; from its start again where the hour is longer.
    order = pool if len(pool) >= len(parts) else (pool * 12)[: len(parts)]
    chosen = order[: len(parts)] if len(order) == len(parts) else [order[i] for i in sorted(draw.some(range(len(order)), len(parts)))]
    for kind, action in chosen:
        way = ways[kind, action]
        if kind not in things:
            home = key in ("rise", "breakfast", "lunch", "supper", "bed", "read")
            things[kind] = place.put(kind, at_home=home and draw.chance(0.9), state=way.needs)
    kinds = list(things)
    for kind in draw.mixed(list(content()["objects"])):
        if len(place.things) >= draw.few(5, 12):
            break
        if kind not in kinds and not {action for _, action in chosen} & set(content()["objects"][kind]["do"]):
            place.put(kind)
            kinds.append(kind)
    hour = draw.fill(draw.line(f"hours.{key}", spec["say"]))
    for kind, action in chosen:
        way, thing = ways[kind, action], things[kind]
        if way.needs and thing.node.state != way.needs:  # another step needs it otherwise
            way = next((w for (k, _), w in ways.items() if k == kind and not w.needs), way)
        wanted.append(Step(activity(draw, way, me.first), thing, way))
    place.known()
    offered = [thing.node for thing in draw.mixed(place.things)][:12]
    shown = {node.address for node in offered}
    needed = list({step.thing.node.address: step.thing.node for step in wanted}.values())
    if any(node.address not in shown for node in needed):
        offered = draw.mixed(needed)
    if draw.chance(RANKED):
        offered = with_those(ranked(me.world, offered, hour), needed)
    possible = {
        (node.address, action.name) for node in offered for action in node.actions if not action.needs or action.needs == node.state
    }
    plan = tuple(
        StepRow(
            part,
            step.activity,
            short(me.world, step.thing.node.address),
            step.means.action if (step.thing.node.address, step.means.action) in possible else surroundings.NOTHING,
            step.means.sign,
        )
        for part, step in zip(parts, wanted, strict=True)
    )
    low, high = max(1, minutes // settings.step_minutes_max), max(1, minutes // settings.step_minutes_min)
    reply = many(
        StepRow,
        low,
        high,
        minutes=Integer(settings.step_minutes_min, settings.step_minutes_max),
        place=surroundings.place_choice(me.mind, offered),
        does=surroundings.does_choice(me.mind, offered),
    )
    memories = [noise(draw, me, now, people).line for _ in range(draw.few(0, 2))] + [
        keep(draw, me, make_fact(draw, people), now).line for _ in range(draw.few(0, 2))
    ]
    reason = (
        draw.fill(draw.one(FAILURES), thing=draw.one(("stove", "table", "counter", "bench", "shower", "workbench", "desk")))
        if failed
        else ""
    )
    values = {
        "activity": hour,
        "failed": failed,
        "reason": reason,
        "start": clock.hhmm(now),
        "end": clock.hhmm(now + minutes * clock.MINUTE),
        "minutes": minutes,
        "memories": memories,
        "places": surroundings.lines(me.mind, offered),
    }
    full = rendered(me, now, question, reply, values)
    return Sample(question, full.part("system"), (turn(full, True, reply, plan, (), question),), {"npc": me.name})


def portions(draw: Draw, minutes: int) -> list[int]:
    """Minutes of steps of 5 to 15 that add up to it."""
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


# ---- a day


def day(draw: Draw) -> Sample:
    people = cast_of(draw, 4)
    me = someone(draw, people)
    if draw.chance(0.7):
        me.trade = me.facts.get("trade.trade", me.trade)
    wake, sleep = me.persona.wake // clock.HOUR, draw.number(20, 23)
    now = clock.day_start(moment(draw)) + wake * clock.HOUR
    agreed = [_agreed(draw, people, wake, sleep) for _ in range(draw.one((0, 0, 1, 1, 2)))]
    agreed = sorted({hour: (hour, minute, text) for hour, minute, text in agreed}.values())
    today = [f"{hour:02}:{minute:02} {text}" for hour, minute, text in agreed]
    memories, extra = _that_count(draw, me, now, people, wake, sleep, {hour for hour, _, _ in agreed})
    planned = _rows(draw, me, wake, sleep, agreed + extra)
    settings = MindSettings()
    parts = (settings.plan_strokes_min, settings.plan_strokes_max)
    count = max(1, sleep - wake)
    reply = many(DayRow, max(parts[0], count // 2), max(parts[1], count + 8))
    wandering = [noise(draw, me, now, people).line for _ in range(draw.one((0, 0, 3)))]
    values = {
        "memories": memories,
        "wandering": wandering,
        "today": today,
        "wake": clock.hhmm(now),
        "sleep": f"{sleep:02}:00",
        "parts": f"{parts[0]} to {parts[1]}",
    }
    full = rendered(me, now, "plan_day", reply, values)
    expect = tuple(f"{hour:02}:{minute:02}" for hour, minute, _ in agreed)
    return Sample(
        "plan_day", full.part("system"), (turn(full, True, reply, planned, expect, "plan_day"),), {"npc": me.name, "today": today}
    )


def _agreed(draw: Draw, people: list[str], wake: int, sleep: int) -> tuple[int, int, str]:
    what = draw.one(
        (
            f"going to the {draw.bank('event')}",
            f"going to {first_name(draw.one(people))}'s {draw.bank('event')}",
            f"meeting {draw.one(people)}",
            f"going to the {draw.bank('event')} at {draw.bank('place')}",
        )
    )
    return draw.number(wake + 2, sleep - 2), draw.one((0, 0, 20, 30, 50)), what


def _that_count(
    draw: Draw, me: Someone, now: GameTime, people: list[str], wake: int, sleep: int, taken: set[int]
) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Memories, and what follows from them for today: an invitation for this weekday counts, one for another day does not."""
    lines = [noise(draw, me, now, people).line for _ in range(draw.few(0, 4))] + [
        keep(draw, me, make_fact(draw, people), now).line for _ in range(draw.few(0, 3))
    ]
    extra: list[tuple[int, int, str]] = []
    if draw.chance(0.35):
        today = clock.date(now).split()[0]
        right = draw.chance(0.7)
        weekday = today if right else draw.one([d for d in content()["weekday"] if d != today])
        hour = draw.one([h for h in range(wake + 2, sleep - 1) if h not in taken] or [wake + 2])
        event, where, who = draw.bank("event"), draw.bank("place"), draw.one(people)
        text = draw.said(
            (
                "{a} invited {m} to a {event} at {place} on {day} at {hour}:00",
                "{a} gives a {event} at {place} on {day} at {hour}:00 and wants {m} to come",
            ),
            a=who,
            m=me.first,
            event=event,
            place=where,
            day=weekday,
            hour=f"{hour:02}",
        )
        lines.append(memory_line(me, text, now, now - draw.number(4, 40) * 3600))
        if right and hour not in taken:
            extra.append((hour, 0, f"go to {first_name(who)}'s {event} at {where}"))
    return draw.mixed(lines), extra


def _rows(draw: Draw, me: Someone, wake: int, sleep: int, fixed: list[tuple[int, int, str]]) -> tuple[DayRow, ...]:
    """About a row an hour: at home, work, noon, more work or free time, an evening, bed; and what is fixed at its hour."""
    hours = content()["hours"]
    job = content()["jobs"].get(me.trade, draw.one(("shop", "workshop", "farm", "market", "council")))
    free = draw.mixed(FREE)
    noon, evening = draw.one((12, 12, 13)), draw.one((17, 18, 18))
    morning_part, work_part, noon_part = (draw.one(hours[key]["part"]) for key in ("rise", job, "lunch"))
    free_part, evening_part = draw.one(hours[free[0]]["part"]), draw.one(hours["supper"]["part"])
    late_part = draw.one([p for p in hours["bed"]["part"] if p != evening_part])
    plan: list[tuple[int, str, str]] = []
    for hour in range(wake, sleep):
        if hour == wake:
            plan.append((hour, morning_part, _say(draw, "rise")))
        elif hour == wake + 1:
            plan.append((hour, morning_part, _say(draw, "breakfast")))
        elif hour < noon:
            plan.append((hour, work_part, _say(draw, job)))
        elif hour == noon:
            plan.append((hour, noon_part, _say(draw, "lunch")))
        elif hour < evening - 1:
            plan.append((hour, f"more {work_part}" if len(work_part) < 50 else work_part, _say(draw, job)))
        elif hour < evening:
            plan.append((hour, free_part, _say(draw, free[0])))
        elif hour == evening:
            plan.append((hour, evening_part, _say(draw, "supper")))
        elif hour == sleep - 1:
            plan.append((hour, late_part, _say(draw, "bed")))
        else:
            plan.append((hour, evening_part, _say(draw, free[1 + (hour - evening) % 4])))
    found: list[DayRow] = []
    at = {hour: (minute, text) for hour, minute, text in fixed}
    for hour, part, text in plan:
        if hour in at:
            minute, what = at[hour]
            if minute:
                found.append(DayRow(hour * clock.HOUR, part, text[: replies.ACTIVITY_CHARS]))
            found.append(DayRow(hour * clock.HOUR + minute * clock.MINUTE, part, _as_plan(what)[: replies.ACTIVITY_CHARS]))
        elif found and found[-1].activity == text and draw.chance(0.5):
            continue
        else:
            found.append(DayRow(hour * clock.HOUR, part, text[: replies.ACTIVITY_CHARS]))
    return tuple(found)


def _say(draw: Draw, key: str) -> str:
    return draw.fill(draw.one(content()["hours"][key]["say"]))


def _as_plan(what: str) -> str:
    """`going to the party` as a plan says it: `go to the party`."""
    return what.replace("going to", "go to", 1).replace("meeting ", "meet ", 1)
