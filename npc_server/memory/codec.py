"""Frozen records to JSON and back, checked against their types by pydantic.

Reading is strict, because a save may be damaged: a field of the wrong type, a missing field and an unknown field are errors.
A field that has a default may be missing, so that a record can grow.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from npc_server.errors import BadInput, SaveDamaged

T = TypeVar("T")
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
FIX = "Choose another save, or restore this one from a backup."


def dumps(record: object) -> str:
    """The record as JSON. Raises BadInput for a number that is not finite, or a text that is not Unicode."""
    try:
        text = _JSON.encode(record)
        text.encode()
    except ValueError as error:  # UnicodeEncodeError is one
        raise BadInput(f"{type(record).__name__} cannot be stored: {error}.", "Send finite numbers and valid Unicode.") from error
    return text


def loads(cls: type[T], text: str) -> T:
    """A record of `cls` from its JSON. Raises SaveDamaged."""
    try:
        return _read(cls, text)
    except ValidationError as error:
        raise _damaged(cls, error) from error


def raw(cls: type, text: str) -> Any:
    """The JSON of a `cls`, or of a part of one, that is not checked by type yet. Raises SaveDamaged."""
    try:
        value = json.loads(text)
        if "\\u" in text:  # `dumps` escapes only control characters; half of a surrogate pair can be neither stored nor sent
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise SaveDamaged(f"A stored {cls.__name__} is {short(text)}, which is not JSON of valid Unicode: {error}.", FIX) from error
    return value


def short(value: object) -> str:
    """A value as an error message shows it: at most 80 characters."""
    try:
        shown = repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        shown = "a number of thousands of digits"
    return shown if len(shown) <= 80 else f"{shown[:77]}…"


def encode(value: object) -> Any:
    """A value as JSON knows it: records become objects, enums their values, tuples lists."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float)):  # most values, and a look at their type is quicker than one at their fields
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: encode(item) for name, item in _fields(value).items()}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {str(key): encode(item) for key, item in value.items()}
    return value


def decode(cls: type[T], data: object) -> T:
    """A record of `cls` from what `encode` made of one. Raises SaveDamaged."""
    try:
        return _read(cls, json.dumps(data, ensure_ascii=False))
    except ValidationError as error:
        raise _damaged(cls, error) from error
    except (ValueError, TypeError) as error:
        raise SaveDamaged(f"A stored {cls.__name__} cannot be read: {error}.", FIX) from error


def _read(cls: type[T], text: str) -> T:
    return typing.cast(T, _adapter(typing.cast(typing.Hashable, cls)).validate_json(f"[{text}]")[0])


@cache
def _adapter(cls: Any) -> TypeAdapter[Any]:
    """Reads a list of one `cls`: pydantic takes the settings from there, so that records need none of their own."""
    return TypeAdapter(tuple[cls], config=_STRICT)


def _damaged(cls: type, error: ValidationError) -> SaveDamaged:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    what = f"{where}: {first['msg']}" if where else first["msg"]
    return SaveDamaged(f"A stored {cls.__name__} cannot be read: {what}. It holds {short(first['input'])}.", FIX)


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _names(typing.cast(typing.Hashable, type(record)))}


@cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cls))


def _as_json(value: Any) -> Any:
    """What the encoder does not know itself."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return _fields(value)
    raise TypeError(f"{value!r} cannot be written as JSON")


_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_as_json)
