"""Uses of objects, by their names: instinct finds the stove for `fry the eggs` even if no action of it says so.

The lexicon is `data/uses.toml`. An object's own actions count more (see `instinct.object_fit`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from npc_server.data_files import read_toml
from npc_server.english.stems import content_stems

PHRASE_WEIGHT = 1.5
"""Weight of an entry of several words. A word that only one kind of object has weighs 1."""
_ASIDE = re.compile(r"\b(?:of|in|by|at|for|with|on|under|near|beside)\b")
_PLAIN_HEADS = frozenset(content_stems("rack stand box chest shelf case cabinet table bench chair room station seat window machine"))
"""Last words that say less than the word before them: a `bicycle rack` is for bicycles."""
LIGHT_VERBS = frozenset(content_stems("be get go have make put take do set keep bring give use find look see check try start"))
"""Verbs that say little about an activity."""
Stems = frozenset[str]


@dataclass(frozen=True)
class _Kind:
    called: tuple[Stems, ...]
    uses: tuple[int, ...]


@dataclass(frozen=True)
class _Lexicon:
    kinds: tuple[_Kind, ...]
    words: dict[str, dict[int, float]]
    """The uses that each word means, with its weight: the more kinds of objects share a word, the less it weighs."""
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
    return list(dict.fromkeys(stems for entry in text.split(",") if (stems := frozenset(content_stems(entry)))))


@lru_cache(maxsize=1024)
def uses_of_activity(activity: str) -> dict[int, float]:
    """The uses that an activity means, with their weights. Cached: do not change it."""
    found: dict[int, float] = {}
    wanted = frozenset(content_stems(activity))
    for word in sorted(wanted):
        for use, value in _lexicon().words.get(word, {}).items():
            found[use] = found.get(use, 0.0) + value
    for phrase, use in _lexicon().phrases:
        if phrase <= wanted:
            found[use] = found.get(use, 0.0) + PHRASE_WEIGHT
    return found


@lru_cache(maxsize=4096)
def uses_of_action(action: str) -> dict[int, float]:
    """The uses that an object's action belongs to, each with the share of its words that say so. Cached: do not change it."""
    said = [word for word in content_stems(action) if word not in LIGHT_VERBS] or list(content_stems(action))
    found: dict[int, float] = {}
    for word in said:
        for use in _lexicon().words.get(word, ()):
            found[use] = found.get(use, 0.0) + 1.0 / len(said)
    for phrase, use in _lexicon().phrases:
        if phrase.issubset(content_stems(action)):
            found[use] = 1.0
    return found


@lru_cache(maxsize=16384)
def uses_of_thing(name: str, description: str = "") -> frozenset[int]:
    """The uses of an object by its name, or by its description when the name says nothing."""
    head = _ASIDE.split(name.lower())[0]
    kinds = (
        _called(content_stems(head))
        or _called(content_stems(name))
        or [kind for kind, _ in _matching(frozenset(content_stems(description)))]
    )
    return frozenset(use for kind in kinds for use in kind.uses)


def _called(name: tuple[str, ...]) -> list[_Kind]:
    """The kinds that a name means. Its last word decides if it can: a `garden gate` is a gate."""
    found = _matching(frozenset(name))
    last = [(kind, stems) for kind, stems in found if name[-1] in stems and not (len(stems) == 1 and stems <= _PLAIN_HEADS)]
    return [kind for kind, _ in last or found]


def _matching(words: Stems) -> list[tuple[_Kind, Stems]]:
    """Kinds whose name is among the words. A longer name wins over a shorter one in it: a `map table` is no table."""
    found = [(kind, stems) for kind in _lexicon().kinds for stems in kind.called if stems <= words]
    return [(kind, stems) for kind, stems in found if not any(stems < other for _, other in found)]
