"""Bundles for systems that are not this one: made from small wheels and archives, and looked at file by file."""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from npc_server.bundle.check import problems_of
from npc_server.bundle.copies import Copy
from npc_server.bundle.from_wheels import BundleSource, make_from_wheels
from npc_server.bundle.headers import read_header
from npc_server.bundle.place import read_mark
from npc_server.bundle.systems import find_system
from npc_server.errors import BadInput
from tests.bundle.stand_ins import OF_MACOS, OF_WINDOWS, a_wheel, elf, mach_o, pe, tar_of, zip_of


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of each package that npc-server requires, with a library for Windows and for macOS in the one that runs models."""
    folder = tmp_path_factory.mktemp("wheels")
    for text in distribution("npc-server").requires or ():
        wanted = Requirement(text)
        if "extra" not in str(wanted.marker) and wanted.name != "tomli":
            a_wheel(folder, f"{wanted.name}=={version(wanted.name)}")
    runs = next(it for it in map(Requirement, distribution("npc-server").requires or ()) if it.name == "xllamacpp")
    name = f"xllamacpp=={str(runs.specifier).removeprefix('==')}"
    a_wheel(folder, name, "cp310-abi3-win_amd64", files={"xllamacpp/x.pyd": pe(["msvcp140.dll", "python313.dll", "KERNEL32.dll"])})
    a_wheel(folder, name, "cp310-abi3-macosx_13_0_arm64", files={"xllamacpp/x.abi3.so": mach_o(["/usr/lib/libc++.1.dylib"])})
    a_wheel(folder, name, "cp310-abi3-macosx_13_0_x86_64", files={"xllamacpp/x.abi3.so": elf()})
    scripts = "msvc_runtime-14.0.data/data/Scripts"
    a_wheel(folder, "msvc-runtime==14.0", files={f"{scripts}/msvcp140.dll": pe(), f"{scripts}/vcruntime140.dll": pe(["KERNEL32.dll"])})
    return folder


def source(folder: Path, platform: str, given: Path) -> BundleSource:
    archive = zip_of(folder / "p.zip", OF_WINDOWS) if platform == "windows" else tar_of(folder / "p.tar.gz", OF_MACOS)
    return BundleSource(find_system(platform), archive, hashlib.sha256(archive.read_bytes()).hexdigest(), given)


def natives(folder: Path) -> set[tuple[str, str]]:
    """The format and processor of every program and library."""
    headers = (read_header(path) for path in folder.rglob("*") if path.is_file())
    return {(it.format, machine) for it in headers if it for machine in it.machines}


def test_windows_gets_its_own_libraries_launcher_and_line_endings(tmp_path: Path, given: Path) -> None:
    made = make_from_wheels(tmp_path / "npc-server", None, source(tmp_path, "windows", given))
    folder = made.folder
    assert natives(folder) == {("PE", "x86-64")}
    assert not [path for path in folder.rglob("*") if ".so" in path.suffixes or path.suffix == ".dylib"]
    launcher = (folder / "npc-server.cmd").read_bytes()
    assert launcher.count(b"\r\n") == launcher.count(b"\n") > 0
    assert not (folder / "npc-server").exists()
    assert b"\r\n" not in (folder / "python" / "bin" / "npc-server").read_bytes()
    assert (folder / "python" / "vcruntime140.dll").read_bytes() == pe(["KERNEL32.dll"]), "an older one than msvcp140.dll asks for"
    assert {"python.exe", "python313.zip", "msvcp140.dll"} <= {path.name for path in (folder / "python").iterdir()}
    assert max(len(path.relative_to(folder).as_posix()) for path in folder.rglob("*")) < 200
    assert (folder / "licences" / "python.txt").read_text() == "the licence"
    assert "numpy" in (folder / "licences" / "packages.txt").read_text()
    assert not (folder / "npc_bridge.path").exists()
    mark = read_mark(folder)
    assert mark is not None
    assert (mark.platform, mark.was_run) == ("windows", False)


def test_macos_gets_programs_that_run_and_a_shell_script(tmp_path: Path, given: Path) -> None:
    folder = make_from_wheels(tmp_path / "npc-server", None, source(tmp_path, "macos-arm64", given)).folder
    assert natives(folder) == {("Mach-O", "arm64")}
    launcher = folder / "npc-server"
    assert launcher.read_bytes().startswith(b"#!/bin/sh\n")
    assert b"\r" not in launcher.read_bytes()
    assert launcher.stat().st_mode & (folder / "python" / "bin" / "python3").stat().st_mode & 0o111 == 0o111
    assert (folder / "packages" / "npc_server" / "cli").is_dir()
    assert list(folder.rglob("*.pyc")) == [] or sys.version_info[1] == 13
    copies = [Copy(path, path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    assert list(problems_of(copies, find_system("macos-arm64"))) == []


def test_an_up_to_date_one_stays_and_another_archive_makes_it_anew(tmp_path: Path, given: Path) -> None:
    wanted = source(tmp_path, "macos-arm64", given)
    assert make_from_wheels(tmp_path / "b", None, wanted).is_new
    assert not make_from_wheels(tmp_path / "b", None, wanted).is_new
    archive = tar_of(tmp_path / "p.tar.gz", {**OF_MACOS, "python/lib/python3.13/new.py": b""})
    other = BundleSource(wanted.system, archive, hashlib.sha256(archive.read_bytes()).hexdigest(), given)
    assert make_from_wheels(tmp_path / "b", None, other).is_new
    assert {path.name for path in tmp_path.iterdir()} == {"b", "p.tar.gz"}, "what it worked with is not removed"


def test_a_wheel_with_a_library_of_another_system_makes_no_bundle(tmp_path: Path, given: Path) -> None:
    archive = tar_of(
        tmp_path / "p.tar.gz", {name: data if b"\xcf" not in data[:1] else mach_o((), 0x01000007) for name, data in OF_MACOS.items()}
    )
    wanted = BundleSource(find_system("macos"), archive, hashlib.sha256(archive.read_bytes()).hexdigest(), given)
    with pytest.raises(BadInput, match=r"no bundle for macOS on Intel: packages/xllamacpp/x.abi3.so is for ELF on x86-64"):
        make_from_wheels(tmp_path / "b", None, wanted)
    assert [path.name for path in tmp_path.iterdir()] == ["p.tar.gz"]


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["windows", "macos", "macos-arm64", "linux-arm64"])
def test_real_wheels_of_each_system_make_a_bundle(tmp_path: Path, platform: str) -> None:
    """Downloads some 40 MB each. The archive of Python is a small one."""
    machine = 0x01000007 if platform == "macos" else 0x0100000C
    files = {
        name: data if data[:1] != b"\xcf" else mach_o((), machine) if "macos" in platform else elf(183) for name, data in OF_MACOS.items()
    }
    files |= {"python/lib/libpython3.13.dylib": mach_o((), machine)} if "macos" in platform else {}
    # What wheels load of the real Python for Windows.
    windows = {**OF_WINDOWS, "python3.dll": pe(), "vcruntime140_1.dll": pe()}
    archive = zip_of(tmp_path / "p.zip", windows) if platform == "windows" else tar_of(tmp_path / "p.tar.gz", files)
    wanted = BundleSource(find_system(platform), archive, hashlib.sha256(archive.read_bytes()).hexdigest())
    try:
        folder = make_from_wheels(tmp_path / "b", None, wanted).folder
    except BadInput as error:
        if "--wheels" in str(error):
            pytest.skip(f"The registry cannot be reached: {error}")
        raise
    assert len(natives(folder)) >= 1
    assert list(folder.glob("packages/xllamacpp/*"))
