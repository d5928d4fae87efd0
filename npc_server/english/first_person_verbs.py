"""Verb forms and other word classes for `first_person`, by the word lists in `data/first_person.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from npc_server.data_files import read_toml

_KEPT = 4096
"""Entries of each cache."""


@dataclass(frozen=True)
class Lists:
    words: dict[str, frozenset[str]]
    change: dict[str, dict[str, str]]
    base: dict[str, str]
    irregular: dict[str, str]
    """The base of each irregular form."""


@cache
def lists() -> Lists:
    data = read_toml("first_person.toml")
    words = {name: frozenset(line.split()) for name, line in data.items() if isinstance(line, str)}
    irregular = {form: verb.split()[0] for verb in data["irregular"].split(",") for form in verb.split()}
    return Lists(words, data["change"], data["base"], irregular)


def listed(word: str, *names: str) -> bool:
    """Whether a word is on one of the named lists."""
    words = lists().words
    return any(word in words[name] for name in names)


@lru_cache(_KEPT)
def verb_base(word: str) -> str:
    """The base of a verb form in -s; empty for other words."""
    if listed(word, "not_verb") or len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "'s")):
        return ""
    if word in lists().base:
        return lists().base[word]
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) else word[:-1]


@lru_cache(_KEPT)
def verb_form(word: str) -> str:
    """The verb form that a word may be: "s", "past", "modal", "base", or empty."""
    if listed(word, "auxiliary"):
        return "s" if word in lists().change["you"] and word not in ("was", "wasn't") else "past"
    if listed(word, "modal"):
        return "modal"
    if listed(word, "past") or (word.endswith("ed") and len(word) > 3 and not listed(word, "not_form")):
        return "past"
    if listed(word, "verb"):
        return "base"
    return "s" if verb_base(word) else ""


def is_finite_verb(word: str) -> bool:
    """Whether a word is a finite verb, and rarely anything else."""
    found = verb_form(word)
    return found in ("past", "modal") or (found == "s" and (listed(word, "auxiliary") or listed(verb_base(word), "verb")))


def verb_stem(word: str) -> str:
    """The form under which the lists of verbs have a word."""
    known = lists().irregular.get(word)
    if known:
        return known
    if word.endswith("ed"):
        return word[:-1] if listed(word[:-1], "verb") else word[:-2]
    return verb_base(word) or word


def is_function_word(word: str) -> bool:
    """Whether a word is a function word, such as a preposition or a pronoun. Also true for an empty word."""
    kinds = ("joining", "preposition", "determiner", "pronoun", "adverb", "auxiliary", "modal", "subordinate", "between")
    return not word or listed(word, *kinds)


def gender_of(word: str) -> str:
    """The gender of a noun that means a person: "m", "f" or "?" (either); empty for all other words."""
    return next((mark for mark, name in (("m", "man"), ("f", "woman"), ("?", "anyone")) if listed(word, name)), "")
