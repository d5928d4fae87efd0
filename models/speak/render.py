"""Turns examples into what the server would send and read: its own templates, filled by its own functions, and its own reply forms.

When a template or a reply form of the server changes, the messages change with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar, cast

from jinja2 import Environment, meta

from models.speak import worlds
from models.speak.kinds import Bond, Day, Example, Meeting, Person, Reaction, Reflection, Side, TalkSummary, without_time
from models.speak.lines import Record, Written
from models.speak.talks import TalkExample
from models.speak.worlds import World
from npc_server import clock
from npc_server.cognition.line_context import LINES_SHOWN
from npc_server.config import MindSettings
from npc_server.llm.engine import Engine, EngineStatus
from npc_server.llm.reply import Choice, Numbers, ReplyType, many, one
from npc_server.memory.stream import MemoryStream
from npc_server.mind import identity, mood, relationships, replies
from npc_server.mind.agreement import DAYS, Agreement
from npc_server.mind.mind import Mind
from npc_server.mind.moment import moment
from npc_server.mind.replies import CHANGE, CONTINUE, LEAVE, NOTHING, STAY, TALK, WAIT
from npc_server.personas.names import first_name
from npc_server.personas.schema import Persona
from npc_server.personas.voice import Voice
from npc_server.prompts.load import ENDING, PACKAGE_FOLDER, Prompts, Trusted
from npc_server.records import Emotion, Line, Mood, Social
from npc_server.world.knowledge import Knowledge
from npc_server.world.tree import World as Town

T = TypeVar("T")
ME = "me"
VISITOR = "Visitor"
"""What a player is called in talks, which give players no name."""
PURPOSE = "meet {}"
"""What an agreement of a talk is for: talks say only when and where."""
NOTHING_INSTEAD: Mapping[str, object] = MappingProxyType({})
_AGREES = re.compile(rf"({'|'.join(DAYS)}) (\d\d:\d\d) (?:at|in|by|on|to) (.+?)(?: to (\w.*))?")


@dataclass(frozen=True)
class Messages:
    """What the server would send to the model, and the answer that it should get."""

    kind: str
    question: str
    """The template's name."""
    system: str
    user: str
    answer: str
    reply: ReplyType[Any]
    without: tuple[str, ...] = ()
    """Values of the template that examples do not have; they are empty."""


def messages(world: World, written: Written[Any], instead: Mapping[str, object] = NOTHING_INSTEAD) -> list[Messages]:
    """All messages of an example: one for each reply of a talk, two for a reflection. Raises ReplyUnreadable for a wrong answer.

    `instead` has values of templates that stand in the place of the example's.
    """
    example: Record = written.example
    maker, kind = next((maker, kind) for kind, (record, maker) in _MAKERS.items() if isinstance(example, record))
    return [_asked(kind, teller, name, reply, answer, {**given, **instead}) for teller, name, reply, answer, given in maker(world, example)]


@dataclass(frozen=True)
class _Teller:
    """Who answers, and when."""

    mind: Mind
    at: str


_Question = tuple[_Teller, str, ReplyType[Any], object, Mapping[str, object]]
"""Who is asked, the template, the form of the reply, the reply, and the template's values."""


def _asked(kind: str, teller: _Teller, question: str, reply: ReplyType[Any], answer: object, given: Mapping[str, object]) -> Messages:
    day, _, time = teller.at.rpartition(", ")
    values = {**identity.values_of(teller.mind, 0), "date": day, "time": time, "format": Trusted(reply.format_text()), **given}
    without = tuple(sorted(_values_of(question) - values.keys()))
    shown = _prompts().render(question, {**dict.fromkeys(without, ""), **values})
    text = reply.write(answer)
    reply.parse(text)
    return Messages(kind, question, shown.part("system"), shown.part("user"), text, reply, without)


@cache
def _prompts() -> Prompts:
    return Prompts()


@cache
def _values_of(question: str) -> frozenset[str]:
    """The values that a template names."""
    source = (PACKAGE_FOLDER / f"{question}{ENDING}").read_text(encoding="utf-8")
    return frozenset(meta.find_undeclared_variables(Environment(autoescape=False).parse(source)))


# ---- who answers


class _NoEngine:
    """Says that no model is there, and is asked nothing else."""

    def status(self) -> EngineStatus:
        return EngineStatus(ready=False)


def _made(record: type[T], **given: object) -> T:
    """A record of the server with those of the given values that it has. So one with fewer, or in another order, is made, too."""
    names = {item.name for item in fields(cast(Any, record))}
    return record(**{name: value for name, value in given.items() if name in names})


def _feels(it: Example | Side) -> Mood:
    return _made(Mood, emotion=Emotion(it.mood), strength=mood.NAMED, at=0, cause=it.because)


def _mind(person: Person, bonds: Sequence[Bond], feels: Mood) -> Mind:
    """A mind that knows who it is, what it feels, and what others are to it. Nobody asks it for more."""
    persona = Persona(
        id=ME, name=person.name, first_name=first_name(person.name), age=person.age, traits=(), identity=" ".join(person.identity),
        identity_phrases=(*person.identity, *person.secrets), currently="", lifestyle="", home="", work="", wake=0, sleep=0, routine=(),
        knows=(), voice=Voice(examples=person.voice), relations=(), secrets=person.secrets,
    )  # fmt: skip
    nobody = cast(Any, None)
    return Mind(
        persona=persona, seed=0, stream=MemoryStream(ME), plan=[], known=Knowledge(), world=Town(), places=nobody, names={ME: person.name},
        engine=cast(Engine, _NoEngine()), embedder=nobody, prompts=_prompts(), settings=MindSettings(), instinct=nobody,
        baseline=nobody, mood=feels,
        social={it.who: Social(ME, it.who, it.relation, it.feeling, it.between, it.closeness, 0, 0) for it in bonds},
    )  # fmt: skip


def _teller(world: World, who: str | Person, at: str, bonds: Sequence[Bond] = (), feels: Mood | None = None) -> _Teller:
    return _Teller(_mind(world.person(who), bonds, feels or Mood()), at)


def _dialogue(mind: Mind, lines: Sequence[tuple[str, str]]) -> list[str]:
    """Lines by name as prompts show them, the own ones as `You`."""
    return mind.dialogue([Line(ME if who == mind.persona.name else who, text, 0) for who, text in lines], own="You")


# ---- say


def _agreed(text: str, other: str) -> Agreement | None:
    """What a line agrees to. What has no hour of a day is nothing to agree to, as the server sees it."""
    found = _AGREES.fullmatch(text)
    if found is None:
        return None
    day, hour, place, purpose = found.groups()
    return Agreement(True, day, clock.parse_hhmm(hour), place, purpose or PURPOSE.format(other))


def _line(
    text: str, leaves: bool, agreed: Agreement | None, before: Sequence[tuple[str, str]], me: str
) -> tuple[ReplyType[Any], replies.Spoken | replies.SpokenFreely]:
    """The form of a line after those `before` it, and the line. As in `spoken_line.form_of`: who speaks first can agree to nothing."""
    then = LEAVE if leaves else STAY
    if all(who == me for who, _ in before):
        return one(replies.Spoken, say=replies.SPOKEN_LINE), _made(replies.Spoken, say=text, then=then)
    return one(replies.SpokenFreely), _made(replies.SpokenFreely, say=text, then=then, agrees=agreed or Agreement(False))


def _of_talk(world: World, talk: TalkExample) -> Iterator[_Question]:
    person = Person(name=talk.name, age=talk.age, identity=talk.identity, secrets=talk.secrets, voice=talk.voice)
    teller = _teller(world, person, talk.at)
    player = talk.player or VISITOR
    values = {
        **_spoken_by(teller.mind, player, talk.place, talk.doing, talk.next, talk.today, talk.present, talk.memories),
        "between": [f"{player}: {talk.relation}."],
    }
    lines = [(talk.name if line.who == "npc" else player, line.text) for line in talk.turns]
    for number, line in enumerate(talk.turns):
        if line.who == "npc":
            form, spoken = _line(line.text, line.leaves, _agreed(line.agrees, player), lines[:number], talk.name)
            yield teller, "say", form, spoken, {**values, "dialogue": _latest(teller.mind, lines[:number])}


def _of_meeting(world: World, meeting: Meeting) -> Iterator[_Question]:
    tellers = [_teller(world, side.person, meeting.at, [side.other], _feels(side)) for side in meeting.sides]
    lines = [(meeting.names[number % 2], line.text) for number, line in enumerate(meeting.turns)]
    for number, line in enumerate(meeting.turns):
        side, teller = meeting.sides[number % 2], tellers[number % 2]
        form, spoken = _line(line.text, line.leaves, _agreed(line.agrees, side.other.who), lines[:number], meeting.names[number % 2])
        yield teller, "say", form, spoken, _values_of_side(teller.mind, meeting, side, lines[:number])


def _values_of_side(mind: Mind, meeting: Meeting, side: Side, lines: Sequence[tuple[str, str]]) -> dict[str, object]:
    other = side.other.who
    return {
        **_spoken_by(mind, other, meeting.place, side.doing, side.next, side.today, meeting.present, side.memories),
        "between": [relationships.line(mind, other, named=True)],
        "promises": list(side.promises),
        "about": "" if lines else side.about,
        "dialogue": _latest(mind, lines),
    }


def _met(mind: Mind, other: str) -> list[str]:
    """That the other is a stranger, as prompts say it. When they last met stands in the memories."""
    return moment(mind, 0, [other]).met if other in mind.social else []


def _latest(mind: Mind, lines: Sequence[tuple[str, str]]) -> list[str]:
    return _dialogue(mind, lines[-LINES_SHOWN:])


def _spoken_by(
    mind: Mind, other: str, place: str, doing: str, later: str, today: Sequence[str], present: Sequence[str], memories: Sequence[str]
) -> dict[str, object]:
    return {
        "others": [other], "place": place, "doing": doing, "next": later, "today": list(reversed(today)), "present": list(present),
        "memories": list(memories), "voice": mind.persona.voice.style, "examples": list(mind.persona.voice.examples),
        "met": _met(mind, other), "alone": not present, "promises": [], "wandering": [], "news": "", "about": "", "last_words": False,
        "offers": [],
    }  # fmt: skip


# ---- plan_day, react, talk_over, reflect


def minutes_from(time: str, wake: str) -> int:
    """Minutes from getting up until a time of the waking day, which may end after midnight."""
    return int((clock.parse_hhmm(time) - clock.parse_hhmm(wake)) % clock.DAY // clock.MINUTE)


def lines_of_day(wake: str, sleep: str) -> tuple[int, int]:
    """Fewest and most lines of a plan that the server asks for."""
    settings = MindSettings()
    count = -(-minutes_from(sleep, wake) * clock.MINUTE // clock.HOUR)
    return max(settings.plan_strokes_min, count // 2), max(settings.plan_strokes_max, count + 8)


def _of_day(world: World, day: Day) -> Iterator[_Question]:
    settings = MindSettings()
    wake = day.at.rpartition(", ")[2]
    rows = tuple(_made(replies.DayRow, start=clock.parse_hhmm(hour.start), part=hour.goal, activity=hour.activity) for hour in day.plan)
    values = {
        "memories": list(day.memories), "wandering": list(day.crosses), "usual": list(day.usual), "today": list(day.agreed), "wake": wake,
        "promises": list(day.promises),
        "sleep": day.sleep, "goals": f"{settings.plan_strokes_min} to {settings.plan_strokes_max}",
    }  # fmt: skip
    yield _of(world, day), "plan_day", many(replies.DayRow, *lines_of_day(wake, day.sleep)), rows, values


def _of_reaction(world: World, it: Reaction) -> Iterator[_Question]:
    bonds = (*it.knows, it.other) if it.other else it.knows
    teller = _teller(world, it.person, it.at, bonds, _feels(it))
    other = it.other.who if it.other else ""
    offered = (CONTINUE, WAIT, CHANGE, TALK) if other else (CONTINUE, WAIT, CHANGE)
    values = {
        "observation": it.notices, "other": other, "doing": it.doing, "here": it.place, "memories": list(it.memories), "met": [],
        "between": relationships.line(teller.mind, other) if other else "", "promises": list(it.promises), "wandering": [],
    }  # fmt: skip
    answer = _made(replies.ReactReply, reaction=it.reaction, minutes=it.minutes, what=it.what or NOTHING)
    yield teller, "react", one(replies.ReactReply, reaction=Choice(offered)), answer, values


def _of_summary(world: World, it: TalkSummary) -> Iterator[_Question]:
    talk = world.conversation(it)
    teller = _teller(world, it.person, talk.at, (*it.knows, it.other))
    values = {
        "other": it.other.who, "others": [it.other.who], "between": relationships.line(teller.mind, it.other.who), "earlier": "",
        "unseen": list(it.unseen), "dialogue": _dialogue(teller.mind, talk.lines),
    }  # fmt: skip
    told = it.told or (NOTHING,)
    answer = _made(
        replies.TalkOver, about=it.about, relation=it.relation, feeling=it.feeling, between=it.between, closeness=it.closeness,
        mood=it.mood, because=it.because or NOTHING, promised=it.promised or NOTHING, told=told,
    )  # fmt: skip
    yield teller, "talk_over", one(replies.TalkOver), answer, values


def _of_reflection(world: World, it: Reflection) -> Iterator[_Question]:
    teller = _of(world, it)
    asked = tuple(replies.FocalQuestion(question) for question in it.questions)
    values = {"memories": [without_time(memory) for memory in it.memories]}
    yield teller, "reflect_questions", many(replies.FocalQuestion, replies.QUESTIONS, replies.QUESTIONS), asked, values
    numbers = Numbers(tuple(range(1, len(it.memories) + 1)))
    concluded = tuple(replies.Insight(insight.text, insight.memories) for insight in it.insights)
    numbered = [f"{number}. {memory}" for number, memory in enumerate(it.memories, start=1)]
    reply = many(replies.Insight, 1, replies.INSIGHTS, memories=numbers)
    yield teller, "reflect_insights", reply, concluded, {"memories": numbered, "questions": list(it.questions), "wanted": replies.INSIGHTS}


def _of(world: World, it: Day | Reflection) -> _Teller:
    return _teller(world, it.person, it.at, it.knows, _feels(it))


_MAKERS: dict[str, tuple[type[Record], Callable[[World, Any], Iterator[_Question]]]] = {
    worlds.TALKS: (TalkExample, _of_talk),
    worlds.MEETINGS: (Meeting, _of_meeting),
    worlds.DAYS: (Day, _of_day),
    worlds.REACTIONS: (Reaction, _of_reaction),
    worlds.SUMMARIES: (TalkSummary, _of_summary),
    worlds.REFLECTIONS: (Reflection, _of_reflection),
}
