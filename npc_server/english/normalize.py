"""Normalizing words: inflections and synonyms become one term, so that `stole`, `stolen` and `theft` match.

A table of irregular forms, a stemmer and groups of synonyms do it (`data/answer_match.toml`). A wrong term costs a match, not a fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from npc_server.data_files import read_toml
from npc_server.english.stems import stem
from npc_server.english.text import without_title_dots

_TOKEN = re.compile(r"\d+(?:[:.,]\d+)*(?:st|nd|rd|th)?|[^\W\d_]+(?:['’][^\W\d_]+)*|[.!?;:,]")
_WORDS = re.compile(r"\d+(?:[:.,]\d+)*(?:st|nd|rd|th)?|[^\W\d_]+(?:['’][^\W\d_]+)*")
_APOSTROPHE = re.compile("['’]")
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
_IS = re.compile(r"\b(who|what|where|when|how|why)['’]s\b", re.IGNORECASE)
_PARTICLES = ("down", "out", "away", "off", "up")


@dataclass(frozen=True)
class Word:
    """A word as it stands in a text."""

    text: str
    lower: str
    term: str
    starts_sentence: bool
    """If so, a capital says nothing."""
    is_possessive: bool = False
    """Whether it had an `'s`."""

    @property
    def is_capitalized(self) -> bool:
        return self.text[:1].isupper()

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()


@cache
def data() -> dict[str, Any]:
    """All of `data/answer_match.toml`."""
    found: dict[str, Any] = read_toml("answer_match.toml")
    return found


@cache
def listed(name: str) -> frozenset[str]:
    """One of the file's word lists, as written."""
    return frozenset(data()["words"][name].split())


@cache
def listed_terms(name: str) -> frozenset[str]:
    """The terms of one of the file's word lists."""
    return frozenset(term_of(word) for word in listed(name))


@cache
def prepositions() -> frozenset[str]:
    """All prepositions except `of`, since what follows `of` belongs to the noun before it."""
    return listed("prepositions") | listed("other_prepositions")


@cache
def _irregular() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in data()["verbs"]["irregular"]:
        base, *forms = line.split()
        for form in (base, *forms):
            found.setdefault(form, base)
    return found


@cache
def _synonyms() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in data()["same"]["groups"]:
        words = [lemma(word) for word in line.split()]
        for word in words:
            found.setdefault(word, found.get(words[0], words[0]))
    return found


@cache
def verb_terms() -> frozenset[str]:
    """Terms of the known verbs."""
    return frozenset(map(term_of, (*_irregular().values(), *data()["verbs"]["regular"].split())))


def irregular_base(low: str) -> str:
    """The base of an irregular form, such as `steal` for `stole`; empty for all others."""
    return _irregular().get(low, "")


def is_participle(low: str) -> bool:
    """Whether a word looks like a participle."""
    base = _irregular().get(low)
    if base is not None:
        return base != low or low in ("cut", "shut", "hurt", "put", "set", "hit", "split", "spread", "born")
    return len(low) > 4 and low.endswith(("ing", "ed", "en"))


@lru_cache(maxsize=65536)
def term_of(word: str) -> str:
    """The term of a word in lower case: its lemma, or the one that stands for its synonyms."""
    plain = lemma(word)
    return _synonyms().get(plain, plain)


def lemma(word: str) -> str:
    """A word without its inflection and without a particle at its end (`lockdown`)."""
    base = _irregular().get(word)
    if base is None:
        for particle in _PARTICLES:
            if word.endswith(particle) and len(word) - len(particle) >= 4:
                word = word[: -len(particle)]
        base = _irregular().get(word, word)
    return stem(base)


@lru_cache(maxsize=1024)
def tokenize(text: str) -> tuple[Word, ...]:
    """The words of a text, and the punctuation between its clauses."""
    text = _IS.sub(r"\1 is", _NOT.sub(" not", without_title_dots(text)))
    found: list[Word] = []
    first = True
    for token in _TOKEN.findall(text):
        bare = _APOSTROPHE.split(token)[0]
        low = bare.casefold()
        found.append(
            Word(bare, low, term_of(low) if bare[0].isalpha() else low, first, bare != token and token[-2:].lower() in ("'s", "’s"))
        )
        first = token in ".!?:"
    return tuple(found)


@lru_cache(maxsize=32768)
def terms_of(text: str) -> frozenset[str]:
    """The terms of a text's content words. Cached and simple, since thousands of memories are read for one question."""
    return frozenset(filter(None, map(_content_term, _WORDS.findall(text.casefold()))))


@lru_cache(maxsize=65536)
def _content_term(word: str) -> str:
    """The term of a content word; empty for a stop word."""
    bare = _APOSTROPHE.split(word)[0]
    if bare in listed("empty") or _NOT.search(word):
        return ""
    return term_of(bare) if bare[0].isalpha() else bare
