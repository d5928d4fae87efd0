"""Godot's binary serialization of Variants (`var_to_bytes`), as far as messages need it.

Godot encodes and decodes on its side in C++; this side runs off the main thread. Every value is padded to four bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from npc_server.wire.call_error import CallError

NIL, BOOL, INT, FLOAT, STRING = 0, 1, 2, 3, 4
STRING_NAME, DICTIONARY, ARRAY = 21, 27, 28
BYTES, INT32S, INT64S, FLOAT32S, FLOAT64S, STRINGS = 29, 30, 31, 32, 33, 34
WIDE = 1 << 16
MAX_DEPTH = 100
_NAMES = (
    "Nil bool int float String Vector2 Vector2i Rect2 Rect2i Vector3 Vector3i Transform2D Vector4 Vector4i Plane Quaternion AABB Basis "
    "Transform3D Projection Color StringName NodePath RID Object Callable Signal Dictionary Array PackedByteArray PackedInt32Array "
    "PackedInt64Array PackedFloat32Array PackedFloat64Array PackedStringArray PackedVector2Array PackedVector3Array PackedColorArray"
)
_PACKED = {INT32S: ("i", 4), INT64S: ("q", 8), FLOAT32S: ("f", 4), FLOAT64S: ("d", 8)}
_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_I64 = struct.Struct("<q")
_F32 = struct.Struct("<f")
_F64 = struct.Struct("<d")


class _VariantReader:
    """A place in the bytes. A cut-short value raises CallError."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        end = self.at + size
        if size < 0 or end > len(self.data):
            raise CallError("The bytes of a Variant are cut short.", reason="BRIDGE_BYTES")
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def u32(self) -> int:
        return int(_U32.unpack(self.take(4))[0])

    def text(self, cut: int = 0) -> str:
        size = self.u32()
        raw = self.take(size)
        self.take(-size % 4)
        try:
            return raw[: size - cut].decode()
        except UnicodeDecodeError as error:
            raise CallError(f"A string is not UTF-8: {error}.", reason="BRIDGE_BYTES") from error

    def skip_type(self, kind: int) -> None:
        """The element type of a typed Array or Dictionary: a number, or the name of a class or a script."""
        if kind == 1:
            self.u32()
        elif kind:
            self.text()


def decode(data: bytes) -> object:
    """The value of `data`. Raises CallError for cut-short bytes, and for types that no message field can hold."""
    return _decode(_VariantReader(data), 0)


def _decode(r: _VariantReader, depth: int) -> object:
    if depth > MAX_DEPTH:
        raise CallError(f"A value is nested more than {MAX_DEPTH} deep.", reason="BRIDGE_BYTES")
    head = r.u32()
    kind = head & 0xFF
    if kind == NIL:
        return None
    if kind == BOOL:
        return r.u32() != 0
    if kind == INT:
        return int(_I64.unpack(r.take(8))[0]) if head & WIDE else int(_I32.unpack(r.take(4))[0])
    if kind == FLOAT:
        return float(_F64.unpack(r.take(8))[0]) if head & WIDE else float(_F32.unpack(r.take(4))[0])
    if kind in (STRING, STRING_NAME):
        return r.text()
    if kind == DICTIONARY:
        r.skip_type(head >> 16 & 3)
        r.skip_type(head >> 18 & 3)
        pairs = range(r.u32() & 0x7FFFFFFF)
        found: dict[object, object] = {}
        for _ in pairs:
            key = _decode(r, depth + 1)
            if not isinstance(key, (str, int)):  # bool is an int
                raise CallError(f"A dictionary's key is {key!r}. Use strings (or whole numbers for a map).", reason="BRIDGE_TYPE")
            found[key] = _decode(r, depth + 1)
        return found
    if kind == ARRAY:
        r.skip_type(head >> 16 & 3)
        return [_decode(r, depth + 1) for _ in range(r.u32() & 0x7FFFFFFF)]
    return _decode_packed(r, kind)


def _decode_packed(r: _VariantReader, kind: int) -> object:
    if kind == BYTES:
        size = r.u32()
        raw = r.take(size)
        r.take(-size % 4)
        return raw
    if kind in _PACKED:
        letter, width = _PACKED[kind]
        count = r.u32()
        return list(struct.unpack(f"<{count}{letter}", r.take(count * width)))
    if kind == STRINGS:
        return [r.text(cut=1) for _ in range(r.u32())]  # each ends with a zero byte
    names = _NAMES.split()
    name = names[kind] if kind < len(names) else f"type {kind}"
    raise CallError(f"A {name} cannot go into a message. Send numbers, strings, arrays and dictionaries.", reason="BRIDGE_TYPE")


def call_id(data: bytes) -> int:
    """The id in a command `[name, id, …]`, though what comes after it may not decode; 0 when it is not there."""
    reader = _VariantReader(data)
    try:
        reader.take(8)
        _decode(reader, 1)
        found = _decode(reader, 1)
    except CallError:
        return 0
    return found if isinstance(found, int) else 0


def encode(value: object) -> bytes:
    """`value` as Godot's `bytes_to_var` reads it. Raises CallError for other types than messages have."""
    out = bytearray()
    _encode(out, value)
    return bytes(out)


def _text(out: bytearray, text: str) -> None:
    raw = text.encode("utf-8", "replace")
    out += _U32.pack(len(raw)) + raw + bytes(-len(raw) % 4)


def _encode(out: bytearray, value: object) -> None:
    if value is None:
        out += _U32.pack(NIL)
    elif isinstance(value, bool):
        out += _U32.pack(BOOL) + _U32.pack(value)
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:  # uint64: Godot's int has 64 bits with a sign
            value = (value + 2**63) % 2**64 - 2**63
        out += _U32.pack(INT | WIDE) + _I64.pack(value)
    elif isinstance(value, float):
        out += _U32.pack(FLOAT | WIDE) + _F64.pack(value)
    elif isinstance(value, str):
        out += _U32.pack(STRING)
        _text(out, value)
    elif isinstance(value, bytes):
        out += _U32.pack(BYTES) + _U32.pack(len(value)) + value + bytes(-len(value) % 4)
    elif isinstance(value, Mapping):
        out += _U32.pack(DICTIONARY) + _U32.pack(len(value))
        for key, item in value.items():
            _encode(out, key)
            _encode(out, item)
    elif isinstance(value, (list, tuple)):
        out += _U32.pack(ARRAY) + _U32.pack(len(value))
        for item in value:
            _encode(out, item)
    else:
        raise CallError(f"A {type(value).__name__} cannot go to the game.", code="INTERNAL", reason="BRIDGE_TYPE")
