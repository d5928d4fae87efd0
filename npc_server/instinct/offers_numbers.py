"""Numbers in a request: `three loaves`, `for a week`, `half a dozen`."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from npc_server.english.stems import stem
from npc_server.instinct.offers_words import data, filler_stems, telling_stems_in
from npc_server.personas.schema import Parameter

_NUMBER = re.compile(r"\d+|[a-z]+")
_TWO = re.compile(r"\b(my|the) \w+ and (i|me|myself)\b|\b(me|myself) and (my|the) \w+")
_ARTICLES = ("a", "an")
_HALF_DOZEN = re.compile(r"\bhalf an? dozen\b")


def numbers_said(parameters: Sequence[Parameter], said: str, own: str = "", things: Set[str] = frozenset()) -> dict[Parameter, int]:
    """The numbers in the line `said`, by parameter: by the parameter's name after them (`for two weeks`), else in order.

    `things` are stems of what may be counted, such as "horseshoe".

    Numbers of the NPC's `own` line count only with a name: `That will be six crowns.`
    """
    found: dict[Parameter, int] = {}
    loose = []
    for word, number, after in _said_numbers(said):
        parameter, value = _counted_by(parameters, number, after)
        if parameter is not None:
            found.setdefault(parameter, value)
        elif _may_count(word, after, things):
            loose.append(number)
    for parameter, number in zip([p for p in parameters if p not in found], loose, strict=False):
        found[parameter] = number
    for _, number, after in _said_numbers(own.casefold()):
        parameter, value = _counted_by(parameters, number, after)
        if parameter is not None:
            found.setdefault(parameter, value)
    return found


def _may_count(word: str, after: Sequence[str], things: Set[str]) -> bool:
    """Whether a number counts what is asked for: before one of `things`, or on its own. "For four nights" counts no pills."""
    if things & {stem(it) for it in after} and not (word in _ARTICLES and after[0] in data().numbers):
        return True
    return word not in _ARTICLES and (not after or stem(after[0]) in filler_stems())


def _counted_by(parameters: Sequence[Parameter], number: int, after: Sequence[str]) -> tuple[Parameter | None, int]:
    """The parameter whose name follows a number, or that counts a unit of the length that follows; and its value."""
    words = [stem(word) for word in after]
    for parameter in parameters:
        names = telling_stems_in(parameter.name.replace("_", " "))
        if names & set(words):
            return parameter, number
        for length, units in data().lengths.items():
            if stem(length) in words:
                unit = next((count for unit, count in units.items() if stem(unit) in names), 0)
                if unit:
                    return parameter, number * unit
    return None, 0


def _said_numbers(plain: str) -> list[tuple[str, int, list[str]]]:
    """Each number as it is said and as it counts, with the two words after it."""
    words = _NUMBER.findall(_TWO.sub("two", _HALF_DOZEN.sub("six", plain)))
    known = data().numbers
    found: list[tuple[str, int, list[str]]] = []
    i = 0
    while i < len(words):
        number = int(words[i]) if words[i].isdigit() and len(words[i]) < 9 else known.get(words[i])
        if number is not None and i + 1 < len(words) and words[i + 1] == "hundred":
            number, i = 100 * number, i + 1
        if number is not None:
            found.append((words[i], number, words[i + 1 : i + 3]))
        i += 1
    return found
