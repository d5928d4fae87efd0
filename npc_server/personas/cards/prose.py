"""The texts of a card as facts and lines: macros, sentences, and the notation of examples. Only the ends of sentences are read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from npc_server.english.text import ended, facts
from npc_server.records import LINE_CHARS
from npc_server.visible import STEERING

_CHAR = re.compile(r"\{\{char\}\}|<bot>|<char>", re.IGNORECASE)
_USER = re.compile(r"\{\{user\}\}|<user>", re.IGNORECASE)
_COMMENT = re.compile(r"\{\{(//|hidden_key:|comment:)[^}]*\}\}", re.IGNORECASE)
_DEED = re.compile(r"\*+[^*]*\*+")
"""`*smiles*`: what somebody does, among what they say."""
_START = re.compile(r"<start>", re.IGNORECASE)
_IN_QUOTES = re.compile(r"[\"“„«]([^\"“”„«»]+)[\"”“»]")
_ENDS = (".", "!", "?", "…", ",", "-", "–", "—", "~")
_SPEAKER = re.compile(r"^\s*(\{\{user\}\}|\{\{char\}\}|<user>|<bot>)\s*:\s*", re.IGNORECASE)
_BULLET = re.compile(r"^[\s>#•*\-–+]+(?=\S)|\*\*|__")
"""Marks of lists and headings at the start of a line, and of strong words."""
_GOES_ON = ("he", "him", "his", "she", "her", "it", "its", "they", "them", "their", "this", "these", "that", "those")


@dataclass(frozen=True)
class MacroNames:
    """What stands for the macros of a card."""

    char: str
    user: str = ""
    """The player's name; empty if there is none, and then no text with `{{user}}` is used."""

    def filled(self, text: str) -> str | None:
        """The text with names in it. None if it speaks of the player, who has no name."""
        text = _CHAR.sub(lambda _: self.char, _COMMENT.sub("", text))
        if not _USER.search(text):
            return text
        return _USER.sub(lambda _: self.user, text) if self.user else None


MOST_SENTENCES, LINE_READ = 10_000, 20_000
"""So many sentences of a text are read, and so many characters of each line."""


@dataclass(frozen=True)
class Prose:
    """What the prose of a card says, and how many sentences were left out because they speak of a player without a name."""

    facts: tuple[str, ...]
    about_user: int = 0
    is_cut: bool = False
    """Whether it is longer than what is read."""
    openings: frozenset[str] = frozenset()
    """The facts that begin a line."""


def prose(texts: Iterable[str], names: MacroNames) -> Prose:
    """Each sentence of the texts once, as a fact. A line ends a sentence."""
    found: dict[str, None] = {}
    openings = set[str]()
    left_out = count = 0
    for line in (line for text in texts for line in text.splitlines()):
        said = facts(_BULLET.sub("", STEERING.sub("", line[:LINE_READ])))
        count += max(1, len(said)) + (MOST_SENTENCES if len(line) > LINE_READ else 0)
        for number, fact in enumerate(said):
            named = names.filled(fact)
            if named is None:
                left_out += 1
            elif any(letter.isalnum() for letter in named):
                plain = " ".join(named.split())
                found.setdefault(plain)
                openings |= {plain} if number == 0 else set()
        if count > MOST_SENTENCES:
            break
    return Prose(tuple(found), left_out, count > MOST_SENTENCES, frozenset(openings))


def spoken(text: str, names: MacroNames) -> str:
    """A text as a line that is said aloud; empty if it is none: too long, only deeds, or to a player without a name."""
    named = names.filled(_DEED.sub(" ", STEERING.sub("", text[:LINE_READ])))
    said = _speech(" ".join((named or "").split()))
    return said if len(said) <= LINE_CHARS and any(letter.isalnum() for letter in said) else ""


def _speech(text: str) -> str:
    """What is said in a text. Where parts in quotation marks end like sentences, these are the speech, and the rest tells of it."""
    parts = [part.strip() for part in _IN_QUOTES.findall(text)]
    if not parts or not all(part.endswith(_ENDS) for part in parts):
        return text.strip('"“”„« »').strip()
    said = " ".join(parts)
    return f"{said[:-1]}." if said.endswith(",") else said


def exchanges(example: str, names: MacroNames) -> list[tuple[str, str]]:
    """What was heard and answered in the example messages, where both fit on a line."""
    found: list[tuple[str, str]] = []
    for talk in _START.split(example[: 5 * LINE_READ]):
        turns: list[tuple[bool, str]] = []
        for line in talk.splitlines():
            speaker = _SPEAKER.match(line)
            if speaker:
                turns.append(("user" in speaker[1].lower(), line[speaker.end() :]))
            elif turns:
                turns[-1] = (turns[-1][0], f"{turns[-1][1]} {line}")
        for (by_user, heard), (by_next, said) in zip(turns, turns[1:], strict=False):
            lines = spoken(heard, names), spoken(said, names)
            if by_user and not by_next and all(lines):
                found.append(lines)
    return found


def lore(content: str) -> str:
    """The content of a book's entry without decorators, which are lines that begin with `@@`."""
    return "\n".join(line for line in content.splitlines() if not line.lstrip().startswith("@@"))


def with_context(entry: Prose) -> list[str]:
    """The facts of an entry, where a sentence that begins with "he" or "it" stays with the one before it."""
    found: list[str] = []
    for fact in entry.facts:
        if found and fact.split()[0].lower() in _GOES_ON:
            found[-1] = f"{ended(found[-1])} {fact}"
        else:
            found.append(fact)
    return found
