"""Imports projects of tests. Where they differ only in texts and scenes, one is imported, and the others get what Godot made of it."""

from __future__ import annotations

import atexit
import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.waiting import LIMIT_S

WITHOUT_EFFECT = {".yaml", ".md", ".txt", ".tscn"}
"""Files that Godot's list of classes and the imported pictures do not depend on."""
_kept = tempfile.TemporaryDirectory(prefix="npc-server-imported-")
atexit.register(_kept.cleanup)
_said: dict[str, str] = {}


def import_project(godot: str, project: Path, environment: Mapping[str, str]) -> str:
    """Returns what Godot said when it imported this project or one like it."""
    key = _key(project)
    kept = Path(_kept.name) / key
    if key in _said:
        shutil.copytree(kept, project, dirs_exist_ok=True)
        return _said[key]
    before = set(_files(project))
    command = [godot, "--headless", "--path", str(project), "--import"]
    done = subprocess.run(command, env=dict(environment), capture_output=True, text=True, timeout=LIMIT_S, check=False)
    for path in _files(project):
        if path not in before or ".godot" in path.parts:
            (kept / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project / path, kept / path)
    _said[key] = done.stdout + done.stderr
    return _said[key]


def _files(project: Path) -> Iterable[Path]:
    return (path.relative_to(project) for path in sorted(project.rglob("*")) if path.is_file())


def _key(project: Path) -> str:
    """The same for projects whose import gives the same."""
    digest = hashlib.sha256()
    for path in _files(project):
        if path.suffix not in WITHOUT_EFFECT:
            bytes_ = (project / path).read_bytes()
            digest.update(f"{path} ".encode() + (_without_name(bytes_) if path.name == "project.godot" else bytes_))
    return digest.hexdigest()


def _without_name(settings: bytes) -> bytes:
    return re.sub(rb"^config/name=.*$", b"", settings, flags=re.MULTILINE)
