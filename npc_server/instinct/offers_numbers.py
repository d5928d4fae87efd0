"""Numbers that somebody says who asks for something: `three loaves`, `for a week`, `half a dozen`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npc_server.english.normalize import plain_level
from npc_server.instinct.offers_words import data, telling
from npc_server.personas.schema import Parameter

_NUMBER = re.compile(r"\d+|[a-z]+")
_TWO = re.compile(r"\b(my|the) \w+ and (i|me|myself)\b|\b(me|myself) and (my|the) \w+")
_HALF_DOZEN = re.compile(r"\bhalf an? dozen\b")


def numbers(parameters: Sequence[Parameter], said: Sequence[str], own: str) -> dict[Parameter, int]:
    """The numbers that were `said`, each to the parameter whose name stands behind it (`for two weeks`), and else in their order.

    Of one's `own` line before only the former: `That will be six crowns.`
    """
    found: dict[Parameter, int] = {}
    for plain in said:
        loose = []
        for number, after in _said_numbers(plain):
            parameter, value = _of_unit(parameters, number, after)
            if parameter is not None:
                found.setdefault(parameter, value)
            elif number != 1:  # "a" alone counts nothing: "a horseshoe"
                loose.append(number)
        for parameter, number in zip([p for p in parameters if p not in found], loose, strict=False):
            found[parameter] = number
    for number, after in _said_numbers(own.casefold()):
        parameter, value = _of_unit(parameters, number, after)
        if parameter is not None:
            found.setdefault(parameter, value)
    return found


def _of_unit(parameters: Sequence[Parameter], number: int, after: Sequence[str]) -> tuple[Parameter | None, int]:
    """The parameter whose name stands behind a number, or that counts what a length stands for; and its value."""
    words = [plain_level(word) for word in after]
    for parameter in parameters:
        names = telling(parameter.name.replace("_", " "))
        if names & set(words):
            return parameter, number
        for length, units in data().lengths.items():
            if plain_level(length) in words:
                unit = next((count for unit, count in units.items() if plain_level(unit) in names), 0)
                if unit:
                    return parameter, number * unit
    return None, 0


def _said_numbers(plain: str) -> list[tuple[int, list[str]]]:
    """Each number with the two words behind it."""
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
