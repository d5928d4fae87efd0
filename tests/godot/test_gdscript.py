"""The GDScript of the project: formatted, linted, typed, and free of editor classes where a game runs it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.godot.conftest import ADDON, PROJECT
from tests.waiting import LIMIT_S

FOLDERS = ["addons", "demo", "recipes", "tests"]
SCRIPTS = sorted(path for folder in FOLDERS for path in (PROJECT / folder).rglob("*.gd"))


def run_tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    tool = shutil.which(name, path=str(Path(sys.executable).parent)) or name
    return subprocess.run([tool, *arguments], cwd=PROJECT, capture_output=True, text=True, timeout=LIMIT_S, check=False)


def test_gdscript_is_linted() -> None:
    done = run_tool("gdlint", *FOLDERS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_gdscript_is_formatted() -> None:
    done = run_tool("gdformat", "--check", *FOLDERS)
    assert done.returncode == 0, done.stdout + done.stderr


OF_EDITOR = ("plugin.gd", "npc_export.gd", "npc_gizmos.gd", "npc_getter.gd", "npc_get_dialog.gd")
"""Scripts of the addon that no game runs. So are all in its folder `editor`."""


SHOWN_IN_EDITOR = {"figure.gd", "furniture.gd", "ground.gd", "person.gd", "town_map.gd"}
"""Scripts of the demo that draw the scenes of its towns in the editor, too."""


def test_scripts_that_a_game_runs_touch_no_editor_class() -> None:
    for script in SCRIPTS:
        if ADDON / "editor" in script.parents:
            continue
        text = script.read_text(encoding="utf-8")
        if script.name not in OF_EDITOR:
            assert not re.search(r"\bEditor[A-Z]\w+", text), script
        # Controls of the panel, which the editor shows, too, play nothing. Recipes draw their rooms in the editor.
        if script.name not in OF_EDITOR and text.startswith("@tool") and not {ADDON / "panel", PROJECT / "recipes"} & set(script.parents):
            assert script.parent == ADDON or script.name in SHOWN_IN_EDITOR, f"{script} runs in the editor"
            acts = script.parent == ADDON or "func _process" in text
            assert not acts or "Engine.is_editor_hint()" in text, f"{script} plays in the editor"


def test_every_public_member_of_the_addon_has_its_help() -> None:
    """`##` above it, so that the editor shows it (F1)."""
    for script in sorted(ADDON.glob("*.gd")):
        above = ""
        for line in script.read_text(encoding="utf-8").splitlines():
            if re.match(r"(signal |enum |const |@export|(static )?(var|func) (?!_))", line):
                assert above.startswith("##"), f"{script.name}: {line}"
            above = line


def test_no_page_connects_a_lambda_to_the_autoload() -> None:
    """It would outlive the scene: each scene that is opened would add another."""
    for page in sorted((PROJECT.parent / "docs").glob("*.md")):
        assert not re.search(r"NpcServer\.\w+\.connect\(\s*func", page.read_text(encoding="utf-8")), page


@pytest.mark.godot
def test_an_untyped_declaration_is_an_error(godot: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns(".godot", "bin", "town"))
    (project / "demo" / "loose.gd").write_text("class_name Loose\nextends Node\nvar loose = 1\n")
    (project / "addons" / "npc" / "loose.gd").write_text("class_name LooseToo\nextends Node\nfunc give(x):\n\treturn x\n")
    for name in ("demo/loose.gd", "addons/npc/loose.gd"):
        command = [godot, "--headless", "--path", str(project), "--check-only", "--script", f"res://{name}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        assert "has no static type" in done.stderr, (name, done.stdout + done.stderr)
