"""Memories for prompts: facts with questions about them, and everyday memories around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.nano import grammar
from models.nano.draw import Draw, content
from models.nano.people import Someone, full_name
from models.nano.render import memory_line
from models.nano.tales import tale
from npc_server import clock
from npc_server.personas.names import first_name
from npc_server.records import GameTime, MemorySource

SLOTS = (
    "place",
    "time",
    "day",
    "event",
    "hobby",
    "food",
    "thing",
    "office",
    "project",
    "number",
    "animal",
    "w",
    "illness",
    "dream",
    "worry",
    "trade",
    "subject",
    "quality",
    "kin",
    "secretword",
    "plural",
)


PASSAGE = "deed"
"""Kind of the facts that are passages, from the grammar or written by hand."""
PASSAGES, TALES = 0.6, 0.75
"""Share of passages among all facts, and of hand-written ones among these."""


@dataclass(frozen=True)
class Fact:
    """A fact as a sentence, and the values in it for questions."""

    kind: str
    text: str
    told: str
    values: dict[str, str]
    people: tuple[str, ...]
    passage: grammar.Passage | None = None


@dataclass(frozen=True)
class QuestionAnswer:
    question: str
    answer: str
    key: str
    value: str


@dataclass(frozen=True)
class FactMemory:
    """A memory: its text, its line in a prompt, and its fact."""

    text: str
    line: str
    fact: Fact | None
    then: GameTime
    source: MemorySource
    person: str


def day_word(draw: Draw) -> str:
    return draw.one(("tomorrow", "Sunday")) if draw.chance(0.15) else draw.bank("weekday")


def make_fact(draw: Draw, people: Sequence[str], kind: str = "", own: bool = False) -> Fact:
    """A fact about some of `people`, or about new ones. With `own` it may be in the first person."""
    if (not kind and draw.chance(PASSAGES)) or kind == PASSAGE:
        names = draw.some(people, 2) if draw.chance(0.8) else []
        while len(names) < 2:
            names.append(full_name(draw))
        a = first_name(names[0]) if draw.chance(0.25) else names[0]
        done = tale(draw, a, names[1], own) if draw.chance(TALES) else grammar.make_passage(draw, a, names[1])
        return Fact(PASSAGE, done.text, done.told, {"a": a, "about": done.about}, done.people, done)
    specs = content()["facts"]
    spec = next(s for s in specs if s["id"] == kind) if kind else draw.one(specs)
    who = draw.some(people, 3) if draw.chance(0.8) else []
    while len(who) < 3:
        name = full_name(draw)
        if name not in who:
            who.append(name)
    values = {"a": who[0], "b": who[1], "c": who[2]}
    for slot in SLOTS:
        values[slot] = day_word(draw) if slot == "day" else draw._value(slot, {})
    if draw.chance(0.25):  # people are often called by their first name alone
        values["a"] = first_name(values["a"])
    text = draw.fill(draw.line(f"{spec['id']}.states", spec["states"]), **values)
    told = draw.fill(draw.one(spec["told"]), **values)
    return Fact(spec["id"], text, told, values, (values["a"], values["b"]))


def ask_of(draw: Draw, fact: Fact) -> QuestionAnswer | None:
    """A question that the fact's sentence answers; None when it answers none."""
    if fact.passage:
        key, question, forms, value = draw.one(fact.passage.asks)
        return QuestionAnswer(question, draw.one(forms), key, value)
    if fact.kind == PASSAGE:
        return None
    spec = next(s for s in content()["facts"] if s["id"] == fact.kind)
    for ask in draw.shuffled(spec["asks"]):
        value = fact.values[ask["key"]]
        question_lines = ask["q"]
        if value.lower() not in fact.text.lower():
            continue
        question = draw.fill(draw.line(f"{fact.kind}.{ask['key']}.q", question_lines), **fact.values)
        # What the question presupposes must be in the memory.
        taken = [
            v for k, v in fact.values.items() if k not in (ask["key"], "secretword", "animal", "event") and len(v) > 2 and v in question
        ]
        if value.lower() in question.lower() or any(v.lower() not in fact.text.lower() for v in taken):
            continue
        values = dict(fact.values)
        fitting = [a for a in ask["a"] if all(values[s].lower() in fact.text.lower() for s in _slots(a) if s in values)]
        if not fitting:
            continue
        return QuestionAnswer(question, draw.fill(draw.one(fitting), **values), ask["key"], value)
    return None


def _slots(text: str) -> list[str]:
    return [part.split("}")[0] for part in text.split("{")[1:]]


def when(draw: Draw, now: GameTime) -> GameTime:
    """A time before `now`: minutes, hours, days, months or years ago."""
    unit, most = draw.one(
        ((clock.MINUTE, 59), (clock.HOUR, 12), (clock.HOUR, 12), (clock.DAY, 13), (clock.DAY, 13), (clock.DAY, 50), (clock.DAY, 900))
    )
    return now - unit * draw.number(1, most)


def remember(draw: Draw, me: Someone, fact: Fact, now: GameTime, told_by: str = "") -> FactMemory:
    """The fact as a memory that is known, seen, overheard, or told by somebody."""
    then = when(draw, now)
    text = fact.text.rstrip(".") if draw.chance(0.4) else fact.text
    ids = [i for i in me.names if i != "me" and me.names[i] not in fact.people]
    roll = draw.rng.random()
    if fact.passage and fact.passage.own:
        source = MemorySource.SEEN if roll < 0.6 else MemorySource.KNOWN
        return FactMemory(text, memory_line(me, text, now, then, source), fact, then, source, "")
    if told_by or (roll < 0.5 and ids):
        person = told_by or draw.one(ids)
        return FactMemory(text, memory_line(me, text, now, then, MemorySource.TOLD, person), fact, then, MemorySource.TOLD, person)
    source = MemorySource.HEARD if roll < 0.6 else MemorySource.KNOWN if roll < 0.65 else MemorySource.SEEN
    return FactMemory(text, memory_line(me, text, now, then, source), fact, then, source, "")


def own_sight(me: Someone, text: str, now: GameTime, then: GameTime) -> FactMemory:
    """A memory of something seen, without a fact."""
    return FactMemory(text, memory_line(me, text, now, then), None, then, MemorySource.SEEN, "")


NOISE = (
    "{a} is {doing}",
    "{a} is {doing} at {place}",
    "{a} was {doing}",
    "{place_c} is closed",
    "The {object} is {state}",
    "The {object} in {place} is {state}",
    "{me} is {doing}",
    "{me} went to {place}",
    "{a} came in",
    "{me} saw {a} at {place}",
    "{me} talked with {a} about {subject}",
    "It began to rain",
    "{me} ate {food}",
    '{a} said: "{quip}"',
    "{me} thinks often of {hobby}",
    "{me} often sees {a} these days",
    "{me} plans to go to {place}",
    "The {animal} ran across the street",
    "{a} laughed at {place}",
)
DOING = (
    "sweeping the floor",
    "reading",
    "drinking {drink}",
    "eating {food}",
    "walking",
    "waiting",
    "carrying {plural}",
    "sitting on a bench",
    "talking with {b}",
    "cooking {food}",
    "sleeping",
    "washing the dishes",
    "watering the flowers",
    "writing a letter",
    "counting {plural}",
    "singing",
    "mending {thing}",
    "buying {food}",
    "feeding a {animal}",
)
OBJECT = (
    ("stove", "off"),
    ("stove", "on"),
    ("door", "open"),
    ("bed", "unmade"),
    ("table", "laid"),
    ("lamp", "on"),
    ("counter", "attended"),
    ("sink", "full of dishes"),
    ("window", "open"),
    ("bookshelf", "full"),
    ("oven", "hot"),
    ("desk", "tidy"),
    ("well", "full"),
    ("gate", "closed"),
)
QUIPS = (
    "What a day.",
    "Fine weather for it.",
    "I have to hurry.",
    "Not today.",
    "Did you hear that?",
    "The {animal} is loose again.",
    "I could eat {food}.",
    "See you at {place}.",
    "Nobody listens to me.",
)


def noise(draw: Draw, me: Someone, now: GameTime, people: Sequence[str]) -> FactMemory:
    """An everyday memory that answers no question."""
    a, b = (draw.some(people, 2) * 2)[:2] if people else [full_name(draw), full_name(draw)]
    thing, state = draw.one(OBJECT)
    doing = draw.fill(draw.one(DOING), b=b)
    if draw.chance(0.2):
        text = grammar.make_passage(draw, a, b).text.rstrip(".") if people else "Nothing happened"
        then = when(draw, now)
        return FactMemory(
            text,
            memory_line(me, text, now, then),
            Fact(PASSAGE, text, text, {"a": a, "about": text}, (a,), None),
            then,
            MemorySource.SEEN,
            "",
        )
    text = draw.fill(draw.one(NOISE), a=a, b=b, me=me.first, doing=doing, object=thing, state=state, quip=draw.fill(draw.one(QUIPS)))
    then = when(draw, now)
    source = MemorySource.HEARD if 'said: "' in text else MemorySource.SEEN
    return FactMemory(text, memory_line(me, text, now, then, source), None, then, source, "")
