"""Opening the town in Godot: when the project is imported, and what is told when that fails. With a stand-in for Godot."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from npc_server.cli.demo_in_godot import never_opened, open_in_godot, why_not_in_godot
from npc_server.cli.godot_project import needs_import
from npc_server.errors import NpcServerError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")

STAND_IN = """#!/bin/sh
case "$*" in
    --version) echo 4.6.stable ;;
    *--import*) {import_does} ;;
    *) echo "$@" > {folder}/opened ;;
esac
"""
IMPORTS = "touch {folder}/imported; touch {classes}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose folder .godot is there, and in which nothing is imported."""
    folder = tmp_path / "godot_project"
    for file in ("demo/town.tscn", "demo/town.gd", "demo/towns/millbrook/town.json", "project.godot"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("")
    (folder / ".godot").mkdir()
    (folder / ".godot" / "extension_list.cfg").write_text("res://addons/npc/bin/npc_bridge.gdextension\n")
    return tmp_path


def classes(root: Path) -> Path:
    return root / "godot_project" / ".godot" / "global_script_class_cache.cfg"


def stand_in(root: Path, import_does: str = IMPORTS) -> dict[str, str]:
    """A Godot that writes down what it was asked for."""
    path = root / "godot"
    path.write_text(STAND_IN.format(folder=root, import_does=import_does.format(folder=root, classes=classes(root))))
    path.chmod(0o755)
    return {"GODOT": str(path), "PATH": os.environ["PATH"], "DISPLAY": ":0"}


def test_project_that_was_never_imported_is_imported_before_it_opens(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    open_in_godot(stand_in(root), None, root, ("--town=millbrook",))
    assert (root / "imported").exists()
    assert "Importing" in capfd.readouterr().err
    assert (root / "opened").read_text().strip() == f"--path {root / 'godot_project'} -- --town=millbrook"


def test_a_town_was_opened_once_its_project_is_imported(root: Path) -> None:
    assert never_opened(root)
    open_in_godot(stand_in(root), None, root)
    assert not never_opened(root)


def test_project_is_imported_again_only_after_a_script_changed(root: Path) -> None:
    environment = stand_in(root)
    open_in_godot(environment, None, root)
    (root / "imported").unlink()
    open_in_godot(environment, None, root)
    assert not (root / "imported").exists()
    later = classes(root).stat().st_mtime + 5
    os.utime(root / "godot_project" / "demo" / "town.gd", (later, later))
    open_in_godot(environment, None, root)
    assert (root / "imported").exists()


def test_import_with_script_errors_stops_with_them_and_is_tried_again_the_next_time(root: Path) -> None:
    breaks = "touch {classes}; echo 'SCRIPT ERROR: Parse Error: there is no hud' >&2"
    with pytest.raises(NpcServerError, match="there is no hud"):
        open_in_godot(stand_in(root, breaks), None, root)
    assert not (root / "opened").exists()
    assert needs_import(root / "godot_project")


def test_import_that_ends_without_a_list_of_classes_is_told(root: Path) -> None:
    with pytest.raises(NpcServerError, match=r"(?s)code 9\).*no space"):
        open_in_godot(stand_in(root, "echo no space; exit 9"), None, root)


def test_town_that_the_godot_demo_lacks_stays_in_the_terminal(root: Path) -> None:
    environment = stand_in(root)
    assert why_not_in_godot(environment, root) == ""
    assert why_not_in_godot(environment, root, "household") == "the Godot demo has no town 'household'"
    assert "has no town" in why_not_in_godot(environment, root, "/home/me/town.yaml")


def test_reason_to_stay_in_the_terminal_is_told(tmp_path: Path) -> None:
    assert why_not_in_godot({}, tmp_path) == "there is no display"
    assert "no Godot 4.4" in why_not_in_godot({"DISPLAY": ":0", "PATH": ""}, tmp_path)
    assert "it is in the repository" in why_not_in_godot(stand_in(tmp_path), tmp_path)
