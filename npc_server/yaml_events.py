"""Parses YAML text into events, and explains syntax errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML, events
from ruamel.yaml.scanner import Scanner, ScannerError

MAX_NAME = 200
"""Most characters of a tag or an anchor. Ruamel copies a tag for each of its letters: one of a million letters takes 16 s."""
_LONG = "a tag or an anchor is too long"


class _Scanner(Scanner):
    """Ruamel's scanner with a limit for names."""

    def scan_tag_uri(self, name: Any, start_mark: Any) -> Any:
        return _short(super().scan_tag_uri(name, start_mark), start_mark)

    def scan_anchor(self, TokenClass: Any) -> Any:
        token = super().scan_anchor(TokenClass)
        _short(token.value, token.start_mark)
        return token


def _short(name: str, mark: Any) -> str:
    if len(name) > MAX_NAME:
        raise ScannerError(None, None, _LONG, mark)
    return name


def events_of(text: str) -> Iterator[events.Event]:
    """Yields the events of a text. Raises YAMLError, and other errors on input that ruamel does not foresee."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Scanner = _Scanner
    parsed: Iterator[events.Event] = yaml.parse(text)
    return parsed


_ODD = r"[\u00a0\u2000-\u200a\u202f\u3000]"
_ODD_SPACE = re.compile(rf"^(?:[ \t]*{_ODD}\s*\S|[ \t]*(?:- +)?[\w-]+:{_ODD})", re.MULTILINE)
"""A space that YAML does not take for one, before a key or after its colon. Word processors and web pages put it there."""


def odd_space(text: str) -> tuple[int, str, str] | None:
    """Returns the line, what is wrong, and the fix of the first space that YAML takes for a letter."""
    found = _ODD_SPACE.search(text)
    if found is None:
        return None
    row = text[found.start() :].split("\n", 1)[0].strip()[:60]
    space = next(it for it in found[0] if it.isspace() and it not in " \t")
    return (
        text.count("\n", 0, found.start()) + 1,
        f"A no-break or other odd space (U+{ord(space):04X}) stands before or after the key in {row.replace(space, ' ')!r}.",
        "Delete it, and type a space with the space bar.",
    )


_TABS = re.compile(r"^ *\t[ \t]*", re.MULTILINE)


def without_tabs(text: str) -> str:
    """Returns a text with two spaces for each tab of an indentation: YAML knows no tabs there, and Godot's script editor writes them."""
    return _TABS.sub(lambda found: found[0].replace("\t", "  "), text) if "\t" in text else text


_OPENS_QUOTE = re.compile(r"""\s*(?:- +)?[\w-]+: *(?:"[^"]*|'[^']*)$""")
_KEY = re.compile(r"\s*(?:- +)?[\w-]+:(?: |$)")


def _open_quote(rows: list[str], line: int) -> int:
    """Returns the line above a mistake whose value begins with a quote and does not end with one, though a key follows; 0 for none."""
    above = range(min(line, len(rows) - 1) - 1, -1, -1)
    return next((at + 1 for at in above if _OPENS_QUOTE.match(rows[at]) and _KEY.match(rows[at + 1])), 0)


def explain(error: Any, text: str) -> tuple[int, str, str]:
    """Returns the line, what is wrong, and the fix of a syntax error."""
    if (odd := odd_space(text)) is not None:
        return odd
    context = str(error.context or "")
    unclosed = "flow" in context or "quoted scalar" in context
    mark = (error.context_mark if unclosed else None) or error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 0
    said = str(error.problem or error.context or "not YAML")[:100]
    rows = text.split("\n")
    row = rows[line - 1] if 0 < line <= len(rows) else ""
    shown = row.strip()[:60]
    if said == _LONG:
        return line, f"A tag or an anchor has more than {MAX_NAME} characters.", "Delete it; put the value in quotes when it is text."
    if "\\t" in said:
        return line, "A tab stands in the indentation.", "Use spaces only."
    if "mapping values are not allowed" in said:
        return line, f"A second ': ' stands in {shown!r}.", "Put the text in quotes, or correct the indentation."
    if "cannot start any token" in said:
        return line, f"A value cannot start like this: {shown!r}.", "Put it in quotes."
    if "block end" in said or "expected ':'" in said or "block mapping" in context:
        if opened := _open_quote(rows, line):
            return opened, f"A quote is not closed, at {rows[opened - 1].strip()[:60]!r}.", "Close it at the end of the text."
        return (
            line,
            f"The indentation does not fit, or a ':' is missing, at {shown!r}.",
            "Indent keys that belong together by the same number of spaces.",
        )
    if "sequence entries are not allowed" in said:
        return (
            line,
            f"A '- ' stands where no list can be, at {shown!r}.",
            "Put the list on lines of its own below the key, or the text in quotes.",
        )
    if "document start" in said:
        return line, f"This line does not fit what is above it: {shown!r}.", "Correct its indentation, or a quote or bracket above it."
    if "flow" in context:
        return line, f"A bracket is not closed, at {shown!r}.", "Close it with ']' or '}', or put the text in quotes."
    if "quoted scalar" in context:
        return (
            line,
            f"A quote is not closed, or an escape is wrong, at {shown!r}.",
            "Close the quote; write \\\\ for a backslash in double quotes.",
        )
    return line, f"This is not YAML ({said}), at {shown!r}.", "Correct the line. Put text with special characters in quotes."
