"""Mends the text of a reply: marks around it go, and what is too long ends at a sentence, a clause or a word."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from npc_server.visible import STEERING

_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_STARRED = re.compile(r"\*(?=\S)([^*]+?)(?<=\S)\*")
_DOUBLE = '"“”„«»'
_SINGLE = (("'", "'"), ("‘", "’"))
_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"”’»)]*(?=\s|$)")
_CLAUSE_END = re.compile(r"(?=[,;:–—]\s|\s[–—-]\s)")
NEARLY = 0.95
"""Share of the limit. A spoken line that is longer and ends in the middle of a sentence was cut off there."""


def mended(text: str, limit: int, names: Collection[str] = (), *, spoken: bool = False) -> tuple[str, list[str]]:
    """The text in at most `limit` characters, and what was put right. `names` may stand before a spoken line."""
    steps: list[tuple[str, Callable[[str], str]]] = [
        ("control characters", lambda t: STEERING.sub("", t).strip()),
        ("speaker's name", lambda t: without_name(t, names)),
        ("emphasis", _unstarred),
        ("actions in a line", without_actions if spoken else _plain_stars),
        ("quotation marks", lambda t: without_quotes(t, spoken=spoken)),
        ("speaker's name", lambda t: without_name(t, names)),
        ("bars", lambda t: " ".join(t.replace("|", " ").split()) if "|" in t else t),
        ("length", lambda t: ended(t, limit, spoken=spoken)),
    ]
    found: list[str] = []
    for what, step in steps:
        better = step(text)
        if better != text:
            text = better
            found.append(what)
    return text, found


def without_name(text: str, names: Collection[str]) -> str:
    """`Good morning!` for `Mara Voss: Good morning!`."""
    for name in sorted(names, key=len, reverse=True):
        found = re.match(rf"[*_]*{re.escape(name)}[*_]*\s*:[*_]*\s*", text, re.IGNORECASE)
        if found:
            return text[found.end() :]
    return text


def without_actions(text: str) -> str:
    """`Good morning!` for `*smiles* Good morning!`."""
    return " ".join(_STARRED.sub(" ", text).split()) if _STARRED.search(text) else text


def without_quotes(text: str, *, spoken: bool = False) -> str:
    """Without the quotation marks around the whole. In a spoken line several quoted pieces become one."""
    if len(text) > 1 and text[0] in _DOUBLE and text[-1] in _DOUBLE:
        inside = text[1:-1]
        if not any(mark in inside for mark in _DOUBLE):
            return inside.strip()
        if spoken:
            return " ".join("".join(" " if mark in _DOUBLE else mark for mark in text).split())
    for first, last in _SINGLE:
        if len(text) > 1 and text.startswith(first) and text.endswith(last) and first not in text[1:-1]:
            return text[1:-1].strip()
    return text


def ended(text: str, limit: int, *, spoken: bool = False) -> str:
    """The text cut to its limit: after a sentence where a quarter of it is left, before a clause where half is, else between words."""
    if len(text) <= limit:
        if not spoken or len(text) < limit * NEARLY or _SENTENCE_END.search(text[-3:]):
            return text
        sentences = [found.end() for found in _SENTENCE_END.finditer(text)]
        return text[: sentences[-1]] if sentences and sentences[-1] >= limit // 4 else text
    sentences = [found.end() for found in _SENTENCE_END.finditer(text) if found.end() <= limit]
    if sentences and sentences[-1] >= limit // 4:
        return text[: sentences[-1]]
    clauses = [found.start() for found in _CLAUSE_END.finditer(text) if found.start() < limit]
    if clauses and clauses[-1] >= limit // 2:
        return text[: clauses[-1]].rstrip() + ("." if spoken else "")
    return text[: limit - 1].rsplit(None, 1)[0].rstrip(" ,;:") + ("…" if spoken else "")


def _unstarred(text: str) -> str:
    return _BOLD.sub(r"\2", text)


def _plain_stars(text: str) -> str:
    return _STARRED.sub(r"\1", text)
