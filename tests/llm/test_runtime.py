"""Which build of llama.cpp runs models."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing
from npc_server.llm.runtime import find_runtime, installed_runtimes, is_compiled, need_compiled, packages_of_runtime
from npc_server.llm.start import open_embedder, open_engine

FIND = importlib.util.find_spec


def only_has(monkeypatch: pytest.MonkeyPatch, packages: Iterable[str], program: Path | None = None) -> None:
    """Lets it seem as if only these packages were installed, and this llama-server was on the PATH."""
    here = frozenset(packages)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: FIND("numpy") if name in here else None)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.0")
    monkeypatch.setenv("PATH", str(program.parent) if program else "")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "llama-server"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_compiled_goes_before_prebuilt_and_that_before_a_program(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    only_has(monkeypatch, ["llama_cpp", "llguidance", "xllamacpp"], program)
    assert find_runtime().kind == "llama-cpp-python"
    assert [it.kind for it in installed_runtimes()] == ["llama-cpp-python", "xllamacpp", "llama-server"]
    assert packages_of_runtime() == ("llama-cpp-python", "llguidance")
    only_has(monkeypatch, ["llama_cpp", "xllamacpp"], program)
    assert find_runtime().kind == "xllamacpp"
    assert packages_of_runtime() == ("xllamacpp",)
    only_has(monkeypatch, [], program)
    assert find_runtime() == find_runtime(str(program))
    assert find_runtime().program == str(program)


def test_setting_names_another_one(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    only_has(monkeypatch, ["llama_cpp", "llguidance", "xllamacpp"], program)
    assert find_runtime("xllamacpp").is_served
    assert find_runtime("llama-server").kind == "llama-server"
    assert not is_compiled("xllamacpp")


@pytest.mark.parametrize("wanted", ["auto", "xllamacpp", "/nowhere/llama-server"])
def test_where_none_is_there_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    only_has(monkeypatch, [])
    with pytest.raises(ModelMissing, match=r"npc-server\[prebuilt\]") as raised:
        find_runtime(wanted)
    assert wanted == "auto" or wanted in str(raised.value)
    assert not is_compiled(wanted)


def test_what_needs_the_compiled_one_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    only_has(monkeypatch, ["xllamacpp"])
    with pytest.raises(ModelMissing, match=r"Counting tokens needs llama-cpp-python.*npc-server\[llama-cpp-python\]"):
        need_compiled("Counting tokens")


async def test_without_any_everybody_lives_by_instinct(monkeypatch: pytest.MonkeyPatch, random_model: Path) -> None:
    only_has(monkeypatch, [])
    settings = EngineSettings(model=str(random_model))
    engine, embedder = await open_engine(settings), await open_embedder(settings)
    assert "npc-server[prebuilt]" in engine.status().problem
    assert embedder.name.startswith("hashed-words")


def test_commands_and_what_asks_a_prebuilt_llama_cpp_load_without_any_build_of_it() -> None:
    code = """
import importlib, pkgutil, sys
for name in ("llama_cpp", "llguidance", "xllamacpp"):
    sys.modules[name] = None
import npc_server.cli, npc_server.llm.served
for package in (npc_server.cli, npc_server.llm.served):
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
