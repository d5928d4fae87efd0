"""Python out of an archive: its layout, its checksum, and what is left out."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from npc_server.bundle.python_archive import read_archive, unpack
from npc_server.bundle.systems import find_system
from npc_server.errors import BadInput
from tests.bundle.stand_ins import OF_MACOS, OF_WINDOWS, tar_of, zip_of

WINDOWS, MACOS = find_system("windows"), find_system("macos-arm64")


def checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def unpacked(file: Path, platform: str, folder: Path) -> tuple[int, dict[str, bytes]]:
    system = find_system(platform)
    archive = read_archive(file, checksum(file).upper(), system)
    return archive.minor, {copy.target.as_posix(): copy.source.read_bytes() for copy in unpack(archive, system, folder)}


def test_embeddable_package_of_windows_is_taken_without_the_second_program(tmp_path: Path) -> None:
    minor, files = unpacked(zip_of(tmp_path / "p.zip", OF_WINDOWS), "windows", tmp_path / "out")
    assert minor == 13
    assert set(files) == {f"python/{name}" for name in OF_WINDOWS if name != "pythonw.exe"} | {"licences/python.txt"}
    assert files["python/python313._pth"] == OF_WINDOWS["python313._pth"]


def test_whole_python_of_windows_is_taken_without_what_compiles_and_draws(tmp_path: Path) -> None:
    """So it comes from NuGet and from python-build-standalone."""
    files = {f"tools/{name}": data for name, data in OF_WINDOWS.items()}
    files |= {
        f"tools/{name}": b"x" for name in ("Lib/os.py", "DLLs/_ssl.pyd", "DLLs/_tkinter.pyd", "Lib/tkinter/__init__.py", "libs/p.lib")
    }
    files |= {f"tools/{name}": b"x" for name in ("include/Python.h", "Scripts/pip.exe", "Lib/test/x.py", "Lib/site-packages/pip/x.py")}
    minor, found = unpacked(zip_of(tmp_path / "p.nupkg", {"python.nuspec": b"", **files}), "windows", tmp_path / "out")
    assert minor == 13
    assert {"python/python.exe", "python/Lib/os.py", "python/DLLs/_ssl.pyd"} <= set(found)
    strange = ("tkinter", "libs/", "include", "Scripts", "test", "site-packages", "nuspec")
    assert [name for name in found if any(word in name for word in strange)] == []


@pytest.mark.parametrize("root", ["python", "./cpython-3.13.9-macos-aarch64-none"])
def test_python_of_macos_is_taken_without_what_a_server_does_not_need(tmp_path: Path, root: str) -> None:
    """As it is published, and as uv lays it out."""
    links = {f"{root}/bin/python3": "python3.13", f"{root}/lib/python3.13/link.py": "os.py", "./cpython-3.13": "cpython-3.13.9"}
    archive = tar_of(tmp_path / "p.tar.gz", {name.replace("python", root, 1): data for name, data in OF_MACOS.items()}, links)
    minor, files = unpacked(archive, "macos-arm64", tmp_path / "out")
    assert minor == 13
    lib = "python/lib/python3.13"
    assert set(files) == {
        "python/bin/python3",
        "python/lib/libpython3.13.dylib",
        f"{lib}/os.py",
        f"{lib}/link.py",
        f"{lib}/LICENSE.txt",
        f"{lib}/lib-dynload/_ssl.cpython-313-darwin.so",
        "licences/python.txt",
    }
    assert files[f"{lib}/link.py"] == files[f"{lib}/os.py"]


def test_an_archive_without_its_checksum_tells_it_and_a_wrong_one_is_refused(tmp_path: Path) -> None:
    file = zip_of(tmp_path / "p.zip", OF_WINDOWS)
    with pytest.raises(BadInput, match=rf"has the SHA-256 {checksum(file)}\. Compare it with the one that its publisher names"):
        read_archive(file, "", WINDOWS)
    with pytest.raises(BadInput, match=rf"has the SHA-256 {checksum(file)}, not 00. Get it again"):
        read_archive(file, "00", WINDOWS)
    with pytest.raises(BadInput, match=r"There is no archive '.*gone.zip'. docs/export.md names archives"):
        read_archive(tmp_path / "gone.zip", "", WINDOWS)


def test_an_archive_for_another_system_or_of_another_form_is_refused(tmp_path: Path) -> None:
    windows, macos = zip_of(tmp_path / "w.zip", OF_WINDOWS), tar_of(tmp_path / "m.tar.gz", OF_MACOS)
    with pytest.raises(BadInput, match=r"has no Python for macOS on Apple silicon: bin/python3.X with lib/python3.X is missing"):
        read_archive(windows, checksum(windows), MACOS)
    with pytest.raises(BadInput, match=r"has no Python for Windows on x86-64: python.exe with its python3XX.dll is missing"):
        read_archive(macos, checksum(macos), WINDOWS)
    (tmp_path / "x.zst").write_bytes(b"something else")
    with pytest.raises(BadInput, match=r"cannot be read: .*Take one that ends in .zip, .nupkg or .tar.gz"):
        read_archive(tmp_path / "x.zst", checksum(tmp_path / "x.zst"), MACOS)


def test_nothing_is_unpacked_outside_of_the_folder(tmp_path: Path) -> None:
    _, files = unpacked(
        tar_of(tmp_path / "p.tar.gz", {**OF_MACOS, "python/lib/python3.13/../../../../evil.py": b""}), "macos", tmp_path / "a" / "b"
    )
    assert not any("evil" in name for name in files)
    assert not list(tmp_path.rglob("evil.py"))
