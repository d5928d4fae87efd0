"""Every reply has a type. The type gives the prompt its format, the model its grammar, and the answer its parser.

A type is a frozen dataclass whose fields carry a kind:

    @dataclass(frozen=True)
    class Stroke:
        start: Annotated[int, TimeOfDay()]
        text: Annotated[str, Text(80)]

    STROKES = many(Stroke, 5, 8)        # lines such as `06:30 | wake up and wash`
    STROKES.parse("06:30 | wake up …")  # (Stroke(start=23400, text="wake up …"), …)

Lines, not JSON: a small model spends a third fewer tokens on them and breaks them less.
`one(cls)` is a single record, a labelled line per field, or the bare value when there is one field.
Kinds that are known only when asked, such as the places at hand, are given by name: `one(Act, place=Choice(places))`.
"""

from __future__ import annotations

import functools
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar

from npc_server import clock
from npc_server.errors import ReplyUnreadable
from npc_server.llm.reply_shape import Line, ReplyShape

T = TypeVar("T")
R = TypeVar("R")
SEPARATOR = " | "
"""Stands between the fields of a line."""


class Kind:
    """What one field may hold: words for the prompt, a regular expression for the grammar, and how to read it."""

    def describe(self, name: str) -> str:
        raise NotImplementedError

    def regex(self) -> str:
        """In the syntax of Rust's regex crate, which llguidance takes; must not match a line break."""
        raise NotImplementedError

    def read(self, text: str) -> object:
        """Raises ValueError with a sentence."""
        raise NotImplementedError

    def write(self, value: object) -> str:
        """The value as `read` takes it."""
        return str(value)

    def left_out(self) -> str | None:
        """What is read where a reply leaves the field out; None where it must be there."""
        return None


@dataclass(frozen=True)
class Text(Kind):
    """Words on one line, without `|`."""

    max_chars: int = 160
    hint: str = ""
    spoken: bool = False
    """Whether somebody says it. Then it has no name before it and no `*actions*` in it (`llm.mend_text`)."""
    otherwise: str = ""
    """What is read where it is left out; empty where it must not be."""

    def describe(self, name: str) -> str:
        return self.hint or name

    def regex(self) -> str:
        # No control characters and no line separators: they would end the line for one reader and not for another.
        return rf"[^\s\x00-\x1F\x7F-\x9F|][^\x00-\x1F\x7F-\x9F\x{{2028}}\x{{2029}}|]{{0,{self.max_chars - 1}}}"

    def read(self, text: str) -> object:
        if not text:
            raise ValueError("is empty")
        if len(text) > self.max_chars:
            raise ValueError(f"has {len(text)} characters, and {self.max_chars} are allowed")
        if "|" in text:
            raise ValueError("holds a '|', which separates fields")
        return text


@dataclass(frozen=True)
class Choice(Kind):
    """One of the options, to the letter."""

    options: tuple[str, ...]
    hint: str = ""
    """What stands in the format where the options are listed elsewhere."""
    otherwise: str = ""
    """The option that is read where none of them is given; empty where one must be."""

    def describe(self, name: str) -> str:
        if self.hint:
            return self.hint
        *most, last = self.options or ("",)
        few = f"{', '.join(most)} or {last}" if most else last
        return few if len(self.options) <= 6 else f"{name} from the list"

    def regex(self) -> str:
        return "(" + "|".join(map(literal, self.options)) + ")"

    def read(self, text: str) -> object:
        if text not in self.options:
            raise ValueError(f"is {text!r}, which was not offered")
        return text


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number from `low` to `high`."""

    low: int
    high: int
    otherwise: int | None = None
    """What is read where it is left out; None where it must not be."""
    tolerated: int = 0
    """Numbers above `high` up to this one are read as they are, though they were not asked for."""

    def describe(self, name: str) -> str:
        return f"a number from {self.low} to {self.high}"

    def regex(self) -> str:
        return "(" + "|".join(str(number) for number in range(self.low, self.high + 1)) + ")"

    def read(self, text: str) -> object:
        if not re.fullmatch(r"-?[0-9]{1,9}", text) or not self.low <= int(text) <= self.high:
            raise ValueError(f"is {text!r}, not a number from {self.low} to {self.high}")
        return int(text)


@dataclass(frozen=True)
class TimeOfDay(Kind):
    """`HH:MM`, read as seconds since midnight."""

    def describe(self, name: str) -> str:
        return "HH:MM"

    def regex(self) -> str:
        return "([01][0-9]|2[0-3]):[0-5][0-9]"

    def read(self, text: str) -> object:
        if not re.fullmatch(r"[0-9]{2}:[0-9]{2}", text):
            raise ValueError(f"is {text!r}, not a time such as 06:30")
        return clock.parse_hhmm(text)

    def write(self, value: object) -> str:
        return clock.hhmm(int(str(value)))


@dataclass(frozen=True)
class Emoji(Kind):
    """One or two emoji: up to eight characters, none of them ASCII."""

    def describe(self, name: str) -> str:
        return "one or two emoji"

    def regex(self) -> str:
        return r"[^\x00-\x7F\s]{1,8}"

    def read(self, text: str) -> object:
        if not 1 <= len(text) <= 8 or any(ord(char) < 128 or char.isspace() for char in text):
            raise ValueError(f"is {text!r}, not one or two emoji")
        return text


@dataclass(frozen=True)
class Numbers(Kind):
    """Whole numbers out of `options`, such as the evidence of an insight: `3, 7, 12`."""

    options: tuple[int, ...]
    most: int = 5

    def describe(self, name: str) -> str:
        return f"numbers of {name}, such as 1, 3"

    def regex(self) -> str:
        number = "(" + "|".join(str(option) for option in self.options) + ")"
        return number + rf"(, {number}){{0,{self.most - 1}}}"

    def read(self, text: str) -> object:
        parts = [part.strip() for part in text.split(",")]
        if not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
            raise ValueError(f"is {text!r}, not a list of numbers")
        numbers = tuple(dict.fromkeys(int(part) for part in parts))
        strange = [number for number in numbers if number not in self.options]
        if strange:
            raise ValueError(f"names {strange[0]}, which was not given")
        return numbers

    def write(self, value: object) -> str:
        return ", ".join(str(number) for number in value) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True)
class Several(Kind):
    """The last field of a single record, `low` to `high` times, each on a line of its own with the field's name."""

    kind: Kind
    low: int
    high: int
    when: str = ""
    """When to write such lines, as the format says it. Empty: how many of them."""

    def describe(self, name: str) -> str:
        return f"{self.kind.describe(name)} ({self.when or f'{self.low} to {self.high} such lines'})"

    def regex(self) -> str:
        return self.kind.regex()

    def read(self, text: str) -> object:
        return self.kind.read(text)

    def write(self, value: object) -> str:
        return self.kind.write(value)


@dataclass(frozen=True)
class ReplyType(Generic[R]):
    """Format, grammar and parser of one reply. Made by `one` and `many`."""

    name: str
    kinds: tuple[tuple[str, Kind], ...]
    lines: tuple[int, int] | None
    """Fewest and most records of a list; None for a single record."""
    build: Callable[[list[dict[str, object]]], R]
    exact: bool = False
    """Whether a list must have just as many lines, because each answers one line of the prompt."""

    def format_text(self) -> str:
        """How to answer, as it stands in the prompt."""
        if self.lines:
            low, high = self.lines
            line = " | ".join(kind.describe(name) for name, kind in self.kinds)
            if low == high == 1:
                return f"1 line: {line}"
            count = f"{low}" if low == high else f"{low} to {high}"
            return f"{count} lines, each: {line}"
        if len(self.kinds) == 1:
            return self.kinds[0][1].describe(self.kinds[0][0])
        return "\n".join(f"{name}: {kind.describe(name)}" for name, kind in self.kinds)

    def shape(self) -> ReplyShape:
        """How the fields follow each other."""
        if self.lines:
            record = tuple(part for i in range(len(self.kinds)) for part in (SEPARATOR, i))[1:]
            low, high = self.lines
            return ReplyShape(record, record, (max(low - 1, 0), max(high - 1, 0)))
        if len(self.kinds) == 1:
            return ReplyShape((0,))
        labelled: list[Line] = [(f"{name}: ", i) for i, (name, _) in enumerate(self.kinds)]
        last = self.kinds[-1][1]
        again, times = (labelled.pop(), (last.low, last.high)) if isinstance(last, Several) else ((), (0, 0))
        return ReplyShape(tuple(part for line in labelled for part in ("\n", *line))[1:], again, times)

    def grammar(self) -> str:
        """A Lark grammar as llguidance reads it.

        Its lexer never goes back. It would take the space of ` | ` for a part of the text before it, and then refuse the `|`. So the
        separator belongs to the field before it.
        """
        rules = [f"{name}: {rule}".replace(f' "{SEPARATOR}"', "") for name, rule in self.shape().rules().items()]
        last = len(self.kinds) - 1
        ends = [literal(SEPARATOR) if self.lines and i < last else "" for i in range(last + 1)]
        terminals = [f"F{i}: /{_slashes(kind.regex() + ends[i])}/" for i, (_, kind) in enumerate(self.kinds)]
        return "\n".join([*rules, *terminals]) + "\n"

    def parse(self, text: str) -> R:
        """The reply as records. Raises ReplyUnreadable that says which part is wrong."""
        rows = [line.strip() for line in text.split("\n") if line.strip()]
        if self.lines:
            low, high = self.lines
            if not low <= len(rows) <= high:
                raise self._unreadable(text, f"has {len(rows)} lines, and {low} to {high} were asked for")
            return self.build([self._record(text, self.parts(row)) for row in rows])
        if len(self.kinds) == 1:
            if len(rows) != 1:
                raise self._unreadable(text, f"has {len(rows)} lines, and one was asked for")
            return self.build([self._record(text, rows)])
        last = self.kinds[-1][1]
        single = len(self.kinds) - 1 if isinstance(last, Several) else len(self.kinds)
        low, high = (single + last.low, single + last.high) if isinstance(last, Several) else (single, single)
        if not low <= len(rows) <= high:
            wanted = f"{low}" if low == high else f"{low} to {high}"
            raise self._unreadable(text, f"has {len(rows)} lines, and {wanted} were asked for")
        values = [self._labelled(text, self.kinds[min(i, len(self.kinds) - 1)][0], row) for i, row in enumerate(rows)]
        if not isinstance(last, Several):
            return self.build([self._record(text, values)])
        name = self.kinds[-1][0]
        record = self._record(text, values[:single], self.kinds[:single])
        record[name] = tuple(self._record(text, [value], self.kinds[-1:])[name] for value in values[single:])
        return self.build([record])

    def write(self, value: object) -> str:
        """A record, or a tuple of them, as the text that `parse` reads: for examples, and for engines that stand in for a model."""
        records = value if isinstance(value, tuple) else (value,)
        if self.lines:
            return "\n".join(" | ".join(kind.write(getattr(r, name)) for name, kind in self.kinds) for r in records)
        if len(self.kinds) == 1:
            return self.kinds[0][1].write(getattr(value, self.kinds[0][0]))
        rows: list[str] = []
        for name, kind in self.kinds:
            given = getattr(value, name)
            rows += [f"{name}: {kind.write(v)}" for v in (given if isinstance(kind, Several) else (given,))]
        return "\n".join(rows)

    def _labelled(self, text: str, name: str, row: str) -> str:
        label, sep, value = row.partition(":")
        if not sep or label.strip() != name:
            raise self._unreadable(text, f"has {row!r} where a line '{name}: …' belongs")
        return value

    def parts(self, row: str) -> list[str]:
        """Fields are parted by ` | `; a reply without the spaces is read too."""
        parts = row.split(" | ")
        return parts if len(parts) == len(self.kinds) else row.split("|", len(self.kinds) - 1)

    def _record(self, text: str, values: list[str], kinds: tuple[tuple[str, Kind], ...] = ()) -> dict[str, object]:
        kinds = kinds or self.kinds
        if len(values) != len(kinds):
            raise self._unreadable(text, f"has a line with {len(values)} parts, and {len(kinds)} were asked for")
        record: dict[str, object] = {}
        for (name, kind), value in zip(kinds, values, strict=True):
            try:
                record[name] = kind.read(value.strip())
            except ValueError as error:
                raise self._unreadable(text, f"has {name!r} that {error}") from error
        return record

    def _unreadable(self, text: str, why: str) -> ReplyUnreadable:
        return ReplyUnreadable(f"The reply to {self.name!r} {why}.", "It was not used.", reply=text[:200], why=why)


def one(cls: type[T], **kinds: Kind) -> ReplyType[T]:
    """A single record of `cls`. `kinds` replace those of the class by field name."""
    return ReplyType(cls.__name__, _kinds(cls, kinds), None, lambda rows: cls(**rows[0]))


def many(cls: type[T], low: int, high: int, *, exact: bool = False, **kinds: Kind) -> ReplyType[tuple[T, ...]]:
    """`low` to `high` records of `cls`, one a line. With `exact` a reply of another number of lines cannot be mended."""
    return ReplyType(cls.__name__, _kinds(cls, kinds), (low, high), lambda rows: tuple(cls(**row) for row in rows), exact)


def _kinds(cls: type[Any], given: dict[str, Kind]) -> tuple[tuple[str, Kind], ...]:
    found: list[tuple[str, Kind]] = []
    for name, own in _own_kinds(cls):  # type: ignore[arg-type]
        kind = given.get(name) or own
        if kind is None:
            raise TypeError(f"{cls.__name__}.{name} has no kind; annotate it, e.g. Annotated[str, Text(80)]")
        found.append((name, kind))
    return tuple(found)


@functools.cache
def _own_kinds(cls: type[Any]) -> tuple[tuple[str, Kind | None], ...]:
    """What the fields of a class are annotated with. Reading annotations is slow, and the same classes are asked for all the time."""
    hints = typing.get_type_hints(cls, include_extras=True)
    marks = {item.name: [mark for mark in getattr(hints[item.name], "__metadata__", ()) if isinstance(mark, Kind)] for item in fields(cls)}
    return tuple((name, found[0] if found else None) for name, found in marks.items())


def literal(text: str) -> str:
    """A text as a regular expression of llguidance's."""
    return re.escape(text).replace(r"\ ", " ")


def _slashes(regex: str) -> str:
    return regex.replace("/", r"\/")
