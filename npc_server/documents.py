"""Reads YAML files that people write, such as personas and towns, and checks them against a pydantic model.

All mistakes of a file are reported together, each as a `Problem` with file, line, what is wrong, and the fix. Values follow YAML 1.2's
core schema, so `06:30`, `on` and `no` stay text. The file is read event by event without recursion, and within the limits below.
libyaml reads it where it can (`yaml_libyaml`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError
from ruamel.yaml import events
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from npc_server.document_errors import Loc, as_problems, unknown_keys
from npc_server.document_kept import kept_values
from npc_server.errors import FileProblem, Problem
from npc_server.records import Document
from npc_server.visible import first_steering
from npc_server.yaml_events import events_of, explain, odd_space, without_tabs
from npc_server.yaml_libyaml import Unsure, quick_events

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_VALUES = 20_000
"""Most values in one file. A value counts again for each alias."""
MAX_PROBLEMS = 100
"""Most YAML mistakes that are reported of one file. Then reading ends."""

M = TypeVar("M", bound=BaseModel)

_NULL = re.compile(r"~|null|Null|NULL|")
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]{1,18}")
_IN_CURLY_QUOTES = re.compile("[“”„«‘‚][^“”„«»‘‚]*[“”»’]", re.DOTALL)
_FLOAT = re.compile(r"[-+]?(\.[0-9]{1,30}|[0-9]{1,30}(\.[0-9]{0,30})?)([eE][-+]?[0-9]{1,3})?")


@dataclass(frozen=True)
class Parsed:
    """The plain values of a file, and the line of each by its path of keys and indexes."""

    value: object
    lines: Mapping[Loc, int]
    warnings: tuple[Problem, ...] = ()

    def line(self, loc: Loc) -> int:
        """Returns the line of the value at `loc`, or of the nearest value around it."""
        while loc and loc not in self.lines:
            loc = loc[:-1]
        return self.lines.get(loc, 1)


@dataclass(frozen=True)
class Checked(Generic[M]):
    """A file as a model, with warnings, and with the lines of its values."""

    name: str
    value: M
    warnings: tuple[Problem, ...]
    parsed: Parsed
    left_out: frozenset[Loc] = frozenset()
    """What the file says wrongly. Only later checks get a file without that."""


def read_bytes(path: Path, most: int) -> bytes:
    """Reads a file of at most `most` bytes. Raises FileProblem."""
    name = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _fail(name, 0, f"The file cannot be read: {reason}.", "Check its path and permissions.") from error
    if len(data) > most:
        raise _fail(name, 0, f"The file is larger than {most} bytes.", "Split it, or cut it down.")
    return data


def read_document(path: Path) -> Document:
    """Reads a text file in UTF-8. Its name is its path. Raises FileProblem."""
    name, data = str(path), read_bytes(path, MAX_BYTES)
    try:
        return Document(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _fail(name, line, f"Byte 0x{data[error.start]:02x} is not UTF-8.", "Save the file with encoding UTF-8.") from error


def parse_yaml(document: Document, model: type[M], hints: Mapping[str, str] | None = None) -> M:
    """Reads a document as a `model`. `hints` gives fixes by key, e.g. `{"rect": "Write [x, y, width, height]."}`.

    Raises FileProblem with all mistakes.
    """
    return check_yaml(document, model, hints).value


@dataclass(frozen=True)
class Later(Generic[M]):
    """Checks that a model cannot express. A file whose model has mistakes, too, is checked as far as it is right."""

    find: Callable[[Checked[M]], Iterable[Problem]]
    stand_ins: Mapping[str, object] = field(default_factory=dict)
    """Values for the keys that every file needs, where the file's own are wrong."""
    whole: frozenset[str] = frozenset()
    """Keys that say when or where an item of a list counts, so that the item is not checked without them."""


def check_yaml(
    document: Document,
    model: type[M],
    hints: Mapping[str, str] | None = None,
    max_values: int = MAX_VALUES,
    later: Later[M] | None = None,
) -> Checked[M]:
    """Reads like `parse_yaml`, and returns lines for later checks, and warnings of unknown keys.

    A model with `extra="allow"` keeps the unknown keys. The mistakes that `later` finds are told with all others.
    """
    wrong: tuple[Problem, ...] = ()
    try:
        parsed = load_yaml(document, max_values)
    except FileProblem as error:
        parsed, wrong = _read(document, _checked_text(document), max_values, strict=False), error.problems
    unknown = unknown_keys(document.name, parsed.value, model, parsed.line)
    try:
        checked: Checked[M] | None = Checked(document.name, model.model_validate(parsed.value), (*parsed.warnings, *unknown), parsed)
    except ValidationError as error:
        # A mistyped key is often why another key is missing, so both are reported.
        found = (*as_problems(document.name, error, model, parsed.line, hints or {}), *unknown)
        wrong = (*wrong, *_on_other_lines(found, wrong))
        checked = _kept(document.name, parsed, error, model, later) if later is not None else None
    if checked is not None and later is not None:
        wrong = (*wrong, *_on_other_lines(later.find(checked), wrong))
    if wrong or checked is None:
        raise FileProblem(tuple(sorted(dict.fromkeys(wrong), key=lambda problem: problem.line)))
    return checked


def _on_other_lines(found: Iterable[Problem], told: Iterable[Problem]) -> list[Problem]:
    """What is found on lines of which nothing is told yet. One mistake often causes another on its line."""
    lines = {problem.line for problem in told}
    return [problem for problem in found if problem.line not in lines]


def _kept(name: str, parsed: Parsed, error: ValidationError, model: type[M], later: Later[M]) -> Checked[M] | None:
    """What is right in a file, with the lines that it has there."""
    found = kept_values(parsed.value, error, model, later.stand_ins, later.whole)
    if found is None:
        return None
    value, paths, left_out = found
    lines = {new: parsed.lines[old] for new, old in paths.items() if old in parsed.lines}
    return Checked(name, model.model_validate(value), (), Parsed(value, lines), left_out)


def load_yaml(document: Document, max_values: int = MAX_VALUES) -> Parsed:
    """Reads the plain values of a document with their lines. Raises FileProblem."""
    text = _checked_text(document)
    return _read_quickly(document.name, text, max_values) or _read(document, text, max_values)


def _checked_text(document: Document) -> str:
    text = without_tabs(document.text.removeprefix("\ufeff"))
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _fail(document.name, 0, f"The file is larger than {MAX_BYTES} bytes.", "Split it, or cut it down.")
    return text


def _read_quickly(name: str, text: str, max_values: int) -> Parsed | None:
    """Reads a text with libyaml. Returns None for one that has a mistake, or that the reader in Python may read otherwise."""
    builder = _Builder(name, max_values)
    try:
        for event in quick_events(text):
            builder.take(event)
        parsed = builder.finish()
    except (Unsure, FileProblem):
        return None
    return parsed if isinstance(parsed.value, dict) else None


def _read(document: Document, text: str, max_values: int, *, strict: bool = True) -> Parsed:
    """Reads a text, or tells its mistakes. Unless `strict`, those that leave the values readable are not told."""
    builder = _Builder(document.name, max_values)
    try:
        for event in events_of(text):
            builder.take(event)
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _fail(
            document.name, line, f"Character {_code(error.character)} is not allowed.", "Delete it, or save the file as UTF-8."
        ) from error
    except MarkedYAMLError as error:
        raise _fail(document.name, *explain(error, text)) from error
    except (YAMLError, ValueError, OverflowError, IndexError, AttributeError, AssertionError) as error:
        # Ruamel raises these on input that it does not foresee, such as "\UFFFFFFFF".
        raise _fail(document.name, builder.line, f"This is not YAML: {error}.", "Correct the file at or after this line.") from error
    parsed = builder.finish(strict=strict)
    if not isinstance(parsed.value, dict) and (odd := odd_space(text)) is not None:
        raise _fail(document.name, *odd)
    return parsed


def first_value(document: Document, key: str) -> str:
    """Returns the plain value of a top-level key, and reads no further. Empty if there is none, or if a mistake comes before it."""
    depth, is_key, found = 0, True, False
    try:
        for event in events_of(without_tabs(document.text.removeprefix("\ufeff")[:MAX_BYTES])):
            if isinstance(event, (events.MappingEndEvent, events.SequenceEndEvent)):
                depth -= 1
                is_key = True
            elif depth == 1 and isinstance(event, (events.ScalarEvent, events.AliasEvent)):
                value = str(event.value) if isinstance(event, events.ScalarEvent) else ""
                if found:
                    return value
                found, is_key = is_key and value == key, not is_key
            elif isinstance(event, (events.MappingStartEvent, events.SequenceStartEvent)):
                if found or (not depth and isinstance(event, events.SequenceStartEvent)):
                    return ""
                depth += 1
    except (YAMLError, ValueError, OverflowError, IndexError, AttributeError, AssertionError):  # as in `load_yaml`
        pass
    return ""


@dataclass
class _Open:
    """A mapping or list that has not ended yet."""

    value: dict[str, object] | list[object]
    loc: Loc
    line: int
    anchor: str | None
    size: int = 1
    key: str | None = None
    key_line: int = 0


@dataclass
class _Builder:
    """Builds plain values from events with an explicit stack, and collects problems."""

    name: str
    max_values: int = MAX_VALUES
    line: int = 1
    lines: dict[Loc, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[object, int]] = field(default_factory=dict)
    roots: list[object] = field(default_factory=list)

    def take(self, event: events.Event) -> None:
        mark = event.start_mark
        if mark is not None:
            self.line = mark.line + 1
        if isinstance(event, events.DocumentStartEvent) and self.roots:
            raise self._fail("A second YAML document begins here.", "Keep one; delete this '---' and what follows.")
        if isinstance(event, (events.MappingStartEvent, events.SequenceStartEvent)):
            self._start({} if isinstance(event, events.MappingStartEvent) else [], event)
        elif isinstance(event, (events.MappingEndEvent, events.SequenceEndEvent)):
            ended = self.stack.pop()
            self._anchor(ended.anchor, ended.value, ended.size)
            self._grow(ended.size)
        elif isinstance(event, events.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, events.AliasEvent):
            if event.anchor not in self.anchors:
                raise self._fail(f"Alias '*{event.anchor}' names nothing above it.", f"Write '&{event.anchor}' at the value it repeats.")
            value, size = self.anchors[event.anchor]
            if self._is_key():
                raise self._fail("An alias stands where a key belongs.", "Write the key out.")
            self._place(value)
            self._grow(size)

    def finish(self, *, strict: bool = True) -> Parsed:
        if is_empty := not self.roots or self.roots == [None]:
            self._report("The file is empty.", "Write keys and values, e.g. `name: Mara Voss`.", 0)
        if self.problems and (strict or is_empty):
            raise FileProblem(tuple(self.problems))
        return Parsed(self.roots[0], self.lines, tuple(self.warnings))

    def _start(self, value: dict[str, object] | list[object], event: events.MappingStartEvent | events.SequenceStartEvent) -> None:
        self._no_tag(event)
        if self._is_key():
            raise self._fail("A list or mapping stands where a key belongs.", "Keys are words; put a value that starts with '{' in quotes.")
        if len(self.stack) >= MAX_DEPTH:
            raise self._fail(f"Values are nested deeper than {MAX_DEPTH} levels.", "Flatten the file.")
        line = self.line
        loc = self._place(value)
        self.stack.append(_Open(value, loc, line, event.anchor))

    def _scalar(self, event: events.ScalarEvent) -> None:
        self._no_tag(event)
        text = str(event.value)
        if steering := first_steering(text):
            self._report(f"A text holds {steering}, which steers terminals or the direction of reading.", "Delete it.", self.line)
        if self._is_key():
            top = self.stack[-1]
            assert isinstance(top.value, dict)
            if text in top.value:
                earlier: Loc = (*top.loc, text)
                self._report(f"Key '{text[:60]}' stands twice here; first on line {self.lines[earlier]}.", "Keep one of them.", self.line)
            top.key, top.key_line = text, self.line
            return
        if not event.style and _IN_CURLY_QUOTES.fullmatch(text) and len(self.warnings) < MAX_PROBLEMS:
            what = f"The curly quotes are part of the value {text[:60]}: YAML knows only straight ones."
            self.warnings.append(Problem(self.name, self.line, what, f'Write "{text[1:-1][:60]}", or no quotes.'))
        value: object = text if event.style else _plain(text)
        self._anchor(event.anchor, value, 1)
        self._place(value)
        self._grow(1)

    def _is_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None

    def _place(self, value: object) -> Loc:
        """Adds a value to the open mapping or list, and returns its path."""
        if not self.stack:
            self.roots.append(value)
            self.lines.setdefault((), self.line)
            return ()
        top = self.stack[-1]
        if isinstance(top.value, dict):
            assert top.key is not None
            loc: Loc = (*top.loc, top.key)
            self.lines[loc] = top.key_line
            top.value[top.key] = value
            top.key = None
        else:
            loc = (*top.loc, len(top.value))
            self.lines[loc] = self.line
            top.value.append(value)
        return loc

    def _grow(self, size: int) -> None:
        if not self.stack:
            return
        self.stack[-1].size += size
        if sum(level.size for level in self.stack) > self.max_values:
            raise self._fail(f"The file holds more than {self.max_values} values.", "Cut it down; an alias counts each time it is used.")

    def _anchor(self, anchor: str | None, value: object, size: int) -> None:
        if anchor is not None:
            self.anchors[anchor] = (value, size)

    def _no_tag(self, event: events.MappingStartEvent | events.SequenceStartEvent | events.ScalarEvent) -> None:
        if event.tag is not None:
            self._report(
                f"Tag '{str(event.tag)[:60]}' has no meaning here.", "Delete it; put the value in quotes when it is text.", self.line
            )

    def _report(self, what: str, fix: str, line: int) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            raise self._fail("More mistakes follow.", "Correct those above, then check again.")
        self.problems.append(Problem(self.name, line, what, fix))

    def _fail(self, what: str, fix: str) -> FileProblem:
        return FileProblem((*self.problems, Problem(self.name, self.line, what, fix)))


def _plain(text: str) -> object:
    """Reads an unquoted value by YAML 1.2's core schema, without hexadecimal, octal and infinite numbers."""
    if _NULL.fullmatch(text):
        return None
    if _BOOL.fullmatch(text):
        return text.lower() == "true"
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _code(character: object) -> str:
    code = character if isinstance(character, int) else ord(str(character)[0]) if str(character) else 0
    return f"U+{code:04X}"


def _fail(name: str, line: int, what: str, fix: str) -> FileProblem:
    return FileProblem((Problem(name, line, what, fix),))
