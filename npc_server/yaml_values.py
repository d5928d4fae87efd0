"""Writes values as YAML on one line, as a person would write them."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-zÀ-ÿ](?:[\w .'/-]|:(?=[\w]))*(?<! )")
_WORDS = frozenset(("true", "false", "null"))
_ESCAPES = {'"': '\\"', "\\": "\\\\"}


def yaml_of(value: str | int) -> str:
    """The value as YAML, also valid inside `{…}`. A parser reads the same value back."""
    if isinstance(value, int):
        return str(value)
    if _PLAIN.fullmatch(value) and value.isprintable() and value.lower() not in _WORDS:
        return value
    if value and value.isprintable() and not any(ord(char) < 0x2190 for char in value):
        return value  # These are emoji, which need no quotes.
    return '"' + "".join(_escaped(char) for char in value) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
