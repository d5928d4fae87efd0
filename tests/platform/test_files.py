from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from npc_server.platform import files


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[int, int]]:
    path = tmp_path / "x.lock"
    handles = (os.open(path, os.O_RDWR | os.O_CREAT), os.open(path, os.O_RDWR))
    yield handles
    for handle in handles:
        os.close(handle)


def test_a_lock_is_for_one_handle(two: tuple[int, int]) -> None:
    files.lock(two[0])
    with pytest.raises(OSError, match=r"\[Errno"):
        files.lock(two[1])


def test_a_file_that_is_open_elsewhere_for_a_moment_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, branch: str) -> None:
    """As on Windows, where a virus scanner may have the file open."""
    fresh, target = tmp_path / "fresh", tmp_path / "target"
    fresh.write_text("new")
    target.write_text("old")
    refused, rename = iter([True, True]), Path.replace

    def replace(self: Path, other: Path) -> Path:
        if next(refused, False):
            raise PermissionError(13, "The process cannot access the file")
        return rename(self, other)

    monkeypatch.setattr(Path, "replace", replace)
    if branch:
        files.move_over(fresh, target)
        assert target.read_text() == "new"
    else:
        with pytest.raises(PermissionError):
            files.move_over(fresh, target)


def test_a_file_that_stays_open_elsewhere_is_no_endless_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, other: Path) -> Path:
        raise PermissionError(13, "The process cannot access the file")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError):
        files.move_over(tmp_path / "a", tmp_path / "b", patience_s=0.05)


def test_a_file_is_written_as_a_whole_or_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "note.json"
    files.write_whole(target, "first … ")
    files.write_whole(target, "second")
    assert target.read_text(encoding="utf-8") == "second"

    def full(self: Path, other: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        files.write_whole(target, "third")
    assert target.read_text(encoding="utf-8") == "second"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_is_synced_where_the_system_can(tmp_path: Path) -> None:
    files.sync_folder(tmp_path)
