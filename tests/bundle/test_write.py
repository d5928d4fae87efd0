"""Writing a bundle, or not: what fails leaves what was there."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from npc_server.bundle.copies import Copy
from npc_server.bundle.write import Contents, bridge_text, write_bundle
from npc_server.errors import BadInput


def test_the_bridge_gets_paths_relative_to_the_bundle_and_libraries_in_their_order() -> None:
    lines = bridge_text((Path("python/lib/native/libcrypto.so.3"), Path("python/lib/native/libssl.so.3"))).splitlines()
    assert lines[:4] == ["home=python", "site=../python", "site=packages", "server=npc-server"]
    assert lines[4:] == ["library=python/lib/native/libcrypto.so.3", "library=python/lib/native/libssl.so.3"]


def test_a_disk_without_room_is_named_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=10))
    with pytest.raises(BadInput, match=r"is full: \d+ MB are needed and 0 MB are free.*Free some room"):
        write_bundle(tmp_path / "b", Contents((Copy(Path(__file__), Path("a.py")),), (), {}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_there", [False, True])
def test_a_bundle_that_does_not_start_replaces_nothing_and_leaves_nothing(tmp_path: Path, is_there: bool) -> None:
    """This one has a Python that cannot run."""
    folder, broken = tmp_path / "b", tmp_path / "python3"
    broken.write_text("#!/bin/sh\necho 'it is broken' >&2\nexit 1\n")
    if is_there:
        folder.mkdir()
        (folder / "old").write_text("")
    with pytest.raises(BadInput, match=r"does not start: it is broken"):
        write_bundle(folder, Contents((Copy(broken, Path("python/bin/python3")),), (), {}))
    assert sorted(path.name for path in tmp_path.iterdir()) == (["b", "python3"] if is_there else ["python3"])
    assert not is_there or (folder / "old").is_file()


def test_an_older_bundle_is_replaced_whole_and_nothing_beside_it_is_touched(tmp_path: Path) -> None:
    """This one has a program in place of Python."""
    folder, program = tmp_path / "b", tmp_path / "python3"
    program.write_text("#!/bin/sh\n")
    folder.mkdir()
    (folder / "stale").write_text("")
    write_bundle(folder, Contents((Copy(program, Path("python/bin/python3")),), (), {Path("licences/packages.txt"): "none"}))
    assert sorted(path.name for path in folder.iterdir()) == ["README.txt", "licences", "npc-server", "npc_bridge.path", "python"]
    assert (folder / "licences" / "packages.txt").read_text() == "none"
    assert (folder / "npc-server").stat().st_mode & 0o111 == 0o111
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "python3"]


def _older_and_program(tmp_path: Path, does: str = "") -> tuple[Path, Path]:
    """An older bundle, and a program that stands for Python in a new one."""
    folder, program = tmp_path / "b", tmp_path / "python3"
    program.write_text(f"#!/bin/sh\n{does}")
    folder.mkdir()
    (folder / "old").write_text("it works")
    return folder, program


def test_an_older_bundle_is_put_back_if_the_new_one_cannot_be_moved(tmp_path: Path) -> None:
    """This one has a program in place of Python that deletes itself with all of the new one when it is tried out."""
    folder, program = _older_and_program(tmp_path, '[ "$3" != version ] || rm -rf "$PWD"\n')
    with pytest.raises(BadInput, match=r"could not be moved to '.*/b': No such file.* The older one is there as before\..* try again"):
        write_bundle(folder, Contents((Copy(program, Path("python/bin/python3")),), (), {}))
    assert (folder / "old").read_text() == "it works"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "python3"]


def test_an_older_bundle_that_cannot_be_put_back_is_kept_where_the_error_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program writes to the place as soon as the older bundle has left it."""
    folder, program = _older_and_program(tmp_path)
    move = Path.replace

    def move_while_another_writes(path: Path, target: Path) -> Path:
        moved = move(path, target)
        (folder / "of another").mkdir(parents=True)
        return moved

    monkeypatch.setattr(Path, "replace", move_while_another_writes)
    with pytest.raises(BadInput, match=r"could not be moved to .*Directory not empty.* could not be moved back: .*Move it back") as error:
        write_bundle(folder, Contents((Copy(program, Path("python/bin/python3")),), (), {}))
    kept = next(path for path in tmp_path.iterdir() if path.suffix == ".old")
    assert f"The older one is in {str(kept)!r}" in str(error.value)
    assert (kept / "old").read_text() == "it works"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([kept.name, "b", "python3"])


def test_an_older_bundle_that_cannot_be_moved_away_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its temporary place is taken by the time it would move there."""
    folder, program = _older_and_program(tmp_path)
    move = Path.replace

    def move_to_where_something_is(path: Path, target: Path) -> Path:
        (target / "of another").mkdir()
        return move(path, target)

    monkeypatch.setattr(Path, "replace", move_to_where_something_is)
    with pytest.raises(BadInput, match=r"cannot be written: Directory not empty"):
        write_bundle(folder, Contents((Copy(program, Path("python/bin/python3")),), (), {}))
    assert (folder / "old").read_text() == "it works"


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot be written: No such file"):
        write_bundle(tmp_path / "b", Contents((Copy(tmp_path / "gone", Path("a.py")),), (), {}))
