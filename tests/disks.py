"""A disk that can be filled up."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """2 MB."""
    mount = shutil.which("mount")
    folder = tmp_path / "disk"
    folder.mkdir()
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("a small tmpfs cannot be mounted here: that needs root on Linux")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill_up(disk: Path) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    return ballast
