"""The packages that `make release` builds, installed into an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from npc_server import __version__
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1.npc_pb2_grpc import SaveServiceStub
from tests.rpc import killing
from tests.rpc.test_serve_process import told
from tests.scripts.test_release import PROJECT, release

MOST_BYTES = 20_000_000
"""Of a wheel."""
pytestmark = [pytest.mark.xdist_group("packages"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    release.make_packages(folder)
    return folder


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the locked packages that npc-server needs, and not npc-server."""
    folder = tmp_path_factory.mktemp("empty")
    uv("venv", "--quiet", "--python", sys.executable, folder / "env")
    uv("export", "--quiet", "--frozen", "--no-dev", "--no-emit-workspace", "--output-file", folder / "needed.txt", "--project", PROJECT)
    uv("pip", "install", "--quiet", "--python", folder / "env", "--requirement", folder / "needed.txt")
    return folder / "env"


def uv(*words: object) -> None:
    ran = subprocess.run([release.find_uv(), *map(str, words)], cwd="/", capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]


def install(environment: Path, package: Path) -> None:
    """Installs a package without its requirements, and checks that these are there."""
    uv("pip", "install", "--quiet", "--no-deps", "--reinstall", "--python", environment, package)


def command(environment: Path, *words: object) -> list[str]:
    folder = "Scripts" if sys.platform == "win32" else "bin"
    return [str(environment / folder / "npc-server"), *map(str, words)]


def nobody(folder: Path) -> dict[str, str]:
    """The variables of somebody who has set nothing, and has nothing of this repository on a path."""
    return {"HOME": str(folder), "PATH": os.defpath, "LANG": "C.UTF-8"}


def run(environment: Path, folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    line = command(environment, *words)
    return subprocess.run(line, cwd=folder, env=nobody(folder), capture_output=True, text=True, timeout=120, check=False)


@contextmanager
def serving(environment: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    line = command(environment, "serve", *killing.flags(folder / "saves", folder / "ready.json"))
    process = subprocess.Popen(line, cwd=folder, env=nobody(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("kind", ["npc_server-*.tar.gz", "npc_server-*.whl"])
async def test_the_package_serves_in_an_empty_environment(built: Path, empty: Path, tmp_path: Path, kind: str) -> None:
    (package,) = built.glob(kind)
    install(empty, package)
    uv("pip", "check", "--python", empty)
    assert run(empty, tmp_path, "--version").stdout == f"{__version__}\n"
    assert "npc-rerank" in run(empty, tmp_path, "model", "list").stdout
    with serving(empty, tmp_path) as process:
        ready = await told(tmp_path, process)
        async with grpc.aio.insecure_channel(ready["address"]) as channel:
            answer = await SaveServiceStub(channel).ListSaves(pb.ListSavesRequest(), metadata=killing.bearer(ready["token"]))
    assert list(answer.saves) == []


def test_what_measures_comes_with_its_own_package(built: Path, empty: Path, tmp_path: Path) -> None:
    (server,), (measures,) = built.glob("npc_server-*.whl"), built.glob("npc_eval-*.whl")
    install(empty, server)
    uv("pip", "uninstall", "--quiet", "--python", empty, "npc-eval")
    assert 'pip install "npc-server[eval]"' in run(empty, tmp_path, "eval").stderr
    install(empty, measures)
    assert "Show the model calls" in run(empty, tmp_path, "cost", "--help").stdout


def test_a_wheel_holds_one_package_and_is_small(built: Path) -> None:
    for name in ("npc_server", "npc_eval"):
        (wheel,) = built.glob(f"{name}-*.whl")
        assert {path.split("/")[0] for path in zipfile.ZipFile(wheel).namelist()} == {name, f"{name}-{__version__}.dist-info"}
        assert wheel.stat().st_size < MOST_BYTES
