"""Phrases for small talk, from `data/small_talk.toml`. A persona's own lines go before them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from npc_server.data_files import read_toml
from npc_server.english.text import lowered


@dataclass(frozen=True)
class _Reply:
    heard: re.Pattern[str]
    lines: tuple[str, ...]
    first: bool
    """Whether it answers before any memory is searched."""


@dataclass(frozen=True)
class _Phrases:
    lines: Mapping[str, tuple[str, ...]]
    replies: tuple[_Reply, ...]
    answers: tuple[_Reply, ...]


@cache
def _phrases() -> _Phrases:
    data = read_toml("small_talk.toml")
    lines = {bank: tuple(said) for bank, said in data["lines"].items()}

    def replies(bank: str) -> tuple[_Reply, ...]:
        said = [lines[item["lines"]] if "lines" in item else tuple(item["say"]) for item in data[bank]]
        rows = zip(data[bank], said, strict=True)
        return tuple(_Reply(re.compile(item["heard"]), lines, item.get("first", False)) for item, lines in rows)

    return _Phrases(lines, replies("replies"), replies("answers"))


def lines(bank: str) -> tuple[str, ...]:
    """Lines by their name in the file: `greetings`, `farewells`, `smalltalk`, `surprise` ..."""
    return _phrases().lines[bank]


def is_from(bank: str, text: str) -> bool:
    """Whether a text ends with one of these lines, whatever fills its braces."""
    return any(re.search(re.sub(r"\\\{\w+\\\}", ".+", re.escape(line)) + "$", text) for line in lines(bank))


def reply_to(text: str) -> tuple[str, ...]:
    """Lines that answer a statement which matches a known pattern; empty for all others."""
    return _first(_phrases().replies, text)


def answer_to(text: str) -> tuple[str, ...]:
    """Lines that answer a question about the NPC here and now, which no memory answers; empty for all others."""
    return _first(_phrases().answers, text)


def needs_no_memory(text: str) -> bool:
    """Whether such an answer comes before any search of memory: `Tell me a joke!`"""
    plain = lowered(text)
    return any(reply.first and reply.heard.search(plain) for reply in _phrases().answers)


def _first(known: tuple[_Reply, ...], text: str) -> tuple[str, ...]:
    plain = lowered(text)
    return next((reply.lines for reply in known if reply.heard.search(plain)), ())
