"""An exported game on the machine of a player, who has no Python and no npc-server: what it needs lies beside it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from npc_server.bundle.native import BASE_SYSTEM
from tests.godot.conftest import PROJECT, ROOT, TRANSPORT, user_folder
from tests.godot.test_export import export, start_command, unpacked_folder
from tests.godot.test_real_server import NO_MODEL
from tests.godot.test_two_games import Game
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot
PLUGIN = '\n[editor_plugins]\nenabled=PackedStringArray("res://addons/npc/plugin.cfg")\n'
SETTINGS = 'server/command="/home/developer/npc-server"\nserver/arguments=["--model", "none", "--embedding-model=none"]\n'
"""In the section `[npc]`, the last of the project file: a program that no player has, and models for the server."""
SYSTEM = ("/dev/", "/etc/", "/lib/", "/lib64/", "/proc/", "/sys/", "/usr/lib/", "/usr/share/", "/var/cache/", "/memfd:", "/SYSV")
HIDE = 'for folder; do [ "$folder" = -- ] && break; mount -t tmpfs none "$folder"; shift; done; shift; exec "$@"'
"""A shell that hides folders from the command after `--`, in a namespace of its own."""


@dataclass(frozen=True)
class Exported:
    """An exported game that was moved, and what Godot said while it exported."""

    game: Path
    said: str
    start: tuple[str, ...]
    native: bool
    """Whether the project had the native library."""

    def play(self, folder: Path, *arguments: str, settings: dict[str, str] | None = None) -> dict[str, Any]:
        """Runs it with nothing of this environment, and with this machine's Python out of reach where that is possible."""
        environment = {"HOME": str(folder / "home"), **user_folder(folder), **(settings or {})}
        command = [*self.start, "--headless", "--", *arguments]
        done = subprocess.run(
            [*hiding(), *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        output = done.stdout + done.stderr
        assert "SCRIPT ERROR" not in output, output
        results = [line[7:] for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        assert results, output
        found: dict[str, Any] = json.loads(results[-1])
        return found


def hiding() -> list[str]:
    """A prefix of a command that hides the developer's Python from it; empty where this system does not let us."""
    folders = [folder for folder in {sys.prefix, sys.base_prefix} if not folder.startswith("/usr")]
    words = ["unshare", "--map-root-user", "--mount", "sh", "-c", HIDE, "sh", *folders, "--"]
    try:
        works = subprocess.run([*words, "true"], capture_output=True, timeout=LIMIT_S, check=False).returncode == 0
    except OSError:
        works = False
    return words if works else []


@pytest.fixture(scope="module", params=["socket", pytest.param("native", marks=pytest.mark.slow)])
def exported(
    request: pytest.FixtureRequest, godot: str, bundle_without_models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Exported]:
    folder = tmp_path_factory.mktemp("export")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(TRANSPORT, request.param)
        project = Game(godot, folder / "project", "Harbor of Zoë").folder
    with (project / "project.godot").open("a") as file:
        file.write(SETTINGS + PLUGIN)
    shutil.copy(PROJECT / "export_presets.cfg", project)
    beside = folder / "game" / "npc-server"
    beside.parent.mkdir()
    subprocess.run(["cp", "--archive", "--link", str(bundle_without_models), str(beside)], check=True, timeout=LIMIT_S)
    said = export(godot, project, folder / "game" / "harbor.x86_64", {"NPC_SERVER_ENGINE__RERANKER": "none"})
    moved = folder / "Zoës Spiele" / "the game"
    moved.parent.mkdir()
    (folder / "game").rename(moved)
    shutil.rmtree(project)
    game = moved / "harbor.x86_64"
    yield Exported(game, said, tuple(start_command(game, unpacked_folder(godot))), request.param == "native")
    subprocess.run(["chmod", "-R", "u+w", str(moved)], check=True, timeout=LIMIT_S)


def test_the_export_puts_everything_beside_the_game_and_makes_no_folder_twice(exported: Exported) -> None:
    beside = {path.name for path in exported.game.parent.iterdir()}
    assert {"npc-server", "harbor.pck"} <= beside
    assert ({"libnpc_bridge.so", "python"} <= beside) == exported.native
    assert "Up to date: " in exported.said, "with the models that the project's arguments name, none, it is the same"
    assert "npc_bridge.path" not in beside, "it names a folder of the developer"


@pytest.mark.parametrize("kind", ["release", "debug"])
def test_an_export_whose_folder_cannot_be_made_ends_with_an_error(godot: str, tmp_path: Path, kind: str, transport: str) -> None:
    """A file is in the folder's place. The game itself is there, with all that Godot makes of it."""
    project = Game(godot, tmp_path / "project", "Harbor Tale").folder
    with (project / "project.godot").open("a") as file:
        file.write(SETTINGS + PLUGIN)
    shutil.copy(PROJECT / "export_presets.cfg", project)
    game = tmp_path / "game" / "harbor.x86_64"
    game.parent.mkdir()
    (game.parent / "npc-server").write_text("mine")
    said = export(godot, project, game, kind=kind, code=1)
    assert "Players of this game get no npc-server." in said
    assert "is not a folder" in said
    assert (game.parent / "npc-server").read_text() == "mine"
    library = {"libnpc_bridge.so"} if transport == "native" else set()
    assert {path.name for path in game.parent.iterdir()} >= {"harbor.x86_64", "harbor.pck", *library}


def test_without_python_on_the_machine_somebody_answers(exported: Exported, tmp_path: Path) -> None:
    result = exported.play(tmp_path, "say=What is your boat called?", "look=yes", settings=NO_MODEL)
    assert result["failed"] == []
    assert "Petrel" in result["answer"]
    for program in ("game", "server"):
        mapped = [Path(path) for path in result["mapped"][program]]
        assert strangers(mapped, exported, tmp_path) == [], program
        assert any("libpython" in path.name for path in mapped) == (program == "server" or exported.native), program
    assert any(path.name == "python3" for path in map(Path, result["mapped"]["server"]))


def strangers(mapped: list[Path], exported: Exported, home: Path) -> list[Path]:
    """What is neither the game's, nor the player's, nor of the base system. Godot itself may come from an unpacked Debian."""
    own = (exported.game.parent, home, (ROOT / ".godot-engine").resolve())
    outside = [path for path in mapped if not any(folder in path.parents for folder in own)]
    libraries = [path for path in outside if ".so" in path.name and not path.name.endswith((".cache", ".conf"))]
    strange = [path for path in outside if not str(path).startswith(SYSTEM)]
    return strange + [path for path in libraries if BASE_SYSTEM.fullmatch(path.name) is None]


def test_players_own_python_settings_and_a_place_that_is_only_read_change_nothing(exported: Exported, tmp_path: Path) -> None:
    traps = {"PYTHONHOME": "/nowhere", "PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": "/nowhere", "PYTHONUSERBASE": str(tmp_path)}
    (tmp_path / "npc_server.py").write_text("raise SystemExit('a module of the player')")
    subprocess.run(["chmod", "-R", "a-w", str(exported.game.parent)], check=True, timeout=LIMIT_S)
    before = sorted(exported.game.parent.rglob("*"))
    result = exported.play(tmp_path, "say=What is your boat called?", settings={**NO_MODEL, **traps})
    assert result["failed"] == []
    assert "Petrel" in result["answer"]
    assert sorted(exported.game.parent.rglob("*")) == before


def test_without_the_folder_beside_it_the_game_says_which_one_it_needs(exported: Exported, tmp_path: Path) -> None:
    beside, away = exported.game.parent / "npc-server", tmp_path / "away"
    subprocess.run(["chmod", "u+w", str(exported.game.parent)], check=True, timeout=LIMIT_S)
    beside.rename(away)
    try:
        result = exported.play(tmp_path, settings=NO_MODEL)
    finally:
        away.rename(beside)
    assert f"There is no folder {beside}. The export puts it beside the game" in dict(result["failed"])["NO_SERVER"]


def test_a_command_in_the_environment_still_comes_first(exported: Exported, tmp_path: Path) -> None:
    result = exported.play(tmp_path, settings={**NO_MODEL, "NPC_SERVER_COMMAND": "/nowhere/npc-server"})
    assert [reason for reason, _ in result["failed"]] == ["NO_SERVER"]
