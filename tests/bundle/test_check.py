"""What is wrong with the files of a bundle for another system."""

from __future__ import annotations

from pathlib import Path

from npc_server.bundle.check import problems_of
from npc_server.bundle.copies import Copy
from npc_server.bundle.systems import find_system
from tests.bundle.stand_ins import elf, mach_o, mach_o_for_both, pe


def problems(folder: Path, platform: str, **files: bytes) -> list[str]:
    copies = []
    for number, (name, data) in enumerate(files.items()):
        source = folder / str(number)
        source.write_bytes(data)
        copies.append(Copy(source, Path("packages", *name.split("__"))))
    return list(problems_of(copies, find_system(platform)))


def test_a_library_of_another_system_or_processor_is_named(tmp_path: Path) -> None:
    assert problems(tmp_path, "windows", good=pe(["KERNEL32.dll"]), bad=elf()) == ["packages/bad is for ELF on x86-64"]
    assert problems(tmp_path, "macos", bad=mach_o(), both=mach_o_for_both()) == ["packages/bad is for Mach-O on arm64"]
    assert problems(tmp_path, "macos-arm64", good=mach_o(), both=mach_o_for_both(), bad=pe()) == ["packages/bad is for PE on x86-64"]
    assert problems(tmp_path, "linux-arm64", good=elf(183), bad=elf()) == ["packages/bad is for ELF on x86-64"]


def test_a_library_that_a_player_may_lack_is_named(tmp_path: Path) -> None:
    loads = pe(["MSVCP140.dll", "api-ms-win-crt-heap-l1-1-0.dll", "WS2_32.dll", "mine.dll"])
    assert problems(tmp_path, "windows", a=loads, **{"MINE.dll": pe()}) == ["packages/a loads MSVCP140.dll, which is not there"]
    brew = mach_o(["/opt/homebrew/lib/libssl.dylib", "/usr/lib/libSystem.B.dylib", "@rpath/mine.dylib", "@rpath/gone.dylib"])
    assert problems(tmp_path, "macos-arm64", a=brew, **{"mine.dylib": mach_o()}) == [
        "packages/a loads /opt/homebrew/lib/libssl.dylib, which is not there",
        "packages/a loads @rpath/gone.dylib, which is not there",
    ]


def test_names_that_windows_cannot_have_are_named(tmp_path: Path) -> None:
    names = dict.fromkeys(("aux.py", "fine.py", "com1", "a:b", "dot.", "auxiliary.py", "q__con.txt__x.py"), b"")
    found = problems(tmp_path, "windows", **names)
    assert [it.split()[0].rpartition("/")[2] for it in found] == ["aux.py", "com1", "a:b", "dot.", "x.py"]
    assert problems(tmp_path, "linux", **names) == []


def test_a_path_that_is_too_long_and_names_that_differ_in_capitals_alone_are_named(tmp_path: Path) -> None:
    assert problems(tmp_path, "windows", **{"a" * 190: b"", "b" * 191: b""}) == [
        f"packages/{'b' * 191} has 200 letters, and Windows allows few more with the folder of a game"
    ]
    assert problems(tmp_path, "macos", **{"One.py": b"", "one.py": b""}) == ["packages/one.py is there twice, with other capitals"]
