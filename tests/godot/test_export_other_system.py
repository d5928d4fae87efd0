"""Exports to systems that are not this one: the bundle that was made for them goes along, or the export says how to make it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.bundle.stand_ins import pe
from tests.godot.conftest import ADDON, user_folder
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.godot
PROJECT = """config_version=5

[application]
config/name="game"
run/main_scene="res://main.tscn"

[editor_plugins]
enabled=PackedStringArray("res://addons/npc/plugin.cfg")

[npc]
server/arguments=["--model", "none"]
"""
PRESET = """[preset.0]
name="Windows"
platform="Windows Desktop"
runnable=true
export_filter="all_resources"
include_filter=""
exclude_filter=""
export_path=""

[preset.0.options]
custom_template/release="{template}"
binary_format/embed_pck=false
binary_format/architecture="x86_64"
application/modify_resources=false
texture_format/s3tc_bptc=true
{more}
"""
SCENE = '[gd_scene format=3]\n\n[node name="Game" type="Node"]\n'


@pytest.fixture
def project(godot: str, tmp_path: Path) -> Path:
    """A game with the addon, and a template that is a program for Windows by its header alone."""
    folder = tmp_path / "project"
    shutil.copytree(ADDON, folder / "addons" / "npc", ignore=shutil.ignore_patterns("bin", "bridge"))
    (folder / "project.godot").write_text(PROJECT)
    (folder / "main.tscn").write_text(SCENE)
    (tmp_path / "template.exe").write_bytes(pe())
    ran(godot, tmp_path, "--import")
    return folder


def ran(godot: str, folder: Path, *arguments: str) -> tuple[int, str]:
    command = [godot, "--headless", "--path", str(folder / "project"), *arguments]
    env = {**os.environ, **user_folder(folder)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False, env=env)
    assert "SCRIPT ERROR" not in done.stdout + done.stderr, done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


def export(godot: str, project: Path, more: str = "") -> tuple[int, str]:
    folder = project.parent
    (project / "export_presets.cfg").write_text(PRESET.format(template=folder / "template.exe", more=more))
    (folder / "game").mkdir(exist_ok=True)
    code, said = ran(godot, folder, "--export-release", "Windows", str(folder / "game" / "game.exe"))
    assert (folder / "game" / "game.pck").is_file(), said
    return code, said


def a_bundle(folder: Path, platform: str = "windows", made_of: str = "1") -> Path:
    (folder / "python" / "bin").mkdir(parents=True)
    (folder / "python" / "python.exe").write_bytes(pe())
    (folder / "python" / "bin" / "npc-server").write_text(made_of)
    (folder / ".gdignore").write_text("")
    (folder / "bundle.json").write_text(json.dumps({"platform": platform, "made_of": made_of}))
    return folder


def test_without_a_bundle_the_export_says_which_command_makes_it(godot: str, project: Path) -> None:
    code, said = export(godot, project)
    place = project / "npc_bundles" / "windows"
    assert code == 1
    assert f"The characters of this game have no minds: there is no bundle for windows in {place}." in said
    assert f'npc-server bundle "{place}" --platform windows --python ARCHIVE --python-sha256 SUM --model none' in said
    code, said = export(godot, project, "npc/take_models_along=false")
    assert "--python-sha256 SUM --without-models" in said
    code, said = export(godot, project, "npc/take_server_along=false")
    assert (code, "The exported game looks for npc-server on its PATH" in said) == (0, True)


def test_the_bundle_of_that_system_goes_along_and_is_renewed_when_another_is_made(godot: str, project: Path) -> None:
    made, beside = project / "npc_bundles" / "windows", project.parent / "game" / "npc-server"
    a_bundle(made)
    code, said = export(godot, project)
    assert (code, f"Copied: {beside}" in said) == (0, True), said
    assert (beside / "python" / "python.exe").read_bytes() == pe()
    assert (beside / ".gdignore").exists()
    code, said = export(godot, project)
    assert (code, f"Up to date: {beside}" in said) == (0, True), said
    shutil.rmtree(made)
    a_bundle(made, made_of="2")
    code, said = export(godot, project)
    assert (beside / "python" / "bin" / "npc-server").read_text() == "2", said


def test_a_bundle_of_another_system_is_not_taken_and_nothing_of_the_developer_is_replaced(godot: str, project: Path) -> None:
    a_bundle(project / "npc_bundles" / "windows", platform="macos")
    code, said = export(godot, project)
    assert (code, "there is no bundle for windows" in said) == (1, True)
    shutil.rmtree(project / "npc_bundles" / "windows")
    a_bundle(project / "npc_bundles" / "windows")
    mine = project.parent / "game" / "npc-server"
    mine.mkdir()
    (mine / "mine").write_text("")
    code, said = export(godot, project)
    assert (code, f"The folder {mine} is there and is not a bundle. Move it away." in said) == (1, True)
    assert [path.name for path in mine.iterdir()] == ["mine"]
