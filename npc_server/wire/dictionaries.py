"""Dictionaries to protobuf messages and back, by descriptor: no field of the contract is named here.

To a message: keys are field names; a missing or null field stays unset; enums are names or numbers; whole floats pass for ints
(GDScript's JSON gives only floats). To a dictionary: every field without presence is there, defaults too; sub-messages and members
of a oneof only when set; enums are names (a number when this side does not know it).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from npc_server.wire.call_error import CallError

F = FieldDescriptor
_INTS = {
    F.TYPE_INT32: 32, F.TYPE_SINT32: 32, F.TYPE_SFIXED32: 32, F.TYPE_INT64: 64, F.TYPE_SINT64: 64, F.TYPE_SFIXED64: 64,
}  # fmt: skip
_UINTS = {F.TYPE_UINT32: 32, F.TYPE_FIXED32: 32, F.TYPE_UINT64: 64, F.TYPE_FIXED64: 64}
_FLOAT32_MAX = 3.4028234663852886e38


def to_message(descriptor: Descriptor, values: object) -> Message:
    """`values` as a message of this type. Raises CallError naming the field, the value and the fix."""
    message: Message = GetMessageClass(descriptor)()
    _fill(message, values, descriptor.name)
    return message


def _is_map(field: Any) -> bool:  # Any: the C and the Python descriptors share no base that has these attributes
    return bool(field.message_type is not None and field.message_type.GetOptions().map_entry)


def _fill(message: Message, values: object, path: str) -> None:
    if not isinstance(values, Mapping):
        raise CallError(f"{path} is {_show(values)}. Give a Dictionary of its fields.")
    fields = message.DESCRIPTOR.fields_by_name
    chosen: dict[str, str] = {}
    for name, value in values.items():
        field = fields.get(name) if isinstance(name, str) else None
        if field is None:
            near = difflib.get_close_matches(str(name), list(fields), 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"It has: {', '.join(fields) or 'none'}."
            raise CallError(f"{path} has no field {name!r}. {hint}")
        if value is None:
            continue
        if field.containing_oneof is not None:
            first = chosen.setdefault(field.containing_oneof.name, name)
            if first != name:
                raise CallError(f"{path} has both {first!r} and {name!r}. Set one of them.")
        _set(message, field, value, f"{path}.{name}")


def _set(message: Message, field: Any, value: object, path: str) -> None:
    name = field.name
    if _is_map(field):
        if not isinstance(value, Mapping):
            raise CallError(f"{path} is {_show(value)}. Give a Dictionary.")
        kinds = field.message_type.fields_by_name
        for key, item in value.items():
            where = f"{path}[{key!r}]"
            good = _scalar(kinds["key"], key, where)
            if kinds["value"].message_type is not None:
                _fill(getattr(message, name)[good], item, where)
            else:
                getattr(message, name)[good] = _scalar(kinds["value"], item, where)
    elif field.is_repeated:
        if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
            raise CallError(f"{path} is {_show(value)}. Give an Array.")
        for i, item in enumerate(value):
            where = f"{path}[{i}]"
            if field.message_type is not None:
                _fill(getattr(message, name).add(), item, where)
            else:
                getattr(message, name).append(_scalar(field, item, where))
    elif field.message_type is not None:
        getattr(message, name).SetInParent()
        _fill(getattr(message, name), value, path)
    else:
        setattr(message, name, _scalar(field, value, path))


def _scalar(field: Any, value: object, path: str) -> object:
    kind = field.type
    if kind == F.TYPE_ENUM:
        return _enum(field.enum_type, value, path)
    if kind == F.TYPE_BOOL:
        if isinstance(value, bool):
            return value
        raise CallError(f"{path} is {_show(value)}. Give true or false.")
    if kind == F.TYPE_STRING:
        if isinstance(value, str):
            return value
        raise CallError(f"{path} is {_show(value)}. Give a String.")
    if kind == F.TYPE_BYTES:
        if isinstance(value, bytes):
            return value
        raise CallError(f"{path} is {_show(value)}. Give a PackedByteArray.")
    if kind in (F.TYPE_FLOAT, F.TYPE_DOUBLE):
        return _float(value, path, single=kind == F.TYPE_FLOAT)
    return _int(kind, value, path)


def _enum(enum: Any, value: object, path: str) -> int:
    if isinstance(value, str):
        found = enum.values_by_name.get(value)
        if found is not None:
            return int(found.number)
        raise CallError(f"{path} is {value!r}. Use one of: {', '.join(enum.values_by_name)}.")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31:
        return value
    raise CallError(f"{path} is {_show(value)}. Give a name of {enum.name} or its number.")


def _float(value: object, path: str, *, single: bool) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CallError(f"{path} is {_show(value)}. Give a number.")
    number = float(value)
    if single and math.isfinite(number) and abs(number) > _FLOAT32_MAX:
        raise CallError(f"{path} is {number!r}. A float field holds at most {_FLOAT32_MAX:.3g}.")
    return number


def _int(kind: int, value: object, path: str) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise CallError(f"{path} is {_show(value)}. Give a whole number.")
    bits = _INTS[kind] if kind in _INTS else _UINTS[kind]
    if kind in _UINTS and bits == 64 and value < 0:
        value += 2**64  # Godot's int has a sign; the game sees the same bits coming back
    low, high = (0, 2**bits - 1) if kind in _UINTS else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not low <= value <= high:
        raise CallError(f"{path} is {value}. It holds {low} to {high}.")
    return value


def _show(value: object) -> str:
    text = repr(value)
    return f"{text[:60]}…" if len(text) > 60 else text


def from_message(message: Message) -> dict[str, object]:
    """The message as a dictionary of plain values."""
    found: dict[str, object] = {}
    fields: Any = message.DESCRIPTOR.fields
    for field in fields:
        if field.has_presence and not message.HasField(field.name):
            continue
        value: Any = getattr(message, field.name)
        if _is_map(field):
            item = field.message_type.fields_by_name["value"]
            found[field.name] = {key: _plain(item, value[key]) for key in value}
        elif field.is_repeated:
            found[field.name] = [_plain(field, item) for item in value]
        else:
            found[field.name] = _plain(field, value)
    return found


def _plain(field: Any, value: Any) -> object:
    if field.message_type is not None:
        return from_message(value)
    if field.type == F.TYPE_ENUM:
        named = field.enum_type.values_by_number.get(value)
        return named.name if named is not None else value
    return value
