"""All examples of one world: talks and the other kinds stand in files of the same name, and refer to each other.

talks/castle.jsonl  meetings/castle.jsonl  days/castle.jsonl  reactions/castle.jsonl  summaries/castle.jsonl  reflections/castle.jsonl
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from models.speak.kinds import Day, Example, Meeting, Person, Reaction, Reflection, TalkSummary
from models.speak.lines import FOLDER, BadExample, R, Record, Written, held_back, read_lines
from models.speak.talks import TalkExample
from npc_server.document_errors import did_you_mean

TALKS, MEETINGS, DAYS, REACTIONS, SUMMARIES, REFLECTIONS = "talks", "meetings", "days", "reactions", "summaries", "reflections"
KINDS = (TALKS, MEETINGS, DAYS, REACTIONS, SUMMARIES, REFLECTIONS)
"""Folders, each with a file for each world."""


class Spoken(NamedTuple):
    """A line of a talk that is over."""

    who: str
    text: str


@dataclass(frozen=True)
class Conversation:
    """A talk that a summary is about."""

    at: str
    lines: tuple[Spoken, ...]
    known: str
    """What the person knew before, and what was agreed on, as one text."""


@dataclass(frozen=True)
class World:
    """The examples of one world by kind. Raises BadExample where one refers to what there is not."""

    name: str
    talks: tuple[Written[TalkExample], ...] = ()
    meetings: tuple[Written[Meeting], ...] = ()
    days: tuple[Written[Day], ...] = ()
    reactions: tuple[Written[Reaction], ...] = ()
    summaries: tuple[Written[TalkSummary], ...] = ()
    reflections: tuple[Written[Reflection], ...] = ()

    @cached_property
    def people(self) -> dict[str, Person]:
        """Who speaks in the talks, as in the first one; then who is new in the other files."""
        found: dict[str, Person] = {}
        for written in self.talks:
            it = written.example
            found.setdefault(it.name, Person(name=it.name, age=it.age, identity=it.identity, secrets=it.secrets, voice=it.voice))
        new = [side.person for meeting in self.meetings for side in meeting.example.sides]
        new += [written.example.person for written in self.examples() if isinstance(written.example, Example)]
        for person in new:
            if isinstance(person, Person):
                found.setdefault(person.name, person)
        return found

    def person(self, who: str | Person) -> Person:
        if isinstance(who, Person):
            return who
        if who not in self.people:
            hint = did_you_mean(who, self.people) or "Describe the person: name, age, identity, secrets, voice."
            raise BadExample(f"nobody in {TALKS}/{self.name}.jsonl is called {who!r}. {hint}")
        return self.people[who]

    def conversation(self, summary: TalkSummary) -> Conversation:
        """The talk that a summary is about, as its person went through it."""
        if summary.talk:
            talk = _on_line(self.talks, summary.talk, TALKS, self.name)
            _is_of(summary.person, (talk.name,), f"talk {summary.talk}")
            lines = tuple(Spoken(talk.name if line.who == "npc" else summary.other.who, line.text) for line in talk.turns)
            return Conversation(talk.at, lines, " ".join((talk.known, *(line.agrees for line in talk.turns))))
        meeting = _on_line(self.meetings, summary.meeting, MEETINGS, self.name)
        names = meeting.names
        _is_of(summary.person, names, f"meeting {summary.meeting}")
        own = meeting.sides[names.index(summary.person)]
        if summary.other.who != own.other.who:
            raise BadExample(f"meeting {summary.meeting} is with {own.other.who!r}, and `other.who` is {summary.other.who!r}")
        lines = tuple(Spoken(names[number % 2], line.text) for number, line in enumerate(meeting.turns))
        agreed = (line.agrees for line in meeting.turns)
        return Conversation(meeting.at, lines, " ".join((known_to(self, meeting, own.other.who), *agreed)))

    def examples(self) -> Iterator[Written[Day] | Written[Reaction] | Written[Reflection]]:
        yield from self.days
        yield from self.reactions
        yield from self.reflections

    def of(self, kind: str) -> tuple[Written[Any], ...]:
        """The examples of one kind."""
        found: tuple[Written[Any], ...] = getattr(self, kind)
        return found

    def all(self) -> Iterator[tuple[str, Written[Any]]]:
        """Every example, with its kind."""
        for kind in KINDS:
            yield from ((kind, written) for written in self.of(kind))

    def holds_back(self, written: Written[R]) -> bool:
        """Whether an example is kept for testing. The summary of a talk goes where the talk goes, since it shows all of its lines."""
        it: Record = written.example
        if isinstance(it, TalkSummary):
            return held_back(it.talk or it.meeting)
        return held_back(written.line)


def known_to(world: World, meeting: Meeting, other: str) -> str:
    """All that one side of a meeting may speak of before it begins: the side whose other is called `other`."""
    own = next(side for side in meeting.sides if side.other.who == other)
    moment = (meeting.at, meeting.place, *meeting.present, own.doing, own.next, *own.today, own.about)
    return " ".join((world.person(own.person).known, own.other.known, *moment, *own.memories, *own.promises))


def load(name: str, folder: Path = FOLDER) -> World:
    """The examples of a world. Raises BadExample, or OSError for files that cannot be read."""
    world = World(
        name,
        tuple(_file(folder, TALKS, name, TalkExample)),
        tuple(_file(folder, MEETINGS, name, Meeting)),
        tuple(_file(folder, DAYS, name, Day)),
        tuple(_file(folder, REACTIONS, name, Reaction)),
        tuple(_file(folder, SUMMARIES, name, TalkSummary)),
        tuple(_file(folder, REFLECTIONS, name, Reflection)),
    )
    for kind, written in world.all():
        try:
            _check(world, written.example)
        except BadExample as error:
            raise BadExample(f"{kind}/{written.file}:{written.line}: {error}") from error
    return world


def names(folder: Path = FOLDER) -> list[str]:
    """The worlds that have a file of any kind."""
    return sorted({path.stem for kind in KINDS for path in (folder / kind).glob("*.jsonl")})


def _file(folder: Path, kind: str, name: str, record: type[R]) -> Iterator[Written[R]]:
    path = folder / kind / f"{name}.jsonl"
    try:
        if path.exists():
            yield from read_lines(path, record)
    except BadExample as error:
        raise BadExample(f"{kind}/{error}") from error


def _check(world: World, example: Record) -> None:
    if isinstance(example, Example):
        world.person(example.person)
    elif isinstance(example, Meeting):
        for side in example.sides:
            world.person(side.person)
    elif isinstance(example, TalkSummary):
        world.conversation(example)
        world.person(example.person)


def _on_line(found: tuple[Written[R], ...], line: int, kind: str, world: str) -> R:
    for written in found:
        if written.line == line:
            return written.example
    raise BadExample(f"{kind}/{world}.jsonl has no line {line}")


def _is_of(person: str, names: tuple[str, ...], what: str) -> None:
    if person not in names:
        raise BadExample(f"{what} is one of {' and '.join(names)}, and `person` is {person!r}")
