"""What things are for: a lexicon by what they are called, for instinct to find the stove for `fry the eggs` where no action says so.

The lexicon is `data/uses.toml`. A game's own words count before it (see `places.suit`): it only helps where they are silent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from npc_server.data_files import read_toml
from npc_server.english.stems import telling

PHRASE = 1.5
"""What an entry of several words says, next to a word that belongs to one kind of thing alone."""
_ASIDE = re.compile(r"\b(?:of|in|by|at|for|with|on|under|near|beside)\b")
_PLAIN_HEADS = frozenset(telling("rack stand box chest shelf case cabinet table bench chair room station seat window machine"))
"""Last words of names whose first word tells as much: a `bicycle rack` is for bicycles."""
LIGHT = frozenset(telling("be get go have make put take do set keep bring give use find look see check try start"))
"""Verbs that say little about what is done."""
Stems = frozenset[str]


@dataclass(frozen=True)
class _Kind:
    called: tuple[Stems, ...]
    uses: tuple[int, ...]


@dataclass(frozen=True)
class _Lexicon:
    kinds: tuple[_Kind, ...]
    words: dict[str, dict[int, float]]
    """Which uses a word means, and how much it says: less where many kinds of things share it."""
    phrases: tuple[tuple[Stems, int], ...]


@cache
def _lexicon() -> _Lexicon:
    data = read_toml("uses.toml")
    kinds: list[_Kind] = []
    meaning: dict[str, dict[int, int]] = {}
    phrases: list[tuple[Stems, int]] = []
    number = 0
    for i, kind in enumerate(data.values()):
        uses = tuple(range(number, number + len(kind["for"])))
        number += len(uses)
        kinds.append(_Kind(tuple(_entries(kind["called"])), uses))
        for use, text in zip(uses, kind["for"], strict=True):
            for entry in _entries(text):
                if len(entry) == 1:
                    meaning.setdefault(next(iter(entry)), {})[use] = i
                else:
                    phrases.append((entry, use))
    words = {word: dict.fromkeys(sorted(uses), len(set(uses.values())) ** -0.5) for word, uses in meaning.items()}
    return _Lexicon(tuple(kinds), words, tuple(phrases))


def _entries(text: str) -> list[Stems]:
    return list(dict.fromkeys(stems for entry in text.split(",") if (stems := frozenset(telling(entry)))))


@lru_cache(maxsize=1024)
def meant(activity: str) -> dict[int, float]:
    """The uses that an activity means, and how much of it does. Not to be changed."""
    found: dict[int, float] = {}
    wanted = frozenset(telling(activity))
    for word in sorted(wanted):
        for use, value in _lexicon().words.get(word, {}).items():
            found[use] = found.get(use, 0.0) + value
    for phrase, use in _lexicon().phrases:
        if phrase <= wanted:
            found[use] = found.get(use, 0.0) + PHRASE
    return found


@lru_cache(maxsize=4096)
def of_action(action: str) -> dict[int, float]:
    """The uses that a declared action is of, each with the share of its words that says so. Not to be changed."""
    said = [word for word in telling(action) if word not in LIGHT] or list(telling(action))
    found: dict[int, float] = {}
    for word in said:
        for use in _lexicon().words.get(word, ()):
            found[use] = found.get(use, 0.0) + 1.0 / len(said)
    for phrase, use in _lexicon().phrases:
        if phrase.issubset(telling(action)):
            found[use] = 1.0
    return found


@lru_cache(maxsize=16384)
def uses_of(name: str, description: str = "") -> frozenset[int]:
    """The uses of a thing by its name; by its description where its name says nothing."""
    head = _ASIDE.split(name.lower())[0]
    kinds = _called(telling(head)) or _called(telling(name)) or [kind for kind, _ in _matching(frozenset(telling(description)))]
    return frozenset(use for kind in kinds for use in kind.uses)


def _called(name: tuple[str, ...]) -> list[_Kind]:
    """The kinds a name tells, by its last word if that tells one: a `garden gate` is a gate."""
    found = _matching(frozenset(name))
    last = [(kind, stems) for kind, stems in found if name[-1] in stems and not (len(stems) == 1 and stems <= _PLAIN_HEADS)]
    return [kind for kind, _ in last or found]


def _matching(words: Stems) -> list[tuple[_Kind, Stems]]:
    """Kinds with the name found in the words, without those whose name is part of a longer one: a `map table` is no table."""
    found = [(kind, stems) for kind in _lexicon().kinds for stems in kind.called if stems <= words]
    return [(kind, stems) for kind, stems in found if not any(stems < other for _, other in found)]
