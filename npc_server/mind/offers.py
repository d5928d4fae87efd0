"""Offers: actions of the game that an NPC may choose while it talks, such as accepting a quest or opening a shop.

A persona lists them with typed parameters. The grammar of the reply admits nothing else. What the NPC chooses becomes a `Call`, and
`session/talk_context.py` sends it to the game as a `GameAction`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npc_server.llm.reply import Choice, Integer, Kind, Text
from npc_server.personas.schema import Offer, Parameter, Persona
from npc_server.records import GameActionResult, MemoryTopic

NOTHING = "nothing"
_WORDS = "[^(),|\\s\\x00-\\x1F\\x7F-\\x9F][^(),|\\x00-\\x1F\\x7F-\\x9F\u2028\u2029]{0,79}"


@dataclass(frozen=True)
class Call:
    """A chosen action; `arguments` is a JSON object."""

    name: str
    arguments: str


@dataclass(frozen=True)
class OneOf(Kind):
    """`nothing`, or one offer with its parameters: `open_shop(item=bread, count=2)`."""

    offers: tuple[Offer, ...]

    def describe(self, name: str) -> str:
        forms = [f"{o.name}({', '.join(f'{p.name}={_kind(p).describe(p.name)}' for p in o.parameters)})" for o in self.offers]
        return " or ".join([NOTHING, *forms])

    def regex(self) -> str:
        forms = []
        for offer in self.offers:
            parts = ", ".join(f"{re.escape(p.name)}={_regex(p)}" for p in offer.parameters)
            forms.append(rf"{re.escape(offer.name)}\({parts}\)")
        return "(" + "|".join([NOTHING, *forms]) + ")"

    def read(self, text: str) -> object:
        """A `Call`, or None for nothing. Raises ValueError."""
        if text == NOTHING:
            return None
        name, bracket, rest = text.partition("(")
        offer = next((offer for offer in self.offers if offer.name == name), None)
        if offer is None or not bracket or not rest.endswith(")"):
            raise ValueError(f"is {text!r}, which was not offered")
        found = re.fullmatch(", ".join(rf"{re.escape(p.name)}=({_regex(p)})" for p in offer.parameters), rest[:-1])
        if found is None:
            raise ValueError(f"is {text!r}, with parameters that do not fit {offer.name!r}")
        # Each parameter's pattern has groups of its own inside the outer one; only the outer ones are wanted.
        values = [_read(p, value) for p, value in zip(offer.parameters, _outer(found, offer.parameters), strict=True)]
        return Call(name, json.dumps({p.name: v for p, v in zip(offer.parameters, values, strict=True)}, ensure_ascii=False))

    def left_out(self) -> str | None:
        return NOTHING

    def write(self, value: object) -> str:
        if not isinstance(value, Call):
            return NOTHING
        given: dict[str, object] = json.loads(value.arguments)
        return f"{value.name}({', '.join(f'{name}={one}' for name, one in given.items())})"


def as_words(text: str) -> str:
    """A player's words as the text of a parameter; `nothing` if they are empty."""
    return " ".join(re.sub(r"[(),|\s\x00-\x1F\x7F-\x9F\u2028\u2029]+", " ", text).split())[:80].rstrip() or NOTHING


def in_words(arguments: str) -> str:
    """The values of a call's arguments as words: `egg, 2 nights, count 3`."""
    given: dict[str, object] = json.loads(arguments)
    return ", ".join(_value_in_words(name.replace("_", " "), value) for name, value in given.items() if value != NOTHING)


def _value_in_words(name: str, value: object) -> str:
    """A number is told with what it counts, if its parameter says that."""
    if isinstance(value, str):
        return value.rstrip(" .")
    return f"{value} {name}" if name.endswith("s") else f"{name} {value}"


def outcome(
    name_of: Callable[[str], str], me: Persona, called: Sequence[Sequence[str]], result: GameActionResult
) -> tuple[str, tuple[str, str, str], MemoryTopic]:
    """What somebody remembers of an action that the game did, or could not do, on their word: sentence, triple and topic.

    `called` is that of `mind.doing.Doing`. The triple is who did it, the offer's name, and for whom.
    """
    found = next((it[1:] for it in called if it[0] == result.call_id), ("something",))
    name, who, values = (*found, "", "")[:3]
    what = f"this{f' for {name_of(who)}' if who else ''}: {name.replace('_', ' ')}{f', {values}' if values else ''}"
    triple = (me.id, name, who)
    if result.happened:
        return f"{me.first_name} did {what}.", triple, MemoryTopic.CALLED
    return f"{me.first_name} could not do {what}, because {result.reason or 'it was not possible'}.", triple, MemoryTopic.FAILED


def lines(offers: Sequence[Offer]) -> list[str]:
    """Each offer's name and description, for the prompt."""
    return [f"{offer.name}: {offer.description}" for offer in offers]


def _kind(parameter: Parameter) -> Kind:
    if parameter.type == "choice":
        return Choice(tuple(parameter.options))
    if parameter.type == "integer":
        return Integer(parameter.low, parameter.high)
    return Text(80)


def _regex(parameter: Parameter) -> str:
    # Like `Text`, but without the characters that separate parameters.
    return _WORDS if parameter.type == "text" else _kind(parameter).regex()


def _outer(found: re.Match[str], parameters: Sequence[Parameter]) -> list[str]:
    values, index = [], 1
    for parameter in parameters:
        values.append(found.group(index))
        index += 1 + re.compile(_regex(parameter)).groups
    return values


def _read(parameter: Parameter, text: str) -> object:
    return text.strip() if parameter.type == "text" else _kind(parameter).read(text)
