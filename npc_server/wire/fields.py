"""Checks single fields of messages. Each function returns the value, or raises BadInput with the field, the value and the fix.

The limits are generous for a game, and small enough that no single message can fill a save or a prompt.
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

if TYPE_CHECKING:  # only the type stubs have this class; at run time it is protobuf's EnumTypeWrapper
    from google.protobuf.internal.enum_type_wrapper import _EnumTypeWrapper

MAX_ID = 200
"""Characters of the id of an action, a query or a session. Those that the server makes have fewer than 100."""
MAX_NPC_ID = 64
MAX_NAME = 120
"""Characters of a name, a state or a verb phrase. Each must fit on one line of a prompt."""
MAX_ADDRESS = 256
"""Characters of an address: five ids of 50. Addresses are in prompts."""
MAX_PATH = 4_096
"""Characters of a file's path. Linux has the same limit."""
MAX_TEXT = 2_000
"""Characters of spoken words, a description or a reason: some 500 tokens, a quarter of a small model's context."""
MAX_DOCUMENT = 1_000_000
"""Characters of one persona or town file. A long one has a hundredth of it."""
MAX_DISTANCE = 1e7
"""Metres of distance, and seconds of travel. So many metres are a quarter of the way around the Earth."""

MAX_EVENTS = 4_096
"""Events in one PlayRequest. A frame has tens of them. A client that resends many sends several requests."""
MAX_NODES = 10_000
MAX_PERSONAS = 500
MAX_MOD_FILES = 500
MAX_POLICY_FILES = 16
MAX_REACHES = 1_000
MAX_STATES = 100
"""States, actions or owners of one node."""

_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")

E = TypeVar("E", bound=Enum)


def bad(field: str, value: object, why: str, fix: str) -> BadInput:
    """Makes the error for a wrong field. It shows at most 80 characters of the value."""
    shown = repr(value)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}…"
    return BadInput(f"Field {field} is {shown}: {why}.", fix, field=field, value=shown)


def text(value: str, field: str, most: int = MAX_TEXT, *, required: bool = False) -> str:
    """Returns words without control characters that could change prompts, logs, terminals or the direction of reading.

    Line breaks and tabs stay, and so do emoji joiners and the marks of right-to-left writing.
    """
    if len(value) > most:
        raise bad(field, value, f"it has {len(value)} characters, and {most} are allowed", "Shorten it.")
    kept = STEERING.sub("", _BREAKS.sub("\n", value))
    if required and not kept.strip():
        raise bad(field, value, "it is empty", "Fill it in.")
    return kept


def line(value: str, field: str, most: int = MAX_NAME, *, required: bool = False) -> str:
    """Checks an id, a name or other words on one line.

    Control characters are refused and not removed, because two names that look alike would otherwise be two people.
    """
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
    """Checks a slot's name, which becomes a file name."""
    return checked_name(value) if value or required else value


def time(value: int, field: str) -> int:
    """Checks a game time in seconds."""
    if not clock.EARLIEST <= value <= clock.LATEST:
        raise bad(
            field, value, f"game time runs from {clock.EARLIEST} to {clock.LATEST}, the years 1 to 9999",
            "Send whole seconds since 1970-01-01 00:00 on the game's calendar; earlier dates are negative.",
        )  # fmt: skip
    return value


def number(value: float, field: str, low: float = 0.0, high: float = MAX_DISTANCE) -> float:
    if not math.isfinite(value):
        raise bad(field, value, "it is not a finite number", "Check what it is computed from for a division by zero.")
    if not low <= value <= high:
        raise bad(field, value, f"it is not from {low:g} to {high:g}", "Send a number in this range.")
    return value


def whole(value: int, field: str, low: int, high: int) -> int:
    if not low <= value <= high:
        raise bad(field, value, f"it is not from {low} to {high}", "Send a number in this range.")
    return value


def count(values: Sized, field: str, most: int) -> None:
    """Raises BadInput when a repeated field has more than `most` values."""
    if len(values) > most:
        raise bad(field, len(values), f"at most {most} may come in one message", "Send them in several messages.")


def prefix(wire: _EnumTypeWrapper[Any]) -> str:
    """Returns the prefix that each value of a protobuf enum has, such as `PERCEPTION_KIND_`."""
    return wire.Name(0).removesuffix("UNSPECIFIED")


def read_enum(kinds: type[E], wire: _EnumTypeWrapper[Any], value: int, field: str) -> E:
    """Converts a protobuf enum's value to a record's enum. UNSPECIFIED and values of a newer proto are refused."""
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
    """Converts a record's enum to the value of a protobuf enum."""
    return wire.Value(prefix(wire) + str(value.value).upper())
