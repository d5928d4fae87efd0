"""Frozen records to JSON and back, by their types.

Strict on reading: a field of the wrong type, a missing or an unknown one is an error, for what is read is a save's.
A field with a default may be missing, so that a record can grow.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from npc_server.errors import BadInput, SaveDamaged

T = TypeVar("T")
Reader = Callable[[Any], Any]
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})
FIX = "Choose another save, or bring this one back from a copy."


def dumps(record: object) -> str:
    """The record as JSON. Raises BadInput for a number that JSON has no word for, or a text that is not Unicode."""
    try:
        text = _JSON.encode(encode(record))
        text.encode()
    except ValueError as error:  # UnicodeEncodeError is one
        raise BadInput(f"{type(record).__name__} cannot be stored: {error}.", "Send finite numbers and valid Unicode.") from error
    return text


def loads(cls: type[T], text: str) -> T:
    """Raises SaveDamaged."""
    return decode(cls, raw(cls, text))


def raw(cls: type, text: str) -> Any:
    """JSON as `encode` made it of a `cls`, or of a part of one; not yet checked by type. Raises SaveDamaged."""
    try:
        value = json.loads(text)
        if "\\u" in text:  # `dumps` escapes control characters alone, and half of a character cannot be stored or sent
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise SaveDamaged(f"A stored {cls.__name__} is {short(text)}, which is not JSON of valid Unicode: {error}.", FIX) from error
    return value


def short(value: object) -> str:
    """For an error's text."""
    try:
        shown = repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        shown = "a number of thousands of digits"
    return shown if len(shown) <= 80 else f"{shown[:77]}…"


def encode(value: object) -> Any:
    """As what JSON knows: records become objects, enums their values, tuples lists."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: encode(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {str(key): encode(item) for key, item in value.items()}
    return value


@cache
def _names(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cls))


def decode(cls: type[T], data: object) -> T:
    """A record of `cls` from what `encode` made of one. Raises SaveDamaged."""
    try:
        return typing.cast(T, _reader(typing.cast(typing.Hashable, cls))(data))
    except (ValueError, TypeError) as error:
        raise SaveDamaged(f"A stored {cls.__name__} does not read: {error}.", FIX) from error


@cache
def _reader(kind: Any) -> Reader:
    """What reads a value of the type `kind`; raises ValueError."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record_reader(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if kind is float:
        return _read_float
    if kind in (int, str, bool, type(None)):
        return _exact_reader(kind)
    if origin is tuple:
        return _tuple_reader(arguments)
    if origin is dict:
        return _dict_reader(arguments)
    if origin in (typing.Union, types.UnionType):
        return _union_reader(arguments)
    raise TypeError(f"{kind!r} has no reader")


def _record_reader(cls: type[Any]) -> Reader:
    hints = typing.get_type_hints(cls)
    readers = {field.name: _reader(hints[field.name]) for field in dataclasses.fields(cls)}
    needed = {
        field.name
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValueError(f"{cls.__name__} is {type(data).__name__}, not an object")
        if not data.keys() <= readers.keys() or not needed <= data.keys():
            raise ValueError(f"{cls.__name__} has the fields {short(sorted(data))}")
        values = {}
        for name, value in data.items():
            try:
                values[name] = readers[name](value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
        return cls(**values)

    return read


def _exact_reader(kind: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"{short(value)} is not {kind.__name__}")
        return value

    return read


def _read_float(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(f"{short(value)} is not a finite number")
    return float(value)


def _tuple_reader(arguments: tuple[Any, ...]) -> Reader:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        each = _reader(arguments[0])

        def read_many(value: Any) -> Any:
            if not isinstance(value, list):
                raise ValueError(f"{short(value)} is not a list")
            return tuple(each(item) for item in value)

        return read_many
    readers = [_reader(argument) for argument in arguments]

    def read_fixed(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(readers):
            raise ValueError(f"{short(value)} is not a list of {len(readers)}")
        return tuple(reader(item) for reader, item in zip(readers, value, strict=True))

    return read_fixed


def _dict_reader(arguments: tuple[Any, ...]) -> Reader:
    if arguments[0] is not str:
        raise TypeError("Only text can be a key in JSON")
    each = _reader(arguments[1])

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError(f"{short(value)} is not an object")
        return {key: each(item) for key, item in value.items()}

    return read


def _union_reader(arguments: tuple[Any, ...]) -> Reader:
    readers = [_reader(argument) for argument in arguments]

    def read(value: Any) -> Any:
        for reader in readers:
            try:
                return reader(value)
            except ValueError:
                continue
        raise ValueError(f"{short(value)} is none of {arguments}")

    return read
