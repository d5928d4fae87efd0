"""Likeness of words that are not the same: a fever is an illness, who bakes sells bread, beehives are hives.

The file of words has lines of what is said of one matter and kinds with what belongs to them; endings and compounds are seen here.
"""

from __future__ import annotations

from functools import cache, lru_cache

from npc_server.english.normalize import data, level

SAME, KIND, KIN, MATTER, GENERAL = 1.0, 0.9, 0.85, 0.7, 0.5
"""How much alike two words are: levelled to the same, a kind and its member, of one family, of one matter, a member and its kind."""
_ENDINGS = ("ance", "ence", "ment", "ness", "tion", "ion", "ery", "ing", "ful", "ist", "er", "or", "al", "ly", "y", "i", "e")
_BEGINNINGS = ("un", "re")


@lru_cache(maxsize=65536)
def alike(asked: str, said: str) -> float:
    """How much a word of a memory is like a word of a question. Both are levels."""
    if asked == said:
        return SAME
    if said in _members().get(asked, ()):
        return KIND
    if _kin(asked, said):
        return KIN
    if _matters().get(asked, frozenset()) & _matters().get(said, frozenset()):
        return MATTER
    return GENERAL if asked in _members().get(said, ()) else 0.0


def _kin(one: str, other: str) -> bool:
    """`roof` and `roofer`, `hive` and `beehive`."""
    short, long = sorted((one, other), key=len)
    if len(short) < 4:
        return False
    if len(long) - len(short) >= 3 and (long.endswith(short) or long.startswith(short)) and len(short) > 3:
        return True
    return bool(_roots(one) & _roots(other))


@lru_cache(maxsize=65536)
def _roots(word: str) -> frozenset[str]:
    """What may be left of a word without one beginning and one ending."""
    found = {word}
    for beginning in _BEGINNINGS:
        if word.startswith(beginning) and len(word) - len(beginning) >= 4:
            found.add(word[len(beginning) :])
    for root in tuple(found):
        found.update(root[: -len(ending)] for ending in _ENDINGS if root.endswith(ending) and len(root) - len(ending) >= 4)
    return frozenset(found)


@cache
def _matters() -> dict[str, frozenset[int]]:
    """For every word the lines that it stands in."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(data()["near"]["groups"]):
        for word in line.split():
            found.setdefault(level(word), set()).add(number)
    return {word: frozenset(lines) for word, lines in found.items()}


@cache
def _members() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for kind, members in data()["near"]["kinds"].items():
        found[level(kind)] = found.get(level(kind), frozenset()) | {level(word) for word in members.split()}
    return found
