"""A game that one developer began, in the clone of another: another folder, another user, and no compiler.

The first test changes the home and the PATH, and the second, which takes a minute and needs root, the user of the processes, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.godot.conftest import TRANSPORT, user_folder, without_compiler
from tests.godot.test_export_bundle import PLUGIN
from tests.godot.test_real_server import NO_BODIES, NO_MODEL
from tests.godot.test_two_games import Game
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot


def run(godot: str, project: Path, home: Path, *arguments: str, user: int | None = None) -> str:
    """Godot as a user whose files and programs lie in `home`. `user` is their number where the process is to have it."""
    own = {"HOME": str(home), "USER": home.name, "PATH": str(home / "programs")}
    environment = {**os.environ, **user_folder(home), **NO_MODEL, **NO_BODIES, **own}
    environment.pop("NPC_SERVER_COMMAND", None)
    command = [godot, "--headless", "--path", str(project), *arguments]
    rights: dict[str, Any] = {} if user is None else {"user": user, "group": user, "extra_groups": [], "cwd": home}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False, **rights)
    said: str = done.stdout + done.stderr
    assert "SCRIPT ERROR" not in said, said
    return said


def begun(godot: str, anna: Path) -> Path:
    """Anna's project, in which she opened the editor and played."""
    project = Game(godot, anna / "work" / "harbor", "Harbor Tale").folder
    with (project / "project.godot").open("a") as file:
        file.write(PLUGIN)
    without_compiler(anna / "programs")
    run(godot, project, anna, "--editor", "--quit")
    assert answer(run(godot, project, anna, "--", "say=What is your boat called?"))
    return project


def cloned(project: Path, clone: Path, anna: Path) -> None:
    """What a repository has of Anna's project. All that is hers is gone, and no file of the clone names it."""
    shutil.copytree(project, clone, ignore=shutil.ignore_patterns(".godot"))  # which no repository has
    shutil.rmtree(anna)
    files = [path for path in clone.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if str(anna).encode() in path.read_bytes()] == []


def test_a_teammates_clone_runs_in_another_folder_under_another_user(godot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRANSPORT, "socket")  # the native library is built on each machine, and no game's repository has it
    anna, zoe = tmp_path / "anna", tmp_path / "home" / "Zoë"
    clone = zoe / "our games" / "harbor"
    cloned(begun(godot, anna), clone, anna)
    without_compiler(zoe / "programs")
    run(godot, clone, zoe, "--import")
    assert answer(run(godot, clone, zoe, "--", "say=What is your boat called?"))
    assert list((zoe / "data").rglob("npc_saves/default*"))


@pytest.fixture
def home_of_another_user() -> Iterator[tuple[Path, int]]:
    """A folder that somebody else may enter and owns, outside of pytest's, which is root's alone; and their number."""
    import pwd  # Windows has none

    user = pwd.getpwnam("nobody").pw_uid
    with tempfile.TemporaryDirectory(prefix="npc-server-teammate-") as name:
        Path(name).chmod(0o755)
        home = Path(name) / "home" / "Zoë"
        home.mkdir(parents=True)
        yield home, user


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may start processes of another user")
def test_a_teammates_clone_runs_for_another_user_of_the_machine(
    godot: str, bundle_without_models: Path, home_of_another_user: tuple[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their server is a bundle, since they may not read the environment of the tests, which lies in somebody else's home."""
    monkeypatch.setenv(TRANSPORT, "socket")
    (zoe, user), anna = home_of_another_user, tmp_path / "anna"
    if subprocess.run([godot, "--version"], user=user, group=user, extra_groups=[], cwd="/", capture_output=True, check=False).returncode:
        pytest.skip("another user may not start this Godot")
    clone = zoe / "our games" / "harbor"
    cloned(begun(godot, anna), clone, anna)
    without_compiler(zoe / "programs")
    shutil.copytree(bundle_without_models, zoe / "npc-server", symlinks=True)
    (zoe / "programs" / "npc-server").unlink()
    (zoe / "programs" / "npc-server").symlink_to(zoe / "npc-server" / "npc-server")
    for path in (zoe, *zoe.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)
    run(godot, clone, zoe, "--import", user=user)
    assert answer(run(godot, clone, zoe, "--", "say=What is your boat called?", user=user))
    (slot, *_) = (zoe / "data").rglob("npc_saves/default*")
    assert slot.stat().st_uid == user, "somebody else's process wrote the save"


def answer(said: str) -> str:
    """What Rosa answered, where it is what her persona says."""
    result = json.loads(next(line[7:] for line in said.splitlines() if line.startswith("RESULT ")))
    assert result["failed"] == [], said
    text = str(result["answer"])
    assert "Petrel" in text
    return text
