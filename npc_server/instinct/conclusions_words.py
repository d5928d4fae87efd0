"""The word lists of conclusions (`data/conclusions.toml`), as levels where they are looked up so."""

from __future__ import annotations

from functools import cache
from typing import Any

from npc_server.data_files import read_toml
from npc_server.english.normalize import level, levels_listed, listed, plain_level


@cache
def data() -> dict[str, Any]:
    """All of `data/conclusions.toml`."""
    return read_toml("conclusions.toml")


@cache
def tone_words() -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    """Of each tone the levels of its words, and its phrases."""
    return {name: (_levels(tone["words"]), tuple(tone.get("phrases", ()))) for name, tone in data()["tones"].items()}


@cache
def family_words() -> dict[str, tuple[frozenset[str], frozenset[str], tuple[str, ...]]]:
    """Of each family the levels of its words, its kinds of what is out of the ordinary, and its wordings."""
    return {
        name: (_levels(family["words"]), frozenset(family["kinds"].split()), tuple(family["wordings"]))
        for name, family in data()["families"].items()
    }


def _levels(words: str) -> frozenset[str]:
    return frozenset(level(word) for word in words.split())


@cache
def trouble() -> frozenset[str]:
    """Levels of the words that tell of something wrong."""
    return _levels(data()["words"]["trouble"])


@cache
def persons() -> frozenset[str]:
    """What people are called who are not named: the miller, a child."""
    found = listed("persons") | frozenset(data()["words"]["persons"].split())
    return frozenset(word for word in found if not word.endswith("s") or word.endswith("ss"))


@cache
def no_topics() -> frozenset[str]:
    """Levels of the words that no theme is about."""
    names = data()["lists"]["no_topics"].split()
    words = listed("auxiliaries") | frozenset(data()["words"]["no_topic"].split())
    return frozenset().union(*map(levels_listed, names)) | frozenset(map(level, words)) | frozenset(map(plain_level, words))


@cache
def no_names() -> frozenset[str]:
    """Words that are no names, though they may have a capital."""
    names = data()["lists"]["no_names"].split()
    return frozenset().union(*map(listed, names), data()["words"]["no_topic"].split()) - listed("titles")
