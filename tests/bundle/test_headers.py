"""What the header of a program says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from npc_server.bundle.headers import read_header
from npc_server.bundle.systems import ARM64, ELF, MACH_O, PE, X86_64
from tests.bundle.stand_ins import elf, mach_o, mach_o_for_both, pe


def header(folder: Path, data: bytes) -> tuple[str, set[str], tuple[str, ...]] | None:
    file = folder / "file"
    file.write_bytes(data)
    found = read_header(file)
    return (found.format, set(found.machines), found.loads) if found else None


def test_system_processor_and_libraries_are_read(tmp_path: Path) -> None:
    assert header(tmp_path, elf()) == (ELF, {X86_64}, ())
    assert header(tmp_path, elf(183)) == (ELF, {ARM64}, ())
    assert header(tmp_path, pe(["KERNEL32.dll", "mine.dll"])) == (PE, {X86_64}, ("KERNEL32.dll", "mine.dll"))
    assert header(tmp_path, pe(machine=0xAA64)) == (PE, {ARM64}, ())
    assert header(tmp_path, mach_o(["@rpath/a.dylib"])) == (MACH_O, {ARM64}, ("@rpath/a.dylib",))
    assert header(tmp_path, mach_o_for_both(["/usr/lib/b.dylib"])) == (MACH_O, {X86_64, ARM64}, ("/usr/lib/b.dylib",))
    assert header(tmp_path, elf(8)) == (ELF, {"processor 8"}, ())


@pytest.mark.parametrize("data", [b"", b"MZ", b"MZ" + bytes(100), b"\xca\xfe\xba\xbe\x00\x00\x00\x41 of Java", b"\x7fELF", b"#!/bin/sh\n"])
def test_what_is_no_program_has_no_header(tmp_path: Path, data: bytes) -> None:
    assert header(tmp_path, data) is None


def test_this_python_is_a_program_for_this_system() -> None:
    found = read_header(Path(sys.executable).resolve())
    assert found is not None
    assert found.format == {"win32": PE, "darwin": MACH_O}.get(sys.platform, ELF)
