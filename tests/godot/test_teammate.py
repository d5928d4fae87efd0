"""A game that one developer began, in the clone of another: another folder, another user, and no compiler."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.godot.conftest import TRANSPORT, user_folder, without_compiler
from tests.godot.test_export_bundle import PLUGIN
from tests.godot.test_real_server import NO_MODEL
from tests.godot.test_two_games import Game
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot


def run(godot: str, project: Path, home: Path, *arguments: str) -> str:
    """Godot as a user whose files and programs lie in `home`."""
    own = {"HOME": str(home), "USER": home.name, "PATH": str(home / "programs")}
    environment = {**os.environ, **user_folder(home), **NO_MODEL, **own}
    environment.pop("NPC_SERVER_COMMAND", None)
    command = [godot, "--headless", "--path", str(project), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    said = done.stdout + done.stderr
    assert "SCRIPT ERROR" not in said, said
    return said


def test_a_teammates_clone_runs_in_another_folder_under_another_user(godot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRANSPORT, "socket")  # the native library is built on each machine, and no game's repository has it
    anna, zoe = tmp_path / "anna", tmp_path / "home" / "Zoë"
    project = Game(godot, anna / "work" / "harbor", "Harbor Tale").folder
    with (project / "project.godot").open("a") as file:
        file.write(PLUGIN)
    without_compiler(anna / "programs")
    run(godot, project, anna, "--editor", "--quit")
    assert answer(run(godot, project, anna, "--", "say=What is your boat called?"))

    clone = zoe / "our games" / "harbor"
    shutil.copytree(project, clone, ignore=shutil.ignore_patterns(".godot"))  # which no repository has
    shutil.rmtree(anna)
    files = [path for path in clone.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if str(anna).encode() in path.read_bytes()] == []
    without_compiler(zoe / "programs")
    run(godot, clone, zoe, "--import")
    assert answer(run(godot, clone, zoe, "--", "say=What is your boat called?"))
    assert list((zoe / "data").rglob("npc_saves/default*"))


def answer(said: str) -> str:
    """What Rosa answered, where it is what her persona says."""
    result = json.loads(next(line[7:] for line in said.splitlines() if line.startswith("RESULT ")))
    assert result["failed"] == [], said
    text = str(result["answer"])
    assert "Petrel" in text
    return text
