"""What a model has read of somebody is on disk for the next play, and no file there is trusted more than it deserves."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from npc_server.llm.adapters import Adapter
from npc_server.llm.sequences import common_prefix
from npc_server.llm.state_files import StateFiles, key_of

ONE, OTHER = np.arange(100, dtype=np.int32), np.arange(200, 330, dtype=np.int32)
STATE = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [([1, 2, 3], [1, 2, 4], 2), ([1, 2], [1, 2, 3], 2), ([5], [6], 0), ([], [1], 0)],
)
def test_common_prefix_counts_equal_tokens_from_the_start(one: list[int], other: list[int], common: int) -> None:
    assert common_prefix(np.array(one, np.int32), np.array(other, np.int32)) == common


def kept(folder: Path, most: int = 1_000_000, key: str = "model") -> StateFiles:
    return StateFiles(folder, key, most)


def test_a_later_play_finds_what_was_kept_and_how_much_of_a_prompt_it_has(tmp_path: Path) -> None:
    kept(tmp_path).write(ONE, STATE)
    later = kept(tmp_path)
    file, length = later.longest(np.concatenate([ONE[:60], OTHER]))
    assert file is not None
    assert length == 60
    assert later.read(file) == STATE
    assert later.has(ONE)
    assert not later.has(OTHER)


def test_another_model_does_not_find_it(tmp_path: Path) -> None:
    kept(tmp_path).write(ONE, STATE)
    assert kept(tmp_path, key="other").longest(ONE) == (None, 0)


def test_a_longer_beginning_takes_the_place_of_a_shorter_one(tmp_path: Path) -> None:
    files = kept(tmp_path)
    for count in (50, 100):
        files.write(ONE[:count], STATE)
    files.write(OTHER, STATE)
    assert len(list(tmp_path.iterdir())) == 2
    assert files.longest(ONE)[1] == 100


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:-20] + b"?" + data[-19:], lambda data: data[:200], lambda _: b""]
)
def test_a_damaged_file_is_deleted_and_never_used(tmp_path: Path, damage: object) -> None:
    kept(tmp_path).write(ONE, STATE)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    later = kept(tmp_path)
    file, _ = later.longest(ONE)
    assert file is None or later.read(file) is None
    assert later.longest(ONE) == (None, 0)


@pytest.mark.parametrize("taken", [True, False])
def test_a_state_that_is_refused_is_deleted(tmp_path: Path, taken: bool) -> None:
    files = kept(tmp_path)
    files.write(ONE, STATE)
    file, _ = files.longest(ONE)
    assert file is not None
    assert files.give(file, lambda state: taken and state == STATE) == taken
    assert len(list(tmp_path.iterdir())) == int(taken)
    assert files.has(ONE) == kept(tmp_path).has(ONE) == taken


def test_a_state_of_which_a_process_died_is_not_tried_again(tmp_path: Path) -> None:
    files = kept(tmp_path)
    files.write(ONE, STATE)
    file, _ = files.longest(ONE)
    assert file is not None
    with pytest.raises(KeyboardInterrupt):
        files.give(file, _dies)
    assert not kept(tmp_path).has(ONE)
    assert not list(tmp_path.iterdir())


def _dies(_: bytes) -> bool:
    raise KeyboardInterrupt


def test_a_file_that_went_away_meanwhile_is_no_error(tmp_path: Path) -> None:
    files = kept(tmp_path)
    files.write(ONE, STATE)
    file, _ = files.longest(ONE)
    assert file is not None
    file.path.unlink()
    assert files.read(file) is None


def test_the_longest_unused_go_first_where_there_is_no_room_for_all(tmp_path: Path) -> None:
    files = kept(tmp_path, 3 * len(STATE))
    people = [np.full(80, number, np.int32) for number in range(4)]
    for number, tokens in enumerate(people[:2]):
        files.write(tokens, STATE)
        os.utime(max(tmp_path.iterdir(), key=lambda it: it.stat().st_mtime_ns), (number + 1, number + 1))
    first, _ = files.longest(people[0])
    assert first is not None
    assert files.read(first) == STATE, "it was used just now"
    files.write(people[2], STATE)
    assert [files.has(tokens) for tokens in people] == [True, False, True, False]
    assert sum(it.stat().st_size for it in tmp_path.iterdir()) <= 3 * len(STATE)
    files.write(people[3], b"x" * (3 * len(STATE) + 1))
    assert not files.has(people[3]), "it is larger than all that may be kept"


def test_a_folder_that_nobody_can_write_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    files = kept(tmp_path / "file" / "states")
    files.write(ONE, STATE)
    assert files.longest(ONE) == (None, 0)


def test_another_file_of_the_model_another_adapter_and_another_library_have_other_keys(tmp_path: Path) -> None:
    model, adapter = tmp_path / "model.gguf", tmp_path / "adapter.gguf"
    model.write_bytes(b"one")
    adapter.write_bytes(b"two")
    keys = [
        key_of(model, (), "1"),
        key_of(model, (), "2"),
        key_of(model, [Adapter(adapter, 1.0)], "1"),
        key_of(model, [Adapter(adapter, 0.5)], "1"),
    ]
    model.write_bytes(b"three")
    keys.append(key_of(model, (), "1"))
    assert len(set(keys)) == len(keys)
