"""No word list of ours may hold what stands there only because our own cases ask for it.

Everyday English is in both. So a shared entry counts by how often chance alone would put it into a text of that length:
the text's words, times how frequent each word of the entry is in English (wordfreq).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from wordfreq import zipf_frequency

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
DATA = ROOT / "npc_server" / "data"
OF_EVAL = ROOT / "npc_eval" / "data"
WORD_BY_CHANCE = 0.07
"""A single word is rare where chance puts fewer into such a text: under Zipf 3.0, one in a million."""
PHRASE_BY_CHANCE = 1e-4
"""The same for entries of several words, which go together more often than chance says: `at the door` is 100 times as likely."""
BETWEEN = 2
"""Other words that may stand between those of an entry, as in `reflexes.toml`."""
SHORTEST = 3
"""Words of a phrase, at least: two go together for many reasons (`vending machine`)."""
SHORTEST_IN = {"reflexes.toml": 2}
"""Where two words stand for a sentence: `meteor pierced`."""
LONGEST = 8
"""Words of an entry, at most: what is longer is a sentence that is said."""
NO_RULES = ("models.toml", "first_person.toml")
"""No lists, or of grammar alone: which words are verbs, and their forms."""
GRAMMAR = ("verbs", "irregular", "regular")
PARTED_BY_SPACES = {"offers.toml": "empty"}
"""All lists of a file, or those under a key."""
SAID = ("do", "say", "lines", "sentences", "others", "me", "own", "two", "wordings", "colours", "topics", "plain", "question", "paper")
"""Keys of what is answered, not of what is looked for."""
NAMES = ("kind", "npc")
PLURALS = ("foot feet", "tooth teeth", "loaf loaves", "knife knives", "leaf leaves", "child children", "man men", "woman women")
_ENDINGS = ("ing", "es", "s", "ed", "e")
_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*")
_ESCAPE = re.compile(r"\\[bBdDsSwW]")


def _strings(value: object, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, str):
        yield keys, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, (*keys, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, keys)


def _toml(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def _towns() -> list[dict[str, Any]]:
    return [YAML(typ="safe").load(path) for path in sorted((DATA / "towns").glob("*/town.yaml"))]


def _rules() -> dict[tuple[str, ...], str]:
    """Every word and every phrase of every list, with the place of its first."""
    found: dict[tuple[str, ...], str] = {}
    for path in sorted([*DATA.glob("*.toml"), *OF_EVAL.glob("*.toml")]):
        if path.name in NO_RULES:
            continue
        for keys, text in _strings(_toml(path)):
            if not set(keys) & {*SAID, *GRAMMAR}:
                spaces = PARTED_BY_SPACES.get(path.name, "none") in ("", *keys)
                for words in (tuple(_WORD.findall(_ESCAPE.sub(" ", part.lower()))) for part in re.split(r"\s" if spaces else ",", text)):
                    place = f"{path.name}: {'.'.join(keys)}"
                    for word in words:
                        found.setdefault((word,), place)
                    if SHORTEST_IN.get(path.name, SHORTEST) <= len(words) <= LONGEST:
                        found.setdefault(words, place)
    return found


def _cases() -> Iterator[tuple[str, str]]:
    for path in sorted((OF_EVAL / "eval").glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            texts = [text for keys, text in _strings(json.loads(line)) if keys[-1] not in NAMES]
            yield f"{path.name}:{number}", " | ".join(texts).replace("_", " ")
    for path in sorted((ROOT / "tests" / "instinct").glob("importance*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if "|" in line:
                yield f"{path.name}:{number}", line.split("|", 1)[1]


@cache
def _stem(word: str) -> str:
    """A word without its ending. Too short is well: it makes the test find more."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


@cache
def _irregular() -> dict[str, list[str]]:
    table = [*_toml(DATA / "first_person.toml")["irregular"].split(","), *PLURALS]
    return {form: line.split() for line in table for form in line.split()}


@cache
def _frequency(word: str) -> float:
    """How much of English a word is in all its forms together: `mopped` counts as `mop`, `forgave` as `forgive`."""
    stem = _stem(word)
    double = stem + stem[-1]
    forms = {
        word,
        *(stem + ending for ending in ("", *_ENDINGS)),
        *(double + ending for ending in ("ed", "ing")),
        *_irregular().get(word, ()),
    }
    if stem.endswith("ll"):
        forms |= {stem[:-1] + ending for ending in ("", "s")}
    return sum(10 ** (zipf_frequency(form, "en") - 9) for form in forms)


def by_chance(entry: Iterable[str], length: int) -> float:
    """How often chance would put the entry into a text of so many words."""
    words = tuple(entry)
    found = float(length * (BETWEEN + 1) ** (len(words) - 1))
    for word in words:
        found *= _frequency(word)
    return found


def shared(rules: dict[tuple[str, ...], str], texts: Iterable[tuple[str, str]]) -> list[str]:
    """Entries that stand in the texts, too, and hardly by chance, each with both places."""
    lines = [(place, f" {' '.join(_stem(word) for word in _WORD.findall(text.lower()))} ", text) for place, text in texts]
    length = sum(line.count(" ") - 1 for _, line, _ in lines)
    small = {_stem(word) for _, _, text in lines for word in _WORD.findall(text)}
    first: dict[str, list[int]] = {}
    for number, (_, line, _) in enumerate(lines):
        for word in set(line.split()):
            first.setdefault(word, []).append(number)
    found: list[str] = []
    for words, place in rules.items():
        limit = WORD_BY_CHANCE if len(words) == 1 else PHRASE_BY_CHANCE
        stems = [_stem(word) for word in words]
        if by_chance(words, length) >= limit or (len(words) == 1 and stems[0] not in small):
            continue
        pattern = re.compile(" " + rf"(?: \S+){{0,{BETWEEN}}} ".join(map(re.escape, stems)) + " ")
        where = next((lines[i][0] for i in first.get(stems[0], ()) if pattern.search(lines[i][1])), None)
        if where:
            found.append(f"{' '.join(words)!r} of {place} stands in {where}")
    return found


def test_no_rule_holds_what_only_our_own_cases_ask_for() -> None:
    found = shared(_rules(), _cases())
    assert not found, f"{len(found)} entries know our own cases; say it in other words or delete them:\n" + "\n".join(found)


def test_a_phrase_of_a_case_is_found_and_everyday_english_is_not() -> None:
    rules = {("bucket", "as", "a", "hat"): "a: b", ("at", "the", "door"): "a: c", ("trombone",): "a: d", ("window",): "a: e"}
    cases = [("x:1", "She wears a bucket as a hat at the door."), ("x:2", "The trombone by the window."), ("x:3", "The and of. " * 10_000)]
    assert shared(rules, cases) == ["'bucket as a hat' of a: b stands in x:1", "'trombone' of a: d stands in x:2"]


def test_news_that_a_society_run_follows_weighs_no_more_than_its_kind() -> None:
    """Who measures how far a candidacy spreads must not have rated it by name: everybody tells first what matters most."""
    stories = [story for town in _towns() for story in town.get("stories", ()) if story["kind"] == "news"]
    words = {word for story in stories for word in story["about"]}
    assert words
    by_level = _toml(DATA / "instinct.toml")["importance"]
    assert not {word: level for level, listed in by_level.items() for word in listed if word in words}
