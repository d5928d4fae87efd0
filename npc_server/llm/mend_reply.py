"""Reads replies that are a little off: what is wrong with the form is put right, and what is wrong with the sense is refused.

A good model that no grammar holds writes bullets, quotation marks, its own name before a line, or a line too many. Each of these is
mended by a small rule, and `Read.mended` names it, so that the ledger can count it. What `ReplyType.parse` accepts is read as it is,
but for such marks inside a text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from npc_server.errors import ReplyUnreadable
from npc_server.llm import mend_text, thoughts
from npc_server.llm.fields import Fields
from npc_server.llm.reply import Choice, Emoji, Integer, Kind, Numbers, ReplyType, Several, Text, TimeOfDay

R = TypeVar("R")

PLAIN_EMOJI = "💭"
"""For a reply without an emoji: nobody is asked again for that."""
_FENCE = re.compile(r"```\w*|~~~\w*|\|?[\s:|-]*-{3,}[\s:|-]*\|?")
"""Fences of code, and the rules of Markdown tables."""
_BULLET = re.compile(r"(?:[-*•–]|\d{1,2}[.)])\s+(?=\S)")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.h](\d{2}))?(?::\d{2})?\s*(am|pm|a\.m\.|p\.m\.)?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Read(Generic[R]):
    """A reply as records, and what had to be put right: `bullets`, `quotation marks`."""

    value: R
    mended: tuple[str, ...] = ()


@dataclass
class _Reading:
    """One reply while it is read."""

    reply: ReplyType[object]
    text: str
    names: Collection[str]
    mended: dict[str, None] = field(default_factory=dict)

    def note(self, what: str) -> None:
        self.mended[what] = None

    def refuse(self, why: str) -> ReplyUnreadable:
        return ReplyUnreadable(f"The reply to {self.reply.name!r} {why}.", "It was not used.", reply=self.text[:200], why=why)


def read(reply: ReplyType[R], text: str, names: Collection[str] = ()) -> Read[R]:
    """The reply as records. `names` are those of who speaks. Raises ReplyUnreadable that says what cannot be mended."""
    said = thoughts.spoken(text)
    reading = _Reading(reply, said, names)  # type: ignore[arg-type]
    if said != text:
        reading.note("thought")
        text = said
    rows = [row.strip() for row in text.split("\n") if row.strip()]
    kept = [row for row in rows if not _FENCE.fullmatch(row)]
    if len(kept) < len(rows):
        reading.note("markdown")
    if reply.lines:
        records = _list(reading, kept, *reply.lines)
    else:
        records = [_single(reading, kept) if len(reply.kinds) == 1 else _labelled(reading, kept)]
    return Read(reply.build(records), tuple(reading.mended))


# ---- records


def _list(reading: _Reading, rows: Sequence[str], low: int, high: int) -> list[dict[str, object]]:
    """A record a line. Lines that are none are left out; too many are cut, and of too few half are enough."""
    found: list[dict[str, object]] = []
    wrong = ""
    for row in _split_up(reading, rows, low, high):
        try:
            found.append(_record(reading, _parts(reading, row)))
        except ReplyUnreadable as error:
            wrong = wrong or str(error.values["why"])
    if (reading.reply.exact and len(found) != high) or (not reading.reply.exact and len(found) < -(-low // 2)):
        wanted = f"{low}" if low == high else f"{low} to {high}"
        raise reading.refuse(wrong if wrong and len(rows) >= low else f"has {len(found)} lines, and {wanted} were asked for")
    if wrong:
        reading.note("lines that are no answer")
    if not low <= len(found) <= high:
        reading.note("number of lines")
    return found[:high]


def _split_up(reading: _Reading, rows: Sequence[str], low: int, high: int) -> Sequence[str]:
    """Numbers that stand on one line in place of one a line: `7, 3, 5`."""
    kinds = reading.reply.kinds
    if len(rows) == 1 and low > 1 and len(kinds) == 1 and isinstance(kinds[0][1], Integer):
        numbers = re.findall(r"[0-9]+", rows[0])
        if low <= len(numbers) <= high:
            reading.note("number of lines")
            return numbers
    return rows


def _single(reading: _Reading, rows: Sequence[str]) -> dict[str, object]:
    """The one field of a record, whatever lines it is spread over."""
    name, kind = reading.reply.kinds[0]
    label = re.compile(rf"[*_]*{re.escape(name)}[*_]*\s*:[*_]*\s*", re.IGNORECASE)
    bare = [label.sub("", row, count=1) if label.match(row) else row for row in rows]
    if bare != list(rows):
        reading.note("labels")
    if isinstance(kind, Text) and len(bare) > 1:
        reading.note("number of lines")
        return _record(reading, [" ".join(bare)])
    refused: ReplyUnreadable | None = None
    for row in bare:
        try:
            found = _record(reading, [row])
        except ReplyUnreadable as error:
            refused = refused or error
            continue
        if len(bare) > 1:
            reading.note("number of lines")
        return found
    raise refused or reading.refuse("has 0 lines, and one was asked for")


def _labelled(reading: _Reading, rows: Sequence[str]) -> dict[str, object]:
    """A labelled line for each field, in any order; what follows a text without a label belongs to it."""
    kinds = dict(reading.reply.kinds)
    found: dict[str, list[str]] = {name: [] for name in kinds}
    strays: list[str] = []
    last = ""
    for row in rows:
        label, sep, value = row.partition(":")
        name = label.strip(" *_-•#`\"'").casefold()
        if sep and name in kinds:
            last = name
            if label.rstrip() != name:
                reading.note("labels")
            found[name].append(value.strip().removeprefix("**").strip())
        elif last and isinstance(kinds[last], Text):
            found[last][-1] += f" {row}"
            reading.note("number of lines")
        else:
            strays.append(row)
            reading.note("lines that are no answer")
    spoken = next((name for name, kind in kinds.items() if isinstance(kind, Text) and kind.spoken), "")
    named = strays and spoken and mend_text.without_name(strays[0], reading.names) != strays[0]
    if not named and not any(found.values()):  # it may be anything: the prompt once more, JSON, or a refusal to play
        raise reading.refuse(f"has no line that begins with '{spoken or next(iter(kinds))}: '")
    if strays and spoken and not found[spoken]:
        found[spoken] = [" ".join(strays)]
    return {name: _field(reading, name, kind, found[name]) for name, kind in kinds.items()}


def _field(reading: _Reading, name: str, kind: Kind, values: Sequence[str]) -> object:
    if isinstance(kind, Several):
        if len(values) < kind.low:
            raise reading.refuse(f"has {len(values)} lines '{name}: …', and {kind.low} to {kind.high} were asked for")
        return tuple(_value(reading, name, kind.kind, value) for value in values[: kind.high])
    if not values:
        otherwise = _otherwise(kind)
        if otherwise is None:
            raise reading.refuse(f"has no line '{name}: …'")
        reading.note(f"no {name}")
        return kind.read(otherwise)
    return _value(reading, name, kind, values[0])


def _parts(reading: _Reading, row: str) -> list[str]:
    """The fields of a line, without the bullet before it and the bars around it."""
    bare = _BULLET.sub("", row, count=1) if _BULLET.match(row) else row
    if bare != row:
        reading.note("bullets")
    kinds = reading.reply.kinds
    if len(kinds) == 1:
        return [bare]
    if bare.startswith("|") and bare.endswith("|"):
        bare = bare.strip("| ")
        reading.note("markdown")
    parts = reading.reply.parts(bare)
    if len(parts) == 1 and len(kinds) == 2:
        parts = re.split(r"\s+[-–—]\s+", bare, maxsplit=1)
    missing = [_otherwise(kind) for _, kind in kinds[len(parts) :]]
    if missing and None not in missing:
        reading.note("fields left out")
        parts += [value for value in missing if value is not None]
    return parts


def _record(reading: _Reading, values: Sequence[str]) -> dict[str, object]:
    kinds = reading.reply.kinds
    if len(values) != len(kinds):
        raise reading.refuse(f"has a line with {len(values)} parts, and {len(kinds)} were asked for")
    return {name: _value(reading, name, kind, value) for (name, kind), value in zip(kinds, values, strict=True)}


# ---- fields


def _value(reading: _Reading, name: str, kind: Kind, text: str) -> object:
    if isinstance(kind, Fields):
        return _fields(reading, name, kind, text)
    bare = text.strip()
    if isinstance(kind, Text):
        mended, what = mend_text.mended(bare, kind.max_chars, reading.names if kind.spoken else (), spoken=kind.spoken)
        for mark in what:
            reading.note(mark)
        bare = mended
    try:
        return kind.read(bare)
    except ValueError as error:
        near = _nearest(kind, bare)
        if near is None:
            raise reading.refuse(f"has {name!r} that {error}") from error
        reading.note(f"form of {name}")
        return near


def _fields(reading: _Reading, name: str, kind: Fields, text: str) -> object:
    try:
        parts = kind.parts(text.strip("| "))
    except ValueError as error:
        raise reading.refuse(f"has {name!r} that {error}") from error
    return kind.of([_value(reading, field, one, part) for (field, one), part in zip(kind.kinds, parts, strict=True)])


def _nearest(kind: Kind, text: str) -> object | None:
    """What a text that is not of the kind can only mean; None where that is unclear."""
    bare = text.strip(" .,;!*_`\"'“”‘’<>[]()")
    near: str | None = None
    if isinstance(kind, Choice):
        near = _option(kind, bare)
    elif isinstance(kind, Integer):
        near = _number(kind, bare)
        if near is not None and kind.high < int(near) <= kind.tolerated:
            return int(near)
    elif isinstance(kind, TimeOfDay):
        near = _time(bare)
    elif isinstance(kind, Emoji):
        near = "".join(char for char in text if ord(char) > 127 and not char.isspace())[:8] or PLAIN_EMOJI
    elif isinstance(kind, Numbers):
        near = ", ".join(re.findall(r"[0-9]+", text)[: kind.most])
    elif isinstance(kind, Text):
        near = kind.otherwise if not bare else None
    elif bare != text:
        near = bare
    try:
        return kind.read(near) if near else None
    except ValueError:
        return None


def _option(kind: Choice, text: str) -> str | None:
    """The option with other capitals, with more words behind it, or the only one that ends so: `oven` for `cafe:kitchen:oven`."""
    said = text.casefold()
    for fits in (
        [option for option in kind.options if option.casefold() == said],
        [option for option in kind.options if re.match(re.escape(option.casefold()) + r"\b", said)],
        [option for option in kind.options if said and option.casefold().endswith((f":{said}", f" {said}"))],
    ):
        if fits:
            longest = max(fits, key=len)
            if _names_another(kind, said, longest):  # `yes and no`
                break
            return longest if len(fits) == 1 or said.startswith(longest.casefold()) else kind.otherwise or None
    return kind.otherwise or None


def _names_another(kind: Choice, said: str, chosen: str) -> bool:
    """Whether the words after the chosen option name one of the others, too."""
    rest = said.removeprefix(chosen.casefold())
    return rest != said and any(re.search(rf"\b{re.escape(option.casefold())}\b", rest) for option in kind.options if option != chosen)


def _number(kind: Integer, text: str) -> str | None:
    """The only number of a text, `7` for `7/10` and for `7 minutes`; what is off by less than as much again is brought into the range."""
    numbers = re.findall(r"(?<!/)\b[0-9]{1,4}\b", text)
    if len(numbers) != 1:
        return None if kind.otherwise is None or numbers else str(kind.otherwise)
    value = int(numbers[0])
    if kind.high < value <= kind.tolerated:
        return str(value)
    return str(min(kind.high, max(kind.low, value))) if value <= 2 * kind.high else None


def _time(text: str) -> str | None:
    """`6:30`, `06.30`, `6:30 pm`, and the first time of `06:30-07:15`."""
    found = _CLOCK.match(text)
    if not found or (not found[2] and not found[3]):
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    if found[3]:
        hour = hour % 12 + (12 if found[3][0].lower() == "p" else 0)
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else None


def _otherwise(kind: Kind) -> str | None:
    """What stands for a field that is left out; None where there is nothing."""
    if isinstance(kind, Emoji):
        return PLAIN_EMOJI
    if isinstance(kind, Integer):
        return None if kind.otherwise is None else str(kind.otherwise)
    return (kind.otherwise or None) if isinstance(kind, (Choice, Text)) else kind.left_out()
