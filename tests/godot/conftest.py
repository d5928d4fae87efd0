"""Godot, the built bridge and servers for the tests of this folder. Where there is no Godot they skip; with CI=true they fail."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from npc_server.memory.lock import FileLock
from tests.waiting import LIMIT_S, wait_until

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "godot_project"
ADDON = PROJECT / "addons" / "npc"
BUILDER = PROJECT.parent / "scripts" / "build_bridge.py"
TRANSPORT = "NPC_SERVER_TRANSPORT"
sys.path.insert(0, str(ADDON / "bridge"))  # the Python half of the bridge, which is not part of the npc_server package


@dataclass(frozen=True)
class Ran:
    """What a run of Godot left behind."""

    code: int
    output: str
    result: dict[str, Any]


def find_godot() -> str | None:
    choices = [os.environ.get("GODOT"), "godot", "godot4", str(ROOT / ".godot-engine" / "godot")]
    return next((found for choice in choices if choice and (found := shutil.which(choice))), None)


@pytest.fixture(scope="session")
def godot(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Godot with the bridge built and the project imported, once for all processes of pytest-xdist."""
    found = find_godot()
    if found is None:
        how = "There is no Godot: install 4.4 or later and set GODOT, or on Debian run scripts/get_godot.sh."
        if os.environ.get("CI") == "true":
            pytest.fail(how)
        pytest.skip(how)
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    lock = FileLock.acquire(shared / "godot.lock", patience_s=LIMIT_S)
    assert lock is not None, "another process of these tests does not end with the import"
    try:
        if not (shared / "godot.imported").exists():
            _prepare(found)
            (shared / "godot.imported").touch()
    finally:
        lock.release()
    return found


def _prepare(godot: str) -> None:
    """Builds the bridge and imports the project."""
    built = subprocess.run([sys.executable, str(BUILDER), "--godot", godot], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    imported = subprocess.run(
        [godot, "--headless", "--path", str(PROJECT), "--import"], capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert imported.returncode == 0, imported.stdout + imported.stderr
    assert "SCRIPT ERROR" not in imported.stdout + imported.stderr, imported.stdout + imported.stderr


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test with a game plays on the socket and then with the native bridge. The second is slow, but for the journeys."""
    named = [marker.args[0] for marker in metafunc.definition.iter_markers("parametrize")]
    if "transport" in metafunc.fixturenames and "transport" not in named:
        journey = metafunc.definition.get_closest_marker("journey") is not None
        native = pytest.param("native", marks=() if journey else pytest.mark.slow)
        metafunc.parametrize("transport", ["socket", native], indirect=True)


@pytest.fixture
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What carries the messages of the games that this test starts."""
    kind = str(request.param)
    monkeypatch.setenv(TRANSPORT, kind)
    return kind


RunCase = Callable[..., Ran]
UNPACED = ("--fixed-fps", "60")
"""Godot runs as fast as it can, and each frame counts as a sixtieth of a second."""


@pytest.fixture
def run_case(godot: str, tmp_path: Path, transport: str) -> RunCase:
    """Runs a case of godot_project/tests/cases; with a user folder of its own, so that no test meets another's files."""

    def run(
        case: str,
        *arguments: str,
        env: dict[str, str] | None = None,
        timeout: float = 540,
        project: Path = PROJECT,
        engine: Sequence[str] = (),
        drawn: bool = False,
    ) -> Ran:
        """`drawn` needs a display, see display.py."""
        shown = ["--rendering-driver", "opengl3", "--audio-driver", "Dummy"] if drawn else ["--headless"]
        command = [godot, *shown, *engine, "--path", str(project), "res://tests/run.tscn", "--", case, *arguments]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env={**os.environ, **user_folder(tmp_path), **(env or {})},
        )
        output = done.stdout + done.stderr
        lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        return Ran(done.returncode, output, json.loads(lines[-1][7:]) if lines else {})

    return run


def user_folder(folder: Path) -> dict[str, str]:
    """Where Godot (user://) and npc-server (saves) keep files."""
    return {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache")}


def saves_of(folder: Path, user: str = "npc-server-demo") -> Path:
    """The game's saves: under its user://, whose folder has the game's name."""
    return folder / "data" / user / "npc_saves"


def read_ready(path: Path) -> dict[str, Any]:
    """What a server told of itself, once it is ready."""
    wait_until(path.exists)
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def copy_addon(project: Path) -> None:
    """What a developer unpacks: the zip that `make release` makes. The native library of this machine is added where games use it."""
    zipped: Path = runpy.run_path(str(ROOT / "scripts" / "release.py"))["make_addon_zip"](project)
    shutil.unpack_archive(zipped, project)
    zipped.unlink()
    if os.environ.get(TRANSPORT) != "socket":
        shutil.copytree(ADDON / "bin", project / "addons" / "npc" / "bin")
        (project / ".godot").mkdir(exist_ok=True)
        (project / ".godot" / "extension_list.cfg").write_text("res://addons/npc/bin/npc_bridge.gdextension\n")


def with_server_on_path() -> dict[str, str]:
    """What `npc-server` names for a game that nobody tells where its server is."""
    return {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


def without_compiler(folder: Path) -> dict[str, str]:
    """A PATH in `folder` with npc-server and what Godot's start script needs, and nothing that compiles, fetches or is a Python."""
    folder.mkdir(parents=True)
    for name in ("sh", "dirname", "readlink", "ls", "head"):
        (folder / name).symlink_to(shutil.which(name) or name)
    (folder / "npc-server").symlink_to(Path(sys.executable).parent / "npc-server")
    assert not [name for name in ("cc", "gcc", "c++", "g++", "clang", "make", "cmake", "git", "python3") if shutil.which(name, path=folder)]
    return {"PATH": str(folder)}


def names_server(told: Mapping[str, Any]) -> list[str]:
    """Arguments of a case that name a running server. Its ports are free ones, so the socket's need not follow the other."""
    return [f"address={told['address']}", f"token={told['token']}", f"npc/server/socket_port={told['socket'].rpartition(':')[2]}"]


@pytest.fixture
def fake_command() -> str:
    """For NPC_SERVER_COMMAND: starts the stand-in of fake_server.py."""
    return f"{sys.executable} {Path(__file__).with_name('fake_server.py')}"


@pytest.fixture
def children() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ended after the test, whatever happened in it."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait(LIMIT_S)
