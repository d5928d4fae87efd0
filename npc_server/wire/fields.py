"""Strict reading of single fields. Each function returns the value or raises BadInput naming the field, the value and the fix.

Limits are generous for a game and small enough that no message can fill a save or a prompt by itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sized
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from npc_server import clock
from npc_server.errors import BadInput
from npc_server.memory.slots import checked_name
from npc_server.visible import STEERING, first_steering

if TYPE_CHECKING:  # a class of the type stubs; at run time protobuf's EnumTypeWrapper
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper

MAX_ID = 200
"""Characters of an action's, a query's or a session's id; ours have fewer than 100."""
MAX_NPC_ID = 64
MAX_NAME = 120
"""A player's or a place's name, a state, a verb phrase: what fits on one line of a prompt."""
MAX_ADDRESS = 256
"""Five ids of 50 characters; addresses stand in prompts."""
MAX_PATH = 4_096
"""Of a file; what Linux takes."""
MAX_TEXT = 2_000
"""Spoken words, descriptions, reasons; some 500 tokens, a quarter of a small model's context."""
MAX_DOCUMENT = 1_000_000
"""Characters of one persona or town file; a hundred times a long one."""
MAX_DISTANCE = 1e7
"""Metres, and seconds of travel; a quarter of the way around the Earth."""
MAX_TIME = clock.LATEST

MAX_EVENTS = 4_096
"""Events in one PlayRequest. A frame has tens; a client that resends does so in pieces."""
MAX_NODES = 10_000
MAX_PERSONAS = 500
MAX_POLICY_FILES = 16
MAX_REACHES = 1_000
MAX_STATES = 100
"""States, actions or owners of one node."""

_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")

E = TypeVar("E", bound=Enum)


def bad(field: str, value: object, why: str, fix: str) -> BadInput:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}…"
    return BadInput(f"Field {field} is {shown}: {why}.", fix, field=field, value=shown)


def text(value: str, field: str, most: int = MAX_TEXT, *, required: bool = False) -> str:
    """Words, without the characters that steer prompts, logs, terminals and the direction of reading: those are left out.

    Line breaks and tabs stay, and so do joiners of emoji and the marks of right-to-left writing.
    """
    if len(value) > most:
        raise bad(field, value, f"it has {len(value)} characters, and {most} are allowed", "Shorten it.")
    kept = STEERING.sub("", _BREAKS.sub("\n", value))
    if required and not kept.strip():
        raise bad(field, value, "it is empty", "Fill it in.")
    return kept


def line(value: str, field: str, most: int = MAX_NAME, *, required: bool = False) -> str:
    """An id, a name or other words on one line. What steers is refused: two names that look alike would be two people."""
    if required and not value.strip():
        raise bad(field, value, "it is empty", "Fill it in.")
    if len(value) > most:
        raise bad(field, value, f"it has {len(value)} characters, and {most} are allowed", "Shorten it.")
    if "\t" in value or "\n" in value or "\r" in value:
        raise bad(field, value, "it has more than one line", "Send one line without tabs.")
    if found := first_steering(value):
        raise bad(field, value, f"it holds {found}, which steers terminals or the direction of reading", "Remove it.")
    return value


def npc_id(value: str, field: str) -> str:
    return line(value, field, MAX_NPC_ID, required=True)


def address(value: str, field: str, *, required: bool = True) -> str:
    line(value, field, MAX_ADDRESS, required=required)
    if value and not all(part.strip() for part in value.split(":")):
        raise bad(field, value, "an id in it is empty", 'Join the ids of the tree with ":", such as millbrook:cafe:kitchen.')
    return value


def slot(value: str, *, required: bool = True) -> str:
    """A slot's name, which becomes a file name."""
    return checked_name(value) if value or required else value


def time(value: int, field: str) -> int:
    if not 0 <= value <= MAX_TIME:
        raise bad(field, value, f"game time runs from 0 to {MAX_TIME}", "Send whole seconds since 1970-01-01 00:00 on the game's calendar.")
    return value


def number(value: float, field: str, low: float = 0.0, high: float = MAX_DISTANCE) -> float:
    if not math.isfinite(value):
        raise bad(field, value, "it is not a finite number", "Check what it is computed from for a division by zero.")
    if not low <= value <= high:
        raise bad(field, value, f"it lies outside {low:g} to {high:g}", "Send a number within.")
    return value


def whole(value: int, field: str, low: int, high: int) -> int:
    if not low <= value <= high:
        raise bad(field, value, f"it lies outside {low} to {high}", "Send a number within.")
    return value


def count(values: Sized, field: str, most: int) -> None:
    if len(values) > most:
        raise bad(field, len(values), f"at most {most} may come in one message", "Send them in several messages.")


def prefix(wire: _EnumTypeWrapper[Any]) -> str:
    """`PERCEPTION_KIND_`: what the style guide puts before each value."""
    return wire.Name(0).removesuffix("UNSPECIFIED")


def read_enum(kinds: type[E], wire: _EnumTypeWrapper[Any], value: int, field: str) -> E:
    """The record's enum for the wire's. UNSPECIFIED and numbers of a newer contract are refused."""
    try:
        found: E = _enum(kinds, wire, value)
    except ValueError:
        names = ", ".join(name for name, number in wire.items() if number != 0)
        raise bad(field, value, "it is not a known value", f"Use one of {names}.") from None
    return found


@lru_cache(maxsize=1024)
def _enum(kinds: type[E], wire: _EnumTypeWrapper[Any], value: int) -> E:
    """Raises ValueError."""
    name: str = wire.Name(value)
    return kinds(name.removeprefix(prefix(wire)).lower())


def write_enum(wire: _EnumTypeWrapper[Any], value: Enum) -> Any:
    return wire.Value(prefix(wire) + str(value.value).upper())
