"""The packages of another system: which ones, in which version, and which of their files. The wheels are small, and pip is real."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from npc_server.bundle import wheels
from npc_server.bundle.systems import find_system
from npc_server.bundle.wheels import Wheel, _package, _required, fetch_wheels, unpack_wheel
from npc_server.errors import BadInput
from tests.bundle.stand_ins import a_wheel, pe

WINDOWS, MACOS = find_system("windows"), find_system("macos-arm64")


def fetched(folder: Path, given: Path, platform: str, minor: int = 13) -> dict[str, str]:
    folder.mkdir()
    found = fetch_wheels(find_system(platform), minor, folder, given)
    return {wheel.package.metadata["Name"]: wheel.path.name for wheel in found}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """npc-server requires two packages."""
    monkeypatch.setattr(wheels, "_first", lambda system, minor: iter([Requirement("numpy>=1"), Requirement("typer[all]>=0.1")]))


@pytest.mark.usefixtures("few")
def test_conditions_hold_as_the_other_system_sees_them(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    conditions = ['colorama; sys_platform == "win32"', 'uvloop; sys_platform == "linux"', 'tomli; python_version < "3.11"']
    a_wheel(given, f"typer=={version('typer')}", requires=[*conditions, 'extra-one; extra == "all"', 'extra-two; extra == "other"', "pip"])
    for name in ("colorama==0.4", "uvloop==1.0", "tomli==2.0", "extra-one==1.0", "extra-two==1.0", "pip==1.0"):
        a_wheel(given, name)
    for tag in ("cp313-cp313-win_amd64", "cp313-cp313-macosx_11_0_arm64", "cp310-abi3-win_amd64", "cp313-cp313-manylinux_2_17_x86_64"):
        a_wheel(given, f"numpy=={version('numpy')}", tag)
    a_wheel(given, "numpy==99.0", "cp313-cp313-win_amd64")
    on_windows = fetched(tmp_path / "w", given, "windows")
    assert set(on_windows) == {"numpy", "typer", "colorama", "extra-one"}
    assert on_windows["numpy"] == f"numpy-{version('numpy')}-cp313-cp313-win_amd64.whl", "the version that is tested is the one here"
    assert set(fetched(tmp_path / "m", given, "macos-arm64")) == {"numpy", "typer", "extra-one"}
    assert fetched(tmp_path / "t", given, "windows", minor=10)["tomli"] == "tomli-2.0-py3-none-any.whl"


@pytest.mark.usefixtures("few")
def test_another_version_is_taken_where_this_one_has_no_wheel_and_none_is_an_error(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    a_wheel(given, f"typer=={version('typer')}")
    a_wheel(given, "numpy==99.0", "cp313-cp313-win_amd64")
    assert fetched(tmp_path / "w", given, "windows")["numpy"].startswith("numpy-99.0-")
    (tmp_path / "m").mkdir()
    with pytest.raises(BadInput, match=r"pip finds no wheels for macOS on Apple silicon and Python 3.13: .*numpy.*--wheels"):
        fetch_wheels(MACOS, 13, tmp_path / "m", given)


def test_what_npc_server_requires_there_runs_models_and_makes_none() -> None:
    names = {wanted.name for wanted in wheels._first(WINDOWS, 13)}
    assert {"grpcio", "numpy", "xllamacpp", "msvc-runtime"} <= names
    assert not names & {"gguf", "safetensors", "llama-cpp-python", "npc-server", "mypy"}
    assert "msvc-runtime" not in {wanted.name for wanted in wheels._first(MACOS, 13)}


def test_an_unmarked_requirement_always_holds() -> None:
    assert [it.name for it in _required(["a", "b; sys_platform == 'darwin'"], (), MACOS, 13)] == ["a", "b"]
    assert [it.name for it in _required(["a", "b; sys_platform == 'darwin'"], (), WINDOWS, 13)] == ["a"]


def test_of_a_wheel_what_runs_is_unpacked_to_where_python_finds_it(tmp_path: Path) -> None:
    runtime, data = "msvc_runtime-14.0.data/data", pe()
    inside = {f"{runtime}/Scripts/msvcp140.dll": data, f"{runtime}/Scripts/vcamp140.dll": data, f"{runtime}/msvcp140.dll": data}
    inside |= {"msvc_runtime/x.pyi": b"", "msvc_runtime/tests/t.py": b"", "../evil.py": b"", "msvc_runtime-14.0.data/purelib/pure.py": b"x"}
    inside |= {"msvc_runtime-14.0.dist-info/licenses/LICENSE": b"MIT", "msvc_runtime-14.0.dist-info/top_level.txt": b""}
    path = a_wheel(tmp_path, "msvc-runtime==14.0", files=inside)
    copies = list(unpack_wheel(Wheel(path, _package(path)), tmp_path / "out"))
    assert {copy.target.as_posix() for copy in copies} == {
        "packages/msvc_runtime/__init__.py",
        "packages/pure.py",
        "packages/msvc_runtime-14.0.dist-info/METADATA",
        "packages/msvc_runtime-14.0.dist-info/licenses/LICENSE",
        "python/msvcp140.dll",
    }
    assert not list(tmp_path.rglob("evil.py"))
