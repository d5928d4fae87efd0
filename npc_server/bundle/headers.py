"""What the header of a program or library says: for which system and processors it is, and which libraries it loads."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from npc_server.bundle.systems import ARM64, ELF, MACH_O, PE, X86_64

_ELF_MACHINES = {62: X86_64, 183: ARM64}
_PE_MACHINES = {0x8664: X86_64, 0xAA64: ARM64}
_MACH_MACHINES = {0x01000007: X86_64, 0x0100000C: ARM64}
_FAT, _MACH_64 = 0xCAFEBABE, 0xFEEDFACF
_MOST_SLICES = 30
"""A file of Java begins as a Mach-O for several processors does, with a larger number after it."""
_LOADS = frozenset({0x0C, 0x80000018, 0x8000001F, 0x80000023})
"""The commands of a Mach-O that load another library: dylib, weak, re-exported, upward."""


@dataclass(frozen=True)
class NativeHeader:
    """A program or library."""

    format: str
    machines: frozenset[str]
    """The processors that it runs on."""
    loads: tuple[str, ...] = ()
    """The libraries that it names. Those of ELF files are not read."""


def read_header(path: Path) -> NativeHeader | None:
    """Return what the header of a file says; None if it is neither a program nor a library."""
    with path.open("rb") as file:
        head = file.read(4)
        if head == b"\x7fELF" or head[:2] == b"MZ" or head in (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"):
            return _read(head + file.read())
    return None


def _read(data: bytes) -> NativeHeader | None:
    try:
        if data[:2] == b"MZ":
            return _pe(data)
        if data[:4] == b"\x7fELF":
            (number,) = struct.unpack_from("<H", data, 18)
            return NativeHeader(ELF, frozenset({_ELF_MACHINES.get(number, f"processor {number}")}))
        return _mach_o(data)
    except (struct.error, IndexError, ValueError):
        return None


def _pe(data: bytes) -> NativeHeader | None:
    (at,) = struct.unpack_from("<I", data, 0x3C)
    if data[at : at + 4] != b"PE\0\0":
        return None
    machine, sections, optional = struct.unpack_from("<HH12xH", data, at + 4)
    start = at + 24
    directories = start + (112 if struct.unpack_from("<H", data, start)[0] == 0x20B else 96)
    table = [struct.unpack_from("<IIII", data, start + optional + 40 * number + 8) for number in range(sections)]

    def place(address: int) -> int:
        for size, virtual, length, raw in table:
            if virtual <= address < virtual + max(size, length):
                return int(raw + address - virtual)
        raise ValueError(f"no section has the address {address:#x}")

    loads = []
    for entry, width, name in ((1, 20, 12), (13, 32, 4)):  # imports, and those that are loaded only when they are used
        (address,) = struct.unpack_from("<I", data, directories + 8 * entry)
        while address and (named := struct.unpack_from("<I", data, place(address) + name)[0]):
            loads.append(_text(data, place(named)))
            address += width
    return NativeHeader(PE, frozenset({_PE_MACHINES.get(machine, f"processor {machine:#x}")}), tuple(loads))


def _mach_o(data: bytes) -> NativeHeader | None:
    (magic,) = struct.unpack_from(">I", data)
    if magic != _FAT:
        machine, loads = _slice(data, 0)
        return NativeHeader(MACH_O, frozenset({machine}), loads)
    (count,) = struct.unpack_from(">I", data, 4)
    if count > _MOST_SLICES:
        return None
    slices = [_slice(data, struct.unpack_from(">8xI", data, 8 + 20 * number)[0]) for number in range(count)]
    return NativeHeader(
        MACH_O, frozenset(machine for machine, _ in slices), tuple(dict.fromkeys(name for _, names in slices for name in names))
    )


def _slice(data: bytes, start: int) -> tuple[str, tuple[str, ...]]:
    magic, machine, commands = struct.unpack_from("<II8xI", data, start)
    if magic != _MACH_64:
        raise ValueError("a Mach-O of 32 bits")
    at, loads = start + 32, []
    for _ in range(commands):
        kind, size = struct.unpack_from("<II", data, at)
        if kind in _LOADS:
            loads.append(_text(data, at + struct.unpack_from("<I", data, at + 8)[0]))
        at += size
    return _MACH_MACHINES.get(machine, f"processor {machine:#x}"), tuple(loads)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("utf-8", "replace")
