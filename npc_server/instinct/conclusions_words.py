"""Word lists for conclusions (`data/conclusions.toml`), as terms where texts are compared by terms."""

from __future__ import annotations

from functools import cache
from typing import Any

from npc_server.data_files import read_toml
from npc_server.english.normalize import lemma, listed, listed_terms, term_of


@cache
def data() -> dict[str, Any]:
    """All of `data/conclusions.toml`."""
    return read_toml("conclusions.toml")


@cache
def tone_words() -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    """For each tone the terms of its words, and its phrases."""
    return {name: (_levels(tone["words"]), tuple(tone.get("phrases", ()))) for name, tone in data()["tones"].items()}


@cache
def family_words() -> dict[str, tuple[frozenset[str], frozenset[str], tuple[str, ...]]]:
    """For each subject with many words: their terms, its kinds of `poignancy.toml`, and its wordings."""
    return {
        name: (_levels(family["words"]), frozenset(family["kinds"].split()), tuple(family["wordings"]))
        for name, family in data()["families"].items()
    }


def _levels(words: str) -> frozenset[str]:
    return frozenset(term_of(word) for word in words.split())


@cache
def trouble() -> frozenset[str]:
    """Terms of the words that say that something is wrong."""
    return _levels(data()["words"]["trouble"])


@cache
def persons() -> frozenset[str]:
    """Nouns for people who are not named: `miller`, `child`."""
    found = listed("persons") | frozenset(data()["words"]["persons"].split())
    return frozenset(word for word in found if not word.endswith("s") or word.endswith("ss"))


@cache
def no_topics() -> frozenset[str]:
    """Terms that are never a topic."""
    names = data()["lists"]["no_topics"].split()
    words = listed("auxiliaries") | frozenset(data()["words"]["no_topic"].split())
    return frozenset().union(*map(listed_terms, names)) | frozenset(map(term_of, words)) | frozenset(map(lemma, words))


@cache
def no_names() -> frozenset[str]:
    """Words that are no names, even when capitalized."""
    names = data()["lists"]["no_names"].split()
    return frozenset().union(*map(listed, names), data()["words"]["no_topic"].split()) - listed("titles")
