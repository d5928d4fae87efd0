"""Checks the header of a GGUF file before llama.cpp reads it, because llama.cpp aborts on many broken files.

Every count is checked against the bytes that are left before anything is allocated for it. The contents of arrays are skipped.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path

from npc_server.errors import ModelMissing, ModelRejected

_MAX_TENSORS = 65_536
_MAX_KEYS = 4_096
_MAX_KEY = 256
_MAX_KEPT_STRING = 1024 * 1024
_MAX_DIMS = 4
_MAX_NUMBER = 2**48
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
# How many elements and bytes a block of each tensor type has (ggml's type traits).
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74),
    18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2),
    26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18),
}  # fmt: skip

Value = int | float | bool | str
WEAK_AT = "npc_server.weak_at"
"""The header key for the names of prompts that the model should not be asked, joined by commas."""
MEMORIES_SHOWN, PLACES_SHOWN = "npc_server.memories_shown", "npc_server.places_shown"
"""The header keys for the most memories and places that a prompt should show the model."""
ANSWERS_HEAD = "npc_server.answers_head"
"""The header key for what turns the vector of a line and a text into how well the text answers: one float32 for each dimension and one more
that is added, in base64."""


@dataclass(frozen=True)
class Header:
    """The header of a GGUF file."""

    path: Path
    size: int
    """Bytes of the whole file."""
    values: dict[str, Value]
    """The values of all keys, except arrays."""
    arrays: dict[str, int]
    """The keys of arrays, and how many elements each has."""
    shapes: dict[str, tuple[int, ...]]
    """The sizes of each tensor, as in the file: a matrix that turns n numbers into m has (n, m)."""

    @property
    def parameters(self) -> int:
        return sum(map(prod, self.shapes.values()))

    @property
    def architecture(self) -> str:
        return str(self.values.get("general.architecture", ""))

    @property
    def name(self) -> str:
        return str(self.values.get("general.name", "")) or self.path.stem

    @property
    def chat_template(self) -> str:
        return str(self.values.get("tokenizer.chat_template", ""))

    @property
    def weak_at(self) -> frozenset[str] | None:
        """The names of prompts that the model should not be asked, as the file says, or None when it does not."""
        named = self.values.get(WEAK_AT)
        return None if named is None else frozenset(str(named).replace(",", " ").split())

    @property
    def memories_shown(self) -> int:
        """The most memories that a prompt should show the model, as the file says, or 0 when it does not."""
        return self._count(MEMORIES_SHOWN)

    @property
    def places_shown(self) -> int:
        """The most places from which the model should choose one for an action, as the file says, or 0 when it does not."""
        return self._count(PLACES_SHOWN)

    def _count(self, key: str) -> int:
        value = self.values.get(key, 0)
        return max(0, value) if isinstance(value, int) else 0

    def number(self, key: str) -> int:
        """Returns the whole number of the key `<architecture>.<key>`, or 0 without one."""
        value = self.values.get(f"{self.architecture}.{key}", 0)
        return value if isinstance(value, int) else 0


def read_header(path: Path, max_header_bytes: int = 64 * 1024 * 1024) -> Header:
    """Reads and checks the header of a GGUF file. Raises ModelMissing without a readable file, and ModelRejected for a broken one."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise ModelMissing(f"{str(path)!r} is not a file.", "Name a GGUF file.", file=path)
        with path.open("rb") as file:
            if size < 24:
                raise _rejected(path, f"is {size} bytes long; a GGUF file has at least 24", "Copy or pull it again.")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return HeaderReader(path, data, size, max_header_bytes).header()
    except FileNotFoundError as error:
        raise ModelMissing(
            f"There is no model file {str(path)!r}.", "Check the path, or get one: npc-server model pull NAME.", file=path
        ) from error
    except OSError as error:
        raise ModelMissing(
            f"The model file {str(path)!r} cannot be read: {error.strerror}.", "Check its permissions.", file=path
        ) from error


def _rejected(path: Path, what: str, fix: str) -> ModelRejected:
    return ModelRejected(f"The model file {str(path)!r} {what}.", fix, file=path)


class HeaderReader:
    """A position in the file, and the checks at each step."""

    def __init__(self, path: Path, data: mmap.mmap, size: int, limit: int) -> None:
        self.path, self.data, self.size = path, data, size
        self.limit = min(limit, size)
        self.at = 0

    def broken(self, what: str) -> ModelRejected:
        return _rejected(self.path, f"has a broken header: {what}", "It is damaged, or a faulty tool made it; get it again.")

    def skip(self, count: int) -> int:
        """Skips `count` bytes, and returns where they start. Raises ModelRejected beyond the end or the limit."""
        start, self.at = self.at, self.at + count
        if self.at > self.limit:
            if self.limit < self.size:
                raise _rejected(
                    self.path,
                    f"has a header of more than {self.limit} bytes",
                    "Usual models have smaller ones; if you trust this file, raise engine.max_header_bytes.",
                )
            raise _rejected(self.path, f"ends inside its header, at byte {self.size}", "It was cut short; copy or pull it again.")
        return start

    def scalar(self, layout: str) -> Value:
        value: Value = struct.unpack_from(layout, self.data, self.skip(struct.calcsize(layout)))[0]
        return value

    def count(self, what: str, most: int, layout: str = "<Q") -> int:
        value = int(self.scalar(layout))
        if not 0 <= value <= most:
            raise self.broken(f"{what} is {value}, and at most {most} is allowed")
        return value

    def string(self, what: str, most: int) -> str:
        length = self.count(f"the length of {what}", most)
        start = self.skip(length)
        return self.data[start : start + length].decode("utf-8", "replace")

    def header(self) -> Header:
        magic = self.data[:4]
        if magic != b"GGUF":
            raise _rejected(self.path, f"does not start with GGUF but with {magic!r}", "Name a GGUF file; other formats are not read.")
        self.at = 4
        version = self.count("the version", 2**32 - 1, "<I")
        if version not in (2, 3):
            raise _rejected(self.path, f"is GGUF version {version}; 2 and 3 are read", "Get it in a current version.")
        tensors = self.count("the number of tensors", _MAX_TENSORS)
        keys = self.count("the number of keys", _MAX_KEYS)
        values: dict[str, Value] = {}
        arrays: dict[str, int] = {}
        for _ in range(keys):
            key = self.string("a key", _MAX_KEY)
            if key in values or key in arrays:
                raise self.broken(f"key {key!r} appears twice")
            kind = self.count(f"the type of {key!r}", 12, "<I")
            if kind == _ARRAY:
                arrays[key] = self.array(key)
            elif kind == _STRING:
                values[key] = self.string(repr(key), _MAX_KEPT_STRING)
            else:
                values[key] = self.scalar(_SCALARS[kind])
        if not values.get("general.architecture"):
            raise self.broken("general.architecture is missing")
        return Header(self.path, self.size, values, arrays, self.tensors(tensors, values))

    def array(self, key: str) -> int:
        """Skips an array, and returns its number of elements."""
        kind = self.count(f"the element type of {key!r}", 12, "<I")
        if kind == _ARRAY:
            raise self.broken(f"{key!r} is an array of arrays")
        length = self.count(f"the length of {key!r}", self.limit)
        if kind != _STRING:
            self.skip(length * struct.calcsize(_SCALARS[kind]))
            return length
        # A string takes at least 8 bytes, so the file's size and the limit bound this loop.
        if length * 8 > self.limit - self.at:
            self.skip(length * 8)
        unpack = struct.Struct("<Q").unpack_from
        at, limit, data = self.at, self.limit, self.data
        for _ in range(length):
            if at + 8 > limit:
                break
            at += 8 + unpack(data, at)[0]
        self.at = 0
        self.skip(at)
        return length

    def tensors(self, count: int, values: dict[str, Value]) -> dict[str, tuple[int, ...]]:
        """Checks that each tensor lies within the file. Returns the sizes of each."""
        end = 0
        shapes: dict[str, tuple[int, ...]] = {}
        alignment = values.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 8 <= alignment <= 65536 or alignment & (alignment - 1):
            raise self.broken(f"general.alignment is {alignment!r}")
        for _ in range(count):
            name = self.string("a tensor's name", _MAX_KEY)
            if name in shapes:
                raise self.broken(f"tensor {name!r} appears twice")
            dims = [
                self.count(f"a size of {name!r}", _MAX_NUMBER) for _ in range(self.count(f"the dimensions of {name!r}", _MAX_DIMS, "<I"))
            ]
            kind = self.count(f"the type of {name!r}", 1024, "<I")
            offset = self.count(f"the offset of {name!r}", _MAX_NUMBER)
            if kind not in _BLOCKS:
                raise self.broken(f"tensor {name!r} has type {kind}, which this version does not know")
            elements = prod(dims)
            block, width = _BLOCKS[kind]
            if not dims or elements == 0 or elements > _MAX_NUMBER or dims[0] % block:
                raise self.broken(f"tensor {name!r} has the sizes {dims}")
            if offset % alignment:
                raise self.broken(f"tensor {name!r} starts at {offset}, which is not a multiple of {alignment}")
            shapes[name] = tuple(dims)
            end = max(end, offset + elements // block * width)
        start = -(-self.at // alignment) * alignment
        if count and start + end > self.size:
            raise _rejected(self.path, f"is {start + end - self.size} bytes short", "It was cut short; copy it again, or pull it again.")
        return shapes
