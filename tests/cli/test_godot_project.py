from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from npc_server.cli.godot_project import find_godot, version_of


def fake_godot(folder: Path, version: str) -> Path:
    path = folder / "godot"
    path.write_text(f"#!/bin/sh\necho '{version}'\n")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="the fake is a shell script")
def test_godot_is_found_by_its_variable_then_on_the_path_and_only_when_new_enough(tmp_path: Path) -> None:
    old, new, path = tmp_path / "old", tmp_path / "new", tmp_path / "path"
    for folder in (old, new, path):
        folder.mkdir()
    fake_godot(old, "4.3.stable.official")
    fake_godot(new, "4.6.1.stable.official.abc")
    fake_godot(path, "4.10.beta")
    system = os.environ["PATH"]
    assert find_godot({"GODOT": str(new / "godot"), "PATH": str(path)}, tmp_path) == new / "godot"
    assert find_godot({"GODOT": str(old / "godot"), "PATH": f"{path}:{system}"}, tmp_path) == path / "godot"
    assert find_godot({"GODOT": str(old / "godot"), "PATH": str(old)}, tmp_path) is None
    assert find_godot({"GODOT": str(tmp_path / "none"), "PATH": ""}, tmp_path) is None


def test_what_is_no_godot_has_no_version(tmp_path: Path) -> None:
    junk = tmp_path / "junk"
    junk.write_bytes(b"\x00\x01")
    junk.chmod(0o755)
    assert version_of(junk) == (0, 0)
    assert version_of(tmp_path) == (0, 0)
