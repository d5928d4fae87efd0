"""Words levelled: inflections and words for the same thing become one, so that `stole`, `stolen` and `theft` meet.

A table of what is irregular and a few endings do it; a wrong level costs a comparison, not a fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from npc_server.data_files import read_toml
from npc_server.english.stems import stem
from npc_server.english.text import undotted

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
    low: str
    level: str
    first: bool
    """Whether a sentence begins with it: then a capital says nothing."""
    owner: bool = False
    """Whether it was `Mara's`."""

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()

    @property
    def word(self) -> bool:
        return self.text[0].isalnum()


@cache
def data() -> dict[str, Any]:
    """The file of words."""
    found: dict[str, Any] = read_toml("answer_match.toml")
    return found


@cache
def listed(name: str) -> frozenset[str]:
    """One of the file's lists of words, as they are written."""
    return frozenset(data()["words"][name].split())


@cache
def levels_listed(name: str) -> frozenset[str]:
    """One of the file's lists of words, levelled."""
    return frozenset(level(word) for word in listed(name))


@cache
def all_prepositions() -> frozenset[str]:
    """Of places and of everything else, but `of`: what follows that belongs to the noun before it."""
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
def _same() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in data()["same"]["groups"]:
        words = [plain_level(word) for word in line.split()]
        for word in words:
            found.setdefault(word, found.get(words[0], words[0]))
    return found


@cache
def verbs() -> frozenset[str]:
    """Levels of the verbs that are known as such."""
    return frozenset(map(level, (*_irregular().values(), *data()["verbs"]["regular"].split())))


def irregular(low: str) -> str:
    """The verb or noun of which a word is a form that no ending tells: `stole` is of `steal`; nothing for all others."""
    return _irregular().get(low, "")


def is_bent(low: str) -> bool:
    """Whether a word looks like a participle."""
    base = _irregular().get(low)
    if base is not None:
        return base != low or low in ("cut", "shut", "hurt", "put", "set", "hit", "split", "spread", "born")
    return len(low) > 4 and low.endswith(("ing", "ed", "en"))


@lru_cache(maxsize=65536)
def level(word: str) -> str:
    """The form under which a small word is compared."""
    plain = plain_level(word)
    return _same().get(plain, plain)


def plain_level(word: str) -> str:
    """Without its inflection."""
    base = _irregular().get(word)
    if base is None:
        for particle in _PARTICLES:
            if word.endswith(particle) and len(word) - len(particle) >= 4:
                word = word[: -len(particle)]
        base = _irregular().get(word, word)
    return stem(base)


@lru_cache(maxsize=1024)
def read(text: str) -> tuple[Word, ...]:
    """The words of a text and the signs between its clauses."""
    text = _IS.sub(r"\1 is", _NOT.sub(" not", undotted(text)))
    found: list[Word] = []
    first = True
    for token in _TOKEN.findall(text):
        bare = _APOSTROPHE.split(token)[0]
        low = bare.casefold()
        found.append(Word(bare, low, level(low) if bare[0].isalpha() else low, first, bare != token and token[-2:].lower() in ("'s", "’s")))
        first = token in ".!?:"
    return tuple(found)


@lru_cache(maxsize=32768)
def levels(text: str) -> frozenset[str]:
    """The levels of a text's telling words. Thousands of texts are asked for at once: this looks at words only."""
    return frozenset(filter(None, map(_telling, _WORDS.findall(text.casefold()))))


@lru_cache(maxsize=65536)
def _telling(word: str) -> str:
    """The level of a word, and nothing where it tells nothing."""
    bare = _APOSTROPHE.split(word)[0]
    if bare in listed("empty") or _NOT.search(word):
        return ""
    return level(bare) if bare[0].isalpha() else bare
