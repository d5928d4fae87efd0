"""Small files that look like those of other systems: programs with real headers, archives of Python, and wheels."""

from __future__ import annotations

import struct
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path


def elf(machine: int = 62) -> bytes:
    """A program for Linux; 62 is x86-64, 183 ARM64."""
    return b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HH", 2, machine) + bytes(44)


def pe(loads: Sequence[str] = (), machine: int = 0x8664) -> bytes:
    """A program for Windows that loads libraries by their names."""
    base, sections_at = 0x1000, 0x80 + 24 + 240
    table, names = b"", b""
    names_at = base + 20 * (len(loads) + 1)
    for name in loads:
        table += struct.pack("<IIIII", 0, 0, 0, names_at + len(names), 0)
        names += name.encode() + b"\0"
    imports = table + bytes(20) + names
    start = sections_at + 40
    optional = struct.pack("<H", 0x20B) + bytes(110) + bytes(8) + struct.pack("<II", base if loads else 0, len(imports)) + bytes(112)
    header = b"PE\0\0" + struct.pack("<HH12xHH", machine, 1, len(optional), 0) + optional
    section = b".rdata\0\0" + struct.pack("<IIII", len(imports), base, len(imports), start) + bytes(16)
    return (b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x80)).ljust(0x80, b"\0") + header + section + imports


def mach_o(loads: Sequence[str] = (), machine: int = 0x0100000C) -> bytes:
    """A program for macOS that loads libraries by their paths; by default for Apple silicon."""
    commands = b""
    for name in loads:
        text = name.encode() + b"\0"
        text += bytes(-len(text) % 8)
        commands += struct.pack("<IIIIII", 0x0C, 24 + len(text), 24, 0, 0, 0) + text
    return struct.pack("<IIIIIIII", 0xFEEDFACF, machine, 0, 6, len(loads), len(commands), 0, 0) + commands


def mach_o_for_both(loads: Sequence[str] = ()) -> bytes:
    slices = [(machine, mach_o(loads, machine)) for machine in (0x01000007, 0x0100000C)]
    start, table, body = 4096, b"", b""
    for machine, data in slices:
        table += struct.pack(">IIIII", machine, 0, start + len(body), len(data), 0)
        body += data
    return (struct.pack(">II", 0xCAFEBABE, 2) + table).ljust(start, b"\0") + body


OF_WINDOWS: Mapping[str, bytes] = {
    "python.exe": pe(["python313.dll", "VCRUNTIME140.dll", "KERNEL32.dll"]),
    "pythonw.exe": pe(),
    "python313.dll": pe(["api-ms-win-crt-runtime-l1-1-0.dll"]),
    "python313.zip": b"the standard library",
    "python313._pth": b"python313.zip\r\n.\r\n",
    "vcruntime140.dll": pe(),
    "_ssl.pyd": pe(["libssl-3.dll", "python313.dll"]),
    "libssl-3.dll": pe(),
    "LICENSE.txt": b"the licence",
}
"""What python.org's embeddable package has."""
OF_MACOS: Mapping[str, bytes] = {
    "python/bin/python3.13": mach_o(["@executable_path/../lib/libpython3.13.dylib", "/usr/lib/libSystem.B.dylib"]),
    "python/bin/pip3": b"#!/usr/bin/python3",
    "python/lib/libpython3.13.dylib": mach_o(),
    "python/lib/python3.13/os.py": b"name = 'posix'\n",
    "python/lib/python3.13/LICENSE.txt": b"the licence",
    "python/lib/python3.13/lib-dynload/_ssl.cpython-313-darwin.so": mach_o(["/usr/lib/libSystem.B.dylib"]),
    "python/lib/python3.13/tkinter/__init__.py": b"",
    "python/lib/python3.13/site-packages/pip/__init__.py": b"",
    "python/lib/python3.13/test/test_os.py": b"",
    "python/lib/tcl9.0/init.tcl": b"",
    "python/include/python3.13/Python.h": b"",
}
"""What python-build-standalone has for macOS."""


def zip_of(file: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file


def tar_of(file: Path, files: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> Path:
    with tarfile.open(file, "w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, BytesIO(data))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return file


def a_wheel(
    folder: Path, name: str, tag: str = "py3-none-any", requires: Sequence[str] = (), files: Mapping[str, bytes] | None = None
) -> Path:
    """A wheel `name==version`, with a module of its name."""
    title, _, version = name.partition("==")
    plain = title.replace("-", "_")
    info = f"{plain}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {title}\nVersion: {version}\nLicense-Expression: MIT\n"
    metadata += "".join(f"Requires-Dist: {it}\n" for it in requires)
    inside = {
        f"{plain}/__init__.py": b"",
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nTag: {tag}\n".encode(),
    }
    inside |= files or {}
    return zip_of(folder / f"{plain}-{version}-{tag}.whl", {**inside, f"{info}/RECORD": "".join(f"{it},,\n" for it in inside).encode()})
