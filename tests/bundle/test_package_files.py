"""Which packages go into a bundle, and what of them."""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

from npc_server.bundle.package_files import bridge_part, files_of, is_used, licence_list, needed, own_files
from npc_server.errors import BadInput


def names(packages: tuple[Distribution, ...]) -> set[str]:
    return {package.metadata["Name"].lower().replace("_", "-") for package in packages}


def test_all_that_is_required_comes_and_nothing_for_development() -> None:
    found = names(needed())
    assert {"npc-server", "grpcio", "numpy", "llama-cpp-python", "pydantic-core", "markupsafe"} <= found
    assert not {"pytest", "mypy", "gguf", "matplotlib", "uvicorn", "pip", "cffi"} & found
    assert ("tomli" in found) == (sys.version_info < (3, 11))


@pytest.mark.parametrize(
    "name",
    ["grpc/__init__.py", "numpy.libs/libx.so", "google/rpc/status.proto", "a-1.dist-info/METADATA", "a-1.dist-info/licenses/LICENSE.txt"],
)
def test_what_runs_and_its_licences_are_used(name: str) -> None:
    assert is_used(name)


@pytest.mark.parametrize(
    "name",
    [
        "../../../bin/f2py",
        "include/ggml.h",
        "lib/cmake/x.cmake",
        "numpy/_core/tests/test_a.py",
        "numpy/_core/lib/libnpymath.a",
        "grpc/__init__.pyi",
        "_editable_impl_npc_server.pth",
        "a-1.dist-info/RECORD",
        "a-1.dist-info/direct_url.json",
    ],
)
def test_what_is_for_compiling_for_tests_or_of_this_machine_is_not(name: str) -> None:
    assert not is_used(name)


def test_of_cffi_only_the_part_that_the_bridge_needs_comes() -> None:
    (cffi,) = bridge_part()
    targets = [copy.target for copy in files_of(cffi)]
    assert any(path.name.startswith("_cffi_backend") for path in targets)
    assert not any(path.parts[1] == "cffi" for path in targets)


def test_each_library_of_llama_cpp_comes_under_the_names_that_are_asked_for() -> None:
    names = [copy.target.name for copy in files_of(distribution("llama-cpp-python"))]
    assert "libllama.so" in names
    assert not [name for name in names if ".so." in name and name.count(".") > 2]


def test_the_package_is_taken_as_it_lies_there_but_for_what_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "npc_server"
    (folder / "data").mkdir(parents=True)
    for name in ("__init__.py", "py.typed", "data/words.txt", "data/large.gguf"):
        (folder / name).write_text("")
    found = {copy.target.as_posix() for copy in own_files(folder, [folder / "data" / "large.gguf"])}
    assert found == {"packages/npc_server/__init__.py", "packages/npc_server/py.typed", "packages/npc_server/data/words.txt"}


def test_every_package_is_listed_with_a_licence() -> None:
    lines = licence_list(needed()).splitlines()
    assert len(lines) == len(needed())
    assert all(line.partition(": ")[2] for line in lines)


def test_a_package_of_the_system_that_lists_no_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    package = distribution("numpy")
    monkeypatch.setattr(type(package), "files", None)
    with pytest.raises(BadInput, match=r"numpy does not list its files.*virtual environment"):
        list(files_of(package))
