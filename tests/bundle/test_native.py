"""Which libraries of this system a bundle brings. The files are this Python's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from npc_server.bundle.copies import Copy
from npc_server.bundle.native import BASE_SYSTEM, libraries_of, native_of, newest_glibc
from npc_server.bundle.python_files import python_files
from npc_server.errors import BadInput

PROGRAM = Path(sys.executable).resolve()


@pytest.mark.parametrize("name", ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libcuda.so.1"])
def test_the_c_library_and_drivers_are_the_players_own(name: str) -> None:
    assert BASE_SYSTEM.fullmatch(name)


@pytest.mark.parametrize("name", ["libssl.so.3", "libffi.so.8", "libgomp.so.1", "libcrypt.so.1", "libcudart.so.12", "libmvec.so.1.fake"])
def test_other_libraries_come_along(name: str) -> None:
    assert not BASE_SYSTEM.fullmatch(name)


def test_a_library_comes_after_those_that_it_needs_and_only_pythons_own_are_loaded_into_the_game() -> None:
    native = native_of(tuple(python_files()))
    place = {copy.target.name: number for number, copy in enumerate(native.copies)}
    for copy in native.copies:
        needs = libraries_of([copy.source])[copy.source]
        assert all(place[name] < place[copy.target.name] for name in needs if name in place)
    assert set(native.preloaded) == {copy.target for copy in native.copies}
    assert not any(BASE_SYSTEM.fullmatch(name) for name in place)


def test_a_library_that_is_in_the_bundle_anyway_is_not_brought_twice() -> None:
    alone = native_of([Copy(PROGRAM, Path("python", "bin", "python3"))])
    both = native_of([Copy(PROGRAM, Path("python", "bin", "python3")), *alone.copies])
    assert both.copies == ()


def test_the_newest_version_that_is_asked_of_the_c_library_counts(tmp_path: Path) -> None:
    file = tmp_path / "x.so"
    file.write_bytes(b"\x7fELF GLIBC_2.4\0GLIBC_2.34\0GLIBC_2.17\0GLIBCXX_3.4.30\0")
    assert newest_glibc(file) == 34
    assert newest_glibc(Path(__file__).with_name("__init__.py")) == 0


def test_a_system_without_ldd_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match=r"ldd cannot be run.*glibc"):
        libraries_of([PROGRAM])
