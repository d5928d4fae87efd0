"""Numbers in a request: `three loaves`, `for a week`, `half a dozen`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npc_server.english.stems import stem
from npc_server.instinct.offers_words import data, telling_stems_in
from npc_server.personas.schema import Parameter

_NUMBER = re.compile(r"\d+|[a-z]+")
_TWO = re.compile(r"\b(my|the) \w+ and (i|me|myself)\b|\b(me|myself) and (my|the) \w+")
_HALF_DOZEN = re.compile(r"\bhalf an? dozen\b")


def numbers_said(parameters: Sequence[Parameter], said: Sequence[str], own: str) -> dict[Parameter, int]:
    """The numbers in the lines `said`, by parameter: by the parameter's name after them (`for two weeks`), else in order.

    Numbers of the NPC's `own` line count only with a name: `That will be six crowns.`
    """
    found: dict[Parameter, int] = {}
    for plain in said:
        loose = []
        for number, after in _said_numbers(plain):
            parameter, value = _counted_by(parameters, number, after)
            if parameter is not None:
                found.setdefault(parameter, value)
            elif number != 1:  # "a" alone counts nothing: "a horseshoe"
                loose.append(number)
        for parameter, number in zip([p for p in parameters if p not in found], loose, strict=False):
            found[parameter] = number
    for number, after in _said_numbers(own.casefold()):
        parameter, value = _counted_by(parameters, number, after)
        if parameter is not None:
            found.setdefault(parameter, value)
    return found


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


def _said_numbers(plain: str) -> list[tuple[int, list[str]]]:
    """Each number with the two words after it."""
    words = _NUMBER.findall(_TWO.sub("two", _HALF_DOZEN.sub("six", plain)))
    known = data().numbers
    found: list[tuple[int, list[str]]] = []
    i = 0
    while i < len(words):
        number = int(words[i]) if words[i].isdigit() and len(words[i]) < 9 else known.get(words[i])
        if number is not None and i + 1 < len(words) and words[i + 1] == "hundred":
            number, i = 100 * number, i + 1
        if number is not None:
            found.append((number, words[i + 1 : i + 3]))
        i += 1
    return found
