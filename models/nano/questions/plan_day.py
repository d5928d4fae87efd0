"""Plan a day: about one row for each hour, with what was agreed on at its time."""

from __future__ import annotations

from models.nano.draw import Draw, content
from models.nano.facts import make_fact, noise, remember
from models.nano.people import Someone, distinct_names, random_time, someone
from models.nano.render import Sample, memory_line, rendered, turn
from npc_server import clock
from npc_server.config import MindSettings
from npc_server.llm.reply import many
from npc_server.mind import replies
from npc_server.mind.replies import DayRow
from npc_server.personas.names import first_name
from npc_server.records import GameTime

FREE = ("read", "walk", "garden", "music", "drink", "buy", "sport", "paint", "fish", "stars")
"""Hours of the bank for one's free time."""


def plan_day(draw: Draw) -> Sample:
    people = distinct_names(draw, 4)
    me = someone(draw, people)
    if draw.chance(0.7):
        me.trade = me.facts.get("trade.trade", me.trade)
    wake, sleep = me.persona.wake // clock.HOUR, draw.number(20, 23)
    now = clock.day_start(random_time(draw)) + wake * clock.HOUR
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
    """Memory lines, and rows that follow from them: an invitation for today makes a row, one for another day does not."""
    lines = [noise(draw, me, now, people).line for _ in range(draw.few(0, 4))] + [
        remember(draw, me, make_fact(draw, people), now).line for _ in range(draw.few(0, 3))
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
    return draw.shuffled(lines), extra


def _rows(draw: Draw, me: Someone, wake: int, sleep: int, fixed: list[tuple[int, int, str]]) -> tuple[DayRow, ...]:
    """About one row for each hour, from waking to bed. Appointments (`fixed`) stand at their time."""
    hours = content()["hours"]
    job = content()["jobs"].get(me.trade, draw.one(("shop", "workshop", "farm", "market", "council")))
    free = draw.shuffled(FREE)
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
    """An appointment as a plan has it: `go to the party` for `going to the party`."""
    return what.replace("going to", "go to", 1).replace("meeting ", "meet ", 1)
