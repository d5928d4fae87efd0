"""kill -9 at seeded moments: what was acknowledged is there, and once."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from sqlite_utils import Database

from npc_server.memory import database, meta
from npc_server.memory.create import create
from npc_server.memory.slots import Slots
from tests.memory.copies import opened

pytestmark = [
    pytest.mark.kill,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no kill -9"),
]
Kill = Callable[..., int]


@pytest.fixture
def kill() -> Iterator[Kill]:
    """`kill(target, path, seed, too_early=False)` starts a child, kills it at the seed's moment, and returns the highest number
    that it acknowledged; 0 for none."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    command = [sys.executable, "-m", "tests.memory.kill_child", str(writer)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root, pass_fds=[writer]) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        talk, hear = parent.stdin, parent.stdout

        def run_and_kill(target: str, path: Path, seed: int, too_early: bool = False) -> int:
            talk.write(json.dumps([target, str(path), seed, too_early]) + "\n")
            talk.flush()
            child = int(hear.readline())
            acknowledged = [0]
            if seed % 2:  # however slow the machine is, half of the kills come after three writes
                while len(acknowledged) <= 3 and select.select([reader], [], [], 120)[0]:
                    acknowledged.append(int.from_bytes(os.read(reader, 8), "big"))
                time.sleep(Random(seed).uniform(0.0, 0.05))
            else:
                time.sleep(Random(seed).uniform(0.0, 0.25))
            os.kill(child, signal.SIGKILL)
            assert int(hear.readline()) == -signal.SIGKILL, "the child ended by itself"
            with suppress(BlockingIOError):
                while word := os.read(reader, 8):
                    acknowledged.append(int.from_bytes(word, "big"))
            return max(acknowledged)

        yield run_and_kill
        talk.close()
    os.close(reader)
    os.close(writer)


def losses(path: Path, acknowledged: int) -> list[str]:
    """What a save lacks of what it should have."""
    found: list[str] = []
    with database.reading(path) as db:
        database.check_sound(db, path)
        last = meta.read(db).last_seq
        stored = [row[0] for row in db.execute("SELECT seq FROM inbox ORDER BY seq").fetchall()]
        if last < acknowledged or stored[-1:] != ([last] if last else []):
            found.append(f"{acknowledged} was acknowledged, {last} is remembered, {stored[-1:]} is stored")
        if stored != list(range(1, len(stored) + 1)):
            found.append("an event is missing, or there twice")
        found += half_thoughts(db)
    return found


def half_thoughts(db: Database) -> list[str]:
    """An event that is done has its memory, and no other has one."""
    done = {row[0] for row in db.execute("SELECT seq FROM inbox WHERE done = 1").fetchall()}
    remembered = {row[0] for row in db.execute("SELECT id FROM memories").fetchall()}
    return [] if done == remembered else [f"done and remembered differ in {sorted(done ^ remembered)}"]


@pytest.fixture
def played(tmp_path: Path) -> Path:
    path = tmp_path / "first.play.sqlite"
    create(path, lambda db: meta.write(db, epoch=1))
    return path


def test_no_acknowledged_event_is_lost_or_doubled_in_100_kills(played: Path, kill: Kill) -> None:
    acknowledged, useful = 0, 0
    for seed in range(100):
        highest = kill("play", played, seed)
        useful += highest > acknowledged
        acknowledged = max(acknowledged, highest)
        assert losses(played, acknowledged) == [], f"seed {seed}"
    assert useful > 50, "most kills should come in the middle of play"


def test_acknowledging_before_the_commit_would_be_found(played: Path, kill: Kill) -> None:
    acknowledged = 0
    for seed in range(100):
        acknowledged = max(acknowledged, kill("play", played, seed, too_early=True))
        if losses(played, acknowledged):
            return
    pytest.fail("events that were acknowledged too early were not missed: this test cannot see a loss")


def test_a_kill_while_saving_leaves_the_old_save_or_the_new_one(tmp_path: Path, kill: Kill) -> None:
    slots = Slots(tmp_path / "saves")
    slots.create("first", lambda db: meta.write(db, now=0))
    saved = 0
    for seed in range(30):
        before = saved
        saved = max(saved, kill("save", slots.folder, seed))
        listed = slots.saves()
        assert [info.problem for info in listed] == [""], f"seed {seed}"
        assert listed[0].now in (saved, saved + 1), f"seed {seed}"
        assert saved >= before
        saved = listed[0].now
        left = [path.name for path in slots.folder.iterdir() if ".tmp-" in path.name]
        assert left == []
    assert saved > 30, "most kills should come in the middle of saving"


def test_a_kill_at_any_step_of_saving_as_another_slot_leaves_its_old_play_or_the_new_save(tmp_path: Path) -> None:
    """Never the new save hidden by the old play of that slot."""
    made = Slots(tmp_path / "made")
    made.create("first", lambda db: meta.write(db, now=2000))
    made.create("second", lambda db: meta.write(db, now=1000))
    older = opened(made, "second")
    edit(older.path, lambda db: meta.write(db, now=1111))
    made.close("second", keep_unsaved=True)
    step, code, found = 0, 9, set[tuple[bool, int]]()
    while code == 9:
        step += 1
        folder = tmp_path / str(step)
        shutil.copytree(made.folder, folder)
        program = [sys.executable, "-m", "tests.memory.save_as_child", str(folder), str(step)]
        code = subprocess.run(program, cwd=Path(__file__).parents[2], check=False).returncode
        slots = Slots(folder)
        listed = next(info for info in slots.saves() if info.slot == "second")
        copy = opened(slots, "second")
        with database.reading(copy.path) as db:
            now = meta.read(db).now
        assert (copy.recovered, now) == ((True, 1111) if listed.now == 1000 else (False, 2000)), step
        assert listed.recoverable == copy.recovered
        found.add((copy.recovered, now))
    assert code == 0
    assert step > 4
    assert found == {(True, 1111), (False, 2000)}


def edit(path: Path, change: Callable[[Database], object]) -> None:
    db = database.open_writer(path)
    try:
        with db.atomic():
            change(db)
    finally:
        db.close()
