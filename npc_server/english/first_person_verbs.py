"""What form of a verb an English word may be, and what other kinds of words there are, by the lists in data/first_person.toml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from npc_server.data_files import read_toml
from npc_server.english.normalize import irregular

_KEPT = 4096
"""How many words are kept with what was found of them, the latest."""


@dataclass(frozen=True)
class Lists:
    words: dict[str, frozenset[str]]
    change: dict[str, dict[str, str]]
    base: dict[str, str]


@cache
def lists() -> Lists:
    data = read_toml("first_person.toml")
    words = {name: frozenset(line.split()) for name, line in data.items() if isinstance(line, str)}
    return Lists(words, data["change"], data["base"])


def listed(word: str, *names: str) -> bool:
    """Whether a word is on one of the lists of these names."""
    words = lists().words
    return any(word in words[name] for name in names)


@lru_cache(_KEPT)
def base(word: str) -> str:
    """The verb of which this is the form with -s; nothing when it has none."""
    if listed(word, "not_verb") or len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "'s")):
        return ""
    if word in lists().base:
        return lists().base[word]
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) else word[:-1]


@lru_cache(_KEPT)
def form(word: str) -> str:
    """What form of a verb a word may be: "s", "past", "modal", "base" or none."""
    if listed(word, "auxiliary"):
        return "s" if word in lists().change["you"] and word not in ("was", "wasn't") else "past"
    if listed(word, "modal"):
        return "modal"
    if listed(word, "past") or (word.endswith("ed") and len(word) > 3 and not listed(word, "not_form")):
        return "past"
    if listed(word, "verb"):
        return "base"
    return "s" if base(word) else ""


def sure(word: str) -> bool:
    """Whether a word is a finite verb and hardly anything else."""
    found = form(word)
    return found in ("past", "modal") or (found == "s" and (listed(word, "auxiliary") or listed(base(word), "verb")))


def stem(word: str) -> str:
    """A word for looking it up among the verbs that take something special."""
    known = irregular(word)
    if known:
        return known
    if word.endswith("ed"):
        return word[:-1] if listed(word[:-1], "verb") else word[:-2]
    return base(word) or word


def plain(word: str) -> bool:
    """Whether a word is none of those that name or describe something."""
    kinds = ("joining", "preposition", "determiner", "pronoun", "adverb", "auxiliary", "modal", "subordinate", "between")
    return not word or listed(word, *kinds)


def kind(word: str) -> str:
    """Whether a word is one for a man (m), for a woman (f) or for somebody who may be either (?); nothing for all others."""
    return next((mark for mark, name in (("m", "man"), ("f", "woman"), ("?", "anyone")) if listed(word, name)), "")
