"""Similarity of different words: a fever is an illness, a baker sells bread, beehives are hives.

`data/answer_match.toml` has groups of related words and kinds with their members. Affixes and compounds are compared here.
"""

from __future__ import annotations

from functools import cache, lru_cache

from npc_server.english.normalize import data, term_of

SAME, HYPONYM, DERIVED, RELATED, HYPERNYM = 1.0, 0.9, 0.85, 0.7, 0.5
"""Similarity of two terms: equal, kind and member, derived from the same root, related by topic, member and kind."""
_SUFFIXES = ("ance", "ence", "ment", "ness", "tion", "ion", "ery", "ing", "ful", "ist", "er", "or", "al", "ly", "y", "i", "e")
_PREFIXES = ("un", "re")


@lru_cache(maxsize=65536)
def similarity(asked: str, said: str) -> float:
    """How similar a term of a memory is to a term of a question, from 0 to 1."""
    if asked == said:
        return SAME
    if said in _hyponyms().get(asked, ()):
        return HYPONYM
    if _is_derived(asked, said):
        return DERIVED
    if _related_lines().get(asked, frozenset()) & _related_lines().get(said, frozenset()):
        return RELATED
    return HYPERNYM if asked in _hyponyms().get(said, ()) else 0.0


def _is_derived(one: str, other: str) -> bool:
    """Whether one is derived from the other or contains it: `roof` and `roofer`, `hive` and `beehive`."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4:
        return False
    if len(long) - len(short) >= 3 and (long.endswith(short) or long.startswith(short)) and len(short) > 3:
        return True
    return bool(_roots(one) & _roots(other))


@lru_cache(maxsize=65536)
def _roots(word: str) -> frozenset[str]:
    """A word without one prefix and one suffix, in every combination."""
    found = {word}
    for beginning in _PREFIXES:
        if word.startswith(beginning) and len(word) - len(beginning) >= 4:
            found.add(word[len(beginning) :])
    for root in tuple(found):
        found.update(root[: -len(ending)] for ending in _SUFFIXES if root.endswith(ending) and len(root) - len(ending) >= 4)
    return frozenset(found)


@cache
def _related_lines() -> dict[str, frozenset[int]]:
    """For each term the numbers of the groups that it is in."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(data()["near"]["groups"]):
        for word in line.split():
            found.setdefault(term_of(word), set()).add(number)
    return {word: frozenset(lines) for word, lines in found.items()}


@cache
def _hyponyms() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for kind, members in data()["near"]["kinds"].items():
        found[term_of(kind)] = found.get(term_of(kind), frozenset()) | {term_of(word) for word in members.split()}
    return found
