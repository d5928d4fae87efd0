"""Poignancy: the importance of a memory by its words and its form (Generative Agents, section 4.1).

A linear model over some 3,000 words in `data/poignancy.toml`, grouped by kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from npc_server.data_files import read_toml
from npc_server.english.stems import stem
from npc_server.english.text import quoted
from npc_server.instinct.act import mundane_states
from npc_server.records import MemoryTopic

LONG_WORDS = 9
"""Most words of a short memory."""
_NAME = re.compile(r"\b(?!(?:The|An?|My|His|Her|Our|Your|Their|No|This|That|There|When|If|It|I|Old)\b)[A-Z][\w-]+ [A-Z][\w-]+|['’]s\b")
"""First and family name, such as `Rose Marsh`, and a possessive `'s`. Neither counts as a word."""
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_PASSIVE = re.compile(r"\b(?:was|were|been|be) [a-z]+(?:ed|en|t|wn)\b")
_DOING = re.compile(r"\b(?:is|are|was|were|am) [a-z]+ing\b")
_STATE = re.compile(r"The [\w' -]+? in .+ (?:is|are) ([\w -]+)\.?$")
_THING = re.compile(r"(?:The|An?) .*\b(?:is|are)\b")
_NOW = frozenset(("is", "are", "am", "will", "has", "have", "must", "can"))
_PERFECT = frozenset(("has", "have", "had"))
_DENIED = frozenset(("not", "no", "without", "nothing", "never", "t"))
"""The last is the rest of `don't`."""


@dataclass(frozen=True)
class _Weights:
    start: float
    of: dict[str, float]
    least: dict[str, int]
    grave: frozenset[str]
    everyday: frozenset[str]
    exact: dict[str, str]
    stems: dict[str, str]
    phrases: dict[str, tuple[tuple[tuple[str, ...], str], ...]]
    """By their first stem, the longest phrases first."""


@cache
def _weights() -> _Weights:
    data = read_toml("poignancy.toml")
    kinds = {**data["grave"], **data["further"], **data["everyday"]}
    exact: dict[str, str] = {}
    stems: dict[str, str] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind, entry in kinds.items():
        for words in (part.strip() for part in entry["words"].split(",")):
            found = tuple(stem(word) for word in _WORD.findall(words))
            if words.startswith("="):
                exact[words[1:]] = kind
            elif len(found) == 1:
                stems[found[0]] = kind
            else:
                phrases.setdefault(found[0], []).append((found, kind))
    return _Weights(
        data["start"],
        {**data["form"], **{kind: entry["weight"] for kind, entry in kinds.items()}},
        {kind: entry["least"] for kind, entry in kinds.items() if "least" in entry},
        frozenset(data["grave"]),
        frozenset(data["everyday"]),
        exact,
        stems,
        {first: tuple(sorted(known, key=lambda phrase: -len(phrase[0]))) for first, known in phrases.items()},
    )


def _kinds(words: Sequence[str]) -> list[str]:
    """The kinds of words, each once."""
    known = _weights()
    stems = tuple(stem(word) for word in words)
    found: dict[str, None] = {}
    i = 0
    while i < len(stems):
        phrase = next((it for it in known.phrases.get(stems[i], ()) if stems[i : i + len(it[0])] == it[0]), None)
        kind = phrase[1] if phrase else known.exact.get(words[i]) or known.stems.get(stems[i])
        if kind:
            found[kind] = None
        i += len(phrase[0]) if phrase else 1
    return list(found)


def traits(text: str, topic: MemoryTopic = MemoryTopic.OTHER) -> list[str]:
    """The features of a memory: the kinds of its words, and its form. For a line of talk only the quotation counts."""
    spoken = topic is MemoryTopic.SAID
    text = quoted(text) if spoken else text
    words = _WORD.findall(_NAME.sub(" ", text).lower())
    kinds = _kinds(words)
    grave = sum(kind in _weights().grave for kind in kinds)
    forms = {
        "doing": not grave and _DOING.search(text),
        "thing": not grave and _THING.match(text),
        "perfect": not _PERFECT.isdisjoint(words),
        "past": _NOW.isdisjoint(words),
        "passive": _PASSIVE.search(text),
        "question": "?" in text,
        "spoken": spoken,
        "number": any(char.isdigit() for char in text),
        "long": len(words) > LONG_WORDS,
        "denied": not _DENIED.isdisjoint(words),
        "plain": bool(kinds) and all(kind in _weights().everyday for kind in kinds),
        "grave": grave,
        "graver": grave > 1,
    }
    found = [kind for kind in kinds if not grave or kind not in _weights().everyday]
    return found + [form for form, is_so in forms.items() if is_so]


def trait_names() -> tuple[str, ...]:
    """The names of all features."""
    return tuple(_weights().of)


def importance(text: str, topic: MemoryTopic = MemoryTopic.OTHER) -> int:
    """1 (mundane) to 10 (life changing)."""
    plain = text.lower().rstrip(".! ")
    if any(plain.endswith(f" is {state}") or plain.endswith(f" are {state}") for state in mundane_states()):
        return 1
    state = _STATE.match(text)
    # An unlit altar is no wedding: for an object in a place, only its state counts.
    known, found = _weights(), traits(f"The thing is {state[1]}" if state else text, topic)
    value = round(known.start + sum(known.of[trait] for trait in found))
    return min(10, max(1, value, *(known.least.get(trait, 1) for trait in found)))
