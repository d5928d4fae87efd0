"""The kinds of examples besides talks with players: talks between two characters, days, reactions, summaries of talks, reflections.

A writer gives the person, the moment and the answer. The prompt comes from the server's template (`render.py`).
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from models.speak.lines import Record, Text
from npc_server.mind.replies import CHANGE, CONTINUE, QUESTIONS, RELATION_CHARS, TALK, WAIT

_AGO = r"always|just now|an hour ago|yesterday|\d+ (?:minutes|hours|days|weeks|months|years) ago"
_STAMP = re.compile(rf"\((?:{_AGO})(?:, [^()]+ said|, overheard)?\) (?=\S)")
_AGREES = re.compile(r"(\w+ \d\d:\d\d) at (.+?) to (.+)")
_ARTICLE = re.compile(r"(?:an?|the|my|his|her|their|your)\s", re.IGNORECASE)
Time = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
Mood = Literal["neutral", "happy", "sad", "angry", "afraid", "surprised", "disgusted"]
Moment = Annotated[str, Field(pattern=r"^\S.*, ([01]\d|2[0-3]):[0-5]\d$")]
"""Day and time: `Tuesday 5 May, 10:20`."""


def without_time(memory: str) -> str:
    """A memory without the time that is written before it."""
    return _STAMP.sub("", memory, count=1)


def _has_time(memory: str) -> str:
    if not _STAMP.match(memory):
        raise ValueError(f"{memory!r} does not say when that was; begin it with e.g. '(yesterday) ' or '(2 hours ago, Ann said) '")
    return memory


def _without_article(relation: str) -> str:
    if _ARTICLE.match(relation):
        raise ValueError(f"{relation!r} begins with an article or a pronoun; write e.g. 'apprentice', as in: Ann is Bob's apprentice")
    return relation


def _is_agreement(text: str) -> str:
    if text and not _AGREES.fullmatch(text):
        raise ValueError(f"{text!r} is no agreement; write it as 'Sunday 15:00 at the pond to fish'")
    return text


Relation = Annotated[str, Field(min_length=1, max_length=RELATION_CHARS), AfterValidator(_without_article)]
"""A few words that can follow a name: `apprentice`, `neighbor with a loud dog`."""
Remembered = Annotated[str, Field(max_length=300), AfterValidator(_has_time)]
"""A sentence in the third person, with its age and who said it: `(2 hours ago, Ann said) The mill stands still.`"""


class Person(Record):
    """Somebody who speaks in no talk of the world. Who does is named by the name alone."""

    name: str = Text
    age: int = Field(ge=1, le=999)
    identity: tuple[str, ...] = Field(min_length=2, max_length=10)
    secrets: tuple[str, ...] = ()
    voice: tuple[str, ...] = Field(default=(), max_length=4)

    @property
    def known(self) -> str:
        return " ".join((self.name, str(self.age), *self.identity, *self.secrets, *self.voice))


class Bond(Record):
    """What somebody is to the person."""

    who: str = Text
    relation: Relation = "stranger"
    closeness: int = Field(default=0, ge=0, le=10)
    """0 stranger, 3 acquaintance, 5 co-worker, 8 close friend, 10 married."""
    feeling: str = Field(default="", max_length=160)
    between: str = Field(default="", max_length=300)
    """What happened between the two and still matters."""

    @property
    def known(self) -> str:
        return " ".join((self.who, self.relation, str(self.closeness), self.feeling, self.between))


class Example(Record):
    """What every example of these kinds has."""

    person: str | Person
    """A name out of `talks/WORLD.jsonl`, or somebody new."""
    at: Moment
    mood: Mood = "neutral"
    because: str = Field(default="", max_length=100)
    """Why it feels so, as a short sentence: `Robin called the bread stale`."""
    knows: tuple[Bond, ...] = Field(default=(), max_length=6)
    """People who matter to the person."""
    memories: tuple[Remembered, ...] = Field(default=(), max_length=40)


class Side(Record):
    """One of the two who talk, with what only this one knows."""

    person: str | Person
    other: Bond
    """What the other is to this one."""
    doing: str = Text
    next: str = ""
    today: tuple[str, ...] = ()
    memories: tuple[Remembered, ...] = Field(default=(), max_length=12)
    promises: tuple[Remembered, ...] = ()
    about: str = ""
    """What this one wanted to talk about."""
    mood: Mood = "neutral"
    because: str = Field(default="", max_length=100)


class MeetingLine(Record):
    who: str = Text
    text: str = Text
    leaves: bool = False
    agrees: Annotated[str, AfterValidator(_is_agreement)] = ""
    """`Sunday 15:00 at the pond to fish`."""


class Meeting(Record):
    """A talk between two characters. The first side begins."""

    at: Moment
    place: str = Text
    present: tuple[str, ...] = ()
    sides: tuple[Side, Side]
    turns: tuple[MeetingLine, ...] = Field(min_length=4, max_length=16)

    @model_validator(mode="after")
    def _in_turn(self) -> Meeting:
        names = self.names
        for side, other in zip(self.sides, reversed(names), strict=True):
            if side.other.who != other:
                raise ValueError(f"`other.who` is {side.other.who!r}, and the other side is {other!r}")
        for number, line in enumerate(self.turns):
            if line.who not in (name := names[number % 2], name.split()[0]):
                raise ValueError(f"line {number + 1} of the talk is by {line.who!r}, and it is the turn of {name!r}")
        return self

    @property
    def names(self) -> tuple[str, str]:
        first, second = (side.person if isinstance(side.person, str) else side.person.name for side in self.sides)
        return first, second


class Hour(Record):
    start: Time
    goal: str = Text
    activity: str = Text


class Day(Example):
    """A day that is planned at `at`, when the person gets up."""

    sleep: Time
    usual: tuple[str, ...] = ()
    """The usual day, each with its time: `07:00 bake bread`."""
    agreed: tuple[str, ...] = ()
    """What was agreed on for today: `16:50 meet Ann at the pond`."""
    promises: tuple[Remembered, ...] = ()
    """What the person promised without an hour: `(yesterday) Ann promised Bob to mend the net.`"""
    crosses: tuple[Remembered, ...] = ()
    """What else crosses the mind."""
    plan: tuple[Hour, ...] = Field(min_length=5, max_length=30)


class Reaction(Example):
    """Something is noticed, and the person does something about it, or does not."""

    place: str = ""
    doing: str = Text
    notices: str = Text
    other: Bond | None = None
    """Who was noticed and could be spoken to."""
    promises: tuple[Remembered, ...] = ()
    reaction: Literal["continue", "wait", "change", "talk"]
    minutes: int = Field(default=1, ge=1, le=120)
    what: str = Field(default="", max_length=120)

    @model_validator(mode="after")
    def _fits(self) -> Reaction:
        if self.reaction == TALK and self.other is None:
            raise ValueError("the reaction is `talk`, and nobody stands in `other` to talk to")
        if self.reaction == CONTINUE and (self.what or self.minutes != 1):
            raise ValueError("who continues has no `what` and no `minutes`")
        if self.reaction in (WAIT, CHANGE, TALK) and not self.what:
            raise ValueError(f"the reaction is `{self.reaction}`; say in `what` what for")
        return self


class TalkSummary(Record):
    """What stays of a talk or a meeting of the same world for one of the two."""

    talk: int = 0
    """A line of `talks/WORLD.jsonl`."""
    meeting: int = 0
    """Or one of `meetings/WORLD.jsonl`."""
    person: str = Text
    """Whose summary it is."""
    other: Bond
    """What the other was until then. A player needs a name, such as `Robin`."""
    knows: tuple[Bond, ...] = ()
    unseen: tuple[Remembered, ...] = ()
    """What was noticed of the other since they last talked."""
    about: str = Text
    relation: Relation
    feeling: str = Text
    between: str = Text
    closeness: int = Field(ge=0, le=10)
    mood: Mood = "neutral"
    """What the talk leaves; mostly nothing."""
    because: str = Field(default="", max_length=100)
    promised: str = ""
    told: tuple[str, ...] = Field(default=(), max_length=3)

    @model_validator(mode="after")
    def _of_one(self) -> TalkSummary:
        if (self.mood == "neutral") != (not self.because):
            raise ValueError("a mood needs its reason in `because`, and a reason its mood")
        if (self.talk > 0) == (self.meeting > 0):
            raise ValueError("name the line of a `talk` or of a `meeting`, and not both")
        return self


class Conclusion(Record):
    text: str = Text
    memories: tuple[int, ...] = Field(min_length=1, max_length=5)
    """Numbers of memories, the first being 1."""


class Reflection(Example):
    """Three questions about what happened lately, and what follows from it."""

    questions: tuple[str, ...] = Field(min_length=QUESTIONS, max_length=QUESTIONS)
    insights: tuple[Conclusion, ...] = Field(min_length=2, max_length=5)

    @model_validator(mode="after")
    def _cites(self) -> Reflection:
        for number, insight in enumerate(self.insights, start=1):
            strange = [it for it in insight.memories if not 1 <= it <= len(self.memories)]
            if strange:
                raise ValueError(f"insight {number} cites memory {strange[0]}, and there are {len(self.memories)}")
        return self
