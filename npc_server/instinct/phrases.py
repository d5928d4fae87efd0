"""Phrases: what people say when there is nothing to tell, from `data/small_talk.toml`. A persona's own lines go before them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from npc_server.data_files import read_toml
from npc_server.english.text import small


@dataclass(frozen=True)
class _Reply:
    heard: re.Pattern[str]
    lines: tuple[str, ...]
    first: bool
    """Whether no memory is looked for."""


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
    """The lines of a bank: `greetings`, `farewells`, `smalltalk`, `surprise` ..."""
    return _phrases().lines[bank]


def is_from(bank: str, text: str) -> bool:
    """Whether a text ends with a line of a bank, whatever stands in its braces."""
    return any(re.search(re.sub(r"\\\{\w+\\\}", ".+", re.escape(line)) + "$", text) for line in lines(bank))


def reply_to(text: str) -> tuple[str, ...]:
    """What one may say to words that ask nothing, by how they sound; empty when they sound like nothing known."""
    return _first(_phrases().replies, text)


def answer_to(text: str) -> tuple[str, ...]:
    """What one may say to a question about oneself here and now, which no memory answers; empty for all others."""
    return _first(_phrases().answers, text)


def needs_no_memory(text: str) -> bool:
    """Whether such an answer is given before any memory is looked for: `Tell me a joke!`"""
    plain = small(text)
    return any(reply.first and reply.heard.search(plain) for reply in _phrases().answers)


def _first(known: tuple[_Reply, ...], text: str) -> tuple[str, ...]:
    plain = small(text)
    return next((reply.lines for reply in known if reply.heard.search(plain)), ())
