"""What things are for: a lexicon by what they are called, for instinct to find the stove for `fry the eggs` where no action says so.

The lexicon is `data/uses.toml`. A game's own words count before it (see `places.suit`): it only helps where they are silent.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from npc_server.cognition.stems import telling

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PHRASE = 1.5
"""What an entry of several words says, next to a word that belongs to one kind of thing alone."""
_ASIDE = re.compile(r"\b(?:of|in|by|at|for|with|on|under|near|beside)\b")
Stems = frozenset[str]


@dataclass(frozen=True)
class Use:
    """One thing to do with a kind of thing, by the words that mean it."""

    words: dict[str, float]
    """How much each says: less where many kinds of things share it."""
    phrases: tuple[Stems, ...]

    def strength(self, wanted: Collection[str]) -> float:
        """How much of an activity's telling words means this use."""
        single = sum(self.words.get(word, 0.0) for word in wanted)
        return single + sum(PHRASE for phrase in self.phrases if phrase.issubset(wanted))

    def means(self, action: Collection[str]) -> bool:
        """Whether an action, by its telling words, is of this use."""
        return bool(self.words.keys() & action) or any(phrase.issubset(action) for phrase in self.phrases)


@dataclass(frozen=True)
class _Kind:
    called: tuple[Stems, ...]
    uses: tuple[Use, ...]


@cache
def _kinds() -> tuple[_Kind, ...]:
    data = tomllib.loads(resources.files("npc_server").joinpath("data/uses.toml").read_text(encoding="utf-8"))
    lists = {name: [_entries(use) for use in kind["for"]] for name, kind in data.items()}
    shared = Counter(word for uses in lists.values() for word in {next(iter(e)) for use in uses for e in use if len(e) == 1})
    return tuple(_Kind(tuple(_entries(kind["called"])), tuple(_use(use, shared) for use in lists[name])) for name, kind in data.items())


def _entries(text: str) -> list[Stems]:
    return [stems for entry in text.split(",") if (stems := frozenset(telling(entry)))]


def _use(entries: Iterable[Stems], shared: Counter[str]) -> Use:
    entries = list(dict.fromkeys(entries))
    words = {word: shared[word] ** -0.5 for entry in entries if len(entry) == 1 for word in entry}
    return Use(words, tuple(entry for entry in entries if len(entry) > 1))


@lru_cache(maxsize=16384)
def uses_of(name: str, description: str = "") -> tuple[Use, ...]:
    """The uses of a thing by its name; by its description where its name says nothing."""
    head = _ASIDE.split(name.lower())[0]
    found = _called(telling(head)) or _called(telling(name))
    return tuple(use for kind in found or _described(description) for use in kind.uses)


def _called(name: tuple[str, ...]) -> list[_Kind]:
    """The kinds a name tells, by its last word if that tells one: a `garden gate` is a gate."""
    found = _matching(frozenset(name))
    last = [(kind, stems) for kind, stems in found if name[-1] in stems]
    return [kind for kind, _ in last or found]


def _described(description: str) -> list[_Kind]:
    return [kind for kind, _ in _matching(frozenset(telling(description)))]


def _matching(words: Stems) -> list[tuple[_Kind, Stems]]:
    """Kinds with the name found in the words, without those whose name is part of a longer one: a `map table` is no table."""
    found = [(kind, stems) for kind in _kinds() for stems in kind.called if stems <= words]
    longest = [(kind, stems) for kind, stems in found if not any(stems < other for _, other in found)]
    return list({id(kind): (kind, stems) for kind, stems in longest}.values())
