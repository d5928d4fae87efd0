"""Reflect: focal questions on recent memories, and insights with their evidence."""

from __future__ import annotations

from models.nano.draw import Draw, content
from models.nano.facts import noise
from models.nano.people import Someone, distinct_names, random_time, someone
from models.nano.render import Sample, memory_line, rendered, turn
from npc_server.cognition.reflect import INSIGHTS, QUESTIONS
from npc_server.llm.reply import Numbers, Text, many
from npc_server.mind.replies import FocalQuestion, Insight
from npc_server.personas.names import first_name
from npc_server.records import GameTime

THEMES_MOST = 4


def themes(draw: Draw, me: Someone, people: list[str], count: int) -> list[tuple[dict[str, list[str]], dict[str, str]]]:
    """Different themes of the bank, each with the values for its braces."""
    specs = draw.some(content()["themes"], count)
    cast = draw.shuffled(people)
    found = []
    for i, spec in enumerate(specs):
        a, b = cast[(2 * i) % len(cast)], cast[(2 * i + 1) % len(cast)]
        values = {
            "a": a,
            "b": b,
            "m": me.first,
            **{
                slot: draw._value(slot, {})
                for slot in ("place", "hobby", "subject", "thing", "worry", "project", "food", "event", "trade", "office")
            },
        }
        found.append((spec, values))
    return found


def _evidence(draw: Draw, spec: dict[str, list[str]], values: dict[str, str], count: int) -> list[str]:
    return [draw.fill(text, **values) for text in draw.some(spec["see"], count)]


def insights(draw: Draw) -> Sample:
    people = distinct_names(draw, 8)
    me = someone(draw, people, relations=(0, 3))
    now = random_time(draw)
    found = themes(draw, me, people, draw.number(1, THEMES_MOST))
    rows: list[tuple[int, str]] = []
    for i, (spec, values) in enumerate(found):
        rows += [(i, text) for text in _evidence(draw, spec, values, draw.number(2, 4))]
    rows += [(-1, noise(draw, me, now, people).text) for _ in range(draw.few(0, 8))]
    rows = draw.shuffled(rows)
    numbered = [f"{n}. {_line(draw, me, text, now)}" for n, (_, text) in enumerate(rows, start=1)]
    wanted = [
        Insight(_insight(draw, spec, values), tuple(n for n, (theme, _) in enumerate(rows, start=1) if theme == i))
        for i, (spec, values) in enumerate(found)
    ]
    wanted.sort(key=lambda insight: insight.memories)
    reply = many(Insight, 1, INSIGHTS, insight=Text(180), memories=Numbers(tuple(range(1, len(rows) + 1))))
    asked = [draw.fill(draw.one(spec["ask"]), **values) for spec, values in found][:QUESTIONS]
    full = rendered(me, now, "reflect_insights", reply, {"memories": numbered, "questions": asked, "wanted": INSIGHTS})
    return Sample(
        "reflect_insights",
        full.part("system"),
        (turn(full, True, reply, tuple(wanted), (), "insights"),),
        {"npc": me.name, "evidence": [list(w.memories) for w in wanted]},
    )


def _insight(draw: Draw, spec: dict[str, list[str]], values: dict[str, str]) -> str:
    short = {**values, "a": draw.one((values["a"], first_name(values["a"]))), "b": draw.one((values["b"], first_name(values["b"])))}
    return draw.fill(draw.one(spec["insight"]), **short)


def _line(draw: Draw, me: Someone, text: str, now: GameTime) -> str:
    return memory_line(me, text, now, now - draw.number(1, 48) * 1800)


def questions(draw: Draw) -> Sample:
    """Focal questions. The prompt of play shows up to a hundred memories."""
    people = distinct_names(draw, 8)
    me = someone(draw, people, relations=(0, 3))
    now = random_time(draw)
    found = themes(draw, me, people, QUESTIONS)
    rows = [text for spec, values in found for text in _evidence(draw, spec, values, draw.number(2, 4))]
    rows += [noise(draw, me, now, people).text for _ in range(draw.few(0, 12))]
    rows = draw.shuffled(rows)
    first = {
        id(spec): min(i for i, text in enumerate(rows) if text in {draw_text for draw_text in rows if _is_of(draw_text, values)} or True)
        for spec, values in found
    }
    ordered = sorted(found, key=lambda item: (first[id(item[0])], item[1]["a"]))
    reply = many(FocalQuestion, QUESTIONS, QUESTIONS)
    asked = tuple(FocalQuestion(draw.fill(draw.one(spec["ask"]), **values)[:140]) for spec, values in ordered)
    full = rendered(me, now, "reflect_questions", reply, {"memories": rows})
    return Sample("reflect_questions", full.part("system"), (turn(full, True, reply, asked, (), "questions"),), {"npc": me.name})


def _is_of(text: str, values: dict[str, str]) -> bool:
    return values["a"] in text
