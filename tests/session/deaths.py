"""Servers that die again and again: at an operation on a file, in the middle of a write, or killed at a moment by chance.

    python -m tests.session.deaths --count 20000 --seed 1

Each life opens the slot, tells what it finds, and plays, saves, loads and closes until it dies. What it tells goes through a pipe to the
process that started it, which compares it with `Expected`. A life is a fork, since starting Python takes twenty times as long.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import structlog
from sqlite_utils import Database

from npc_server.config import Settings, load_settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.no_model import NoModelEngine
from npc_server.records import Clock, GameEvent, GameTime, Perception, PerceptionKind
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.session.conftest import document, town
from tests.session.expected import PLAYED, SLOTS, Expected

LIVES = 40
"""Deaths in one folder. Then a new game begins, so that saves stay small."""
MOST_CALLS = 12
"""Calls of one life before it kills itself."""
MOST_OPERATIONS = 400
"""The operations on files after which a life dies, at most."""
SOURCE = Path(__file__).with_suffix(".c")


def settings_of(folder: Path) -> Settings:
    return load_settings(save={"folder": folder, "commit_wait_ms": 0}, mind={"path_wait_s": 0.001, "attention_bandwidth": 100_000})


def host_of(folder: Path) -> Host:
    return Host(settings_of(folder), NoModelEngine("No model here."), HashedWordsEmbedder())


# ---- one life, in its own process


class Life:
    """Plays until it dies."""

    def __init__(self, folder: Path, expected: Expected, first: int, random: Random, pipe: int, early: bool = False) -> None:
        """`first` is the number of its first happening. With `early` it acknowledges what is not stored yet: the mistake to be found."""
        self._folder = folder
        self._expected = expected
        self._next = first
        self._random = random
        self._pipe = pipe
        self._early = early
        self._host = host_of(folder)
        self._session: Session

    def tell(self, *message: object) -> None:
        os.write(self._pipe, json.dumps(message).encode() + b"\n")

    def die_later(self) -> None:
        operations = int(MOST_OPERATIONS ** self._random.random())
        library = ctypes.CDLL(None)
        library.die_at(os.fsencode(self._folder), ctypes.c_long(operations), int(self._random.random() < 0.25), self._pipe)

    async def live(self, how: str, calls: Sequence[str] = ()) -> None:
        """Plays, and does the `calls`; without any, a few by chance."""
        if how == "opening":
            self.die_later()
        if self._random.random() < 0.2:
            for info in await self._host.list_saves():
                if info.problem:
                    self.tell("problem", f"{info.slot} is listed with {info.problem!r}")
        await self._open()
        if how == "playing":
            self.die_later()
        await self._take(sorted(self._expected.sent.items()))
        for name in calls or self._random.choices(("save", "load", "close"), (2, 1, 1), k=MOST_CALLS):
            await self._play()
            await self._call(name)

    async def _open(self) -> None:
        self._session = await self._host.open_save(PLAYED, resume_epoch=self._expected.epoch)
        if left := [path.name for path in self._folder.iterdir() if ".tmp-" in path.name]:
            self.tell("problem", f"left behind: {left}")
        self.tell("opened", self._session.epoch, self._session.last_stored_seq, *await self._content())

    async def _content(self) -> tuple[list[int], list[int]]:
        found: Counter[int] = await self._session._store.do(_happenings)
        return sorted(found), sorted(number for number, count in found.items() if count > 1)

    async def _play(self) -> None:
        seq = self._session.last_stored_seq
        events = [(seq + 1, 0)]
        for _ in range(self._random.randint(1, 4)):
            events.append((seq + 1 + len(events), self._next))
            self._next += 1
        await self._take(events)

    async def _take(self, events: list[tuple[int, int]]) -> None:
        if events:
            session = self._session
            self.tell("take", events)
            numbered = [(seq, _event(number, session.now)) for seq, number in events]
            if self._early:
                self.tell("stored", events[-1][0])
            last = await session.take(session.epoch, numbered)
            if not self._early:
                self.tell("stored", last)

    async def _call(self, name: str) -> None:
        slot = PLAYED if name == "close" else self._random.choice(SLOTS)
        saves = name == "save" or (name == "close" and self._random.random() < 0.5)
        self.tell("ask", name, slot, "yes" if saves else "")
        if name == "save":
            await asyncio.gather(self._session.save_game(slot), self._play())
            self.tell("saved")
        elif name == "load":
            await self._session.load_game(slot)
            self.tell("loaded", self._session.epoch, *await self._content())
        else:
            await self._session.close(saves)
            self.tell("closed")
            self._expected.epoch = 0
            await self._open()


def _event(number: int, now: GameTime) -> GameEvent:
    """A numbered happening, or a clock for 0."""
    if not number:
        return Clock(now + 60)
    return Perception("mara_voss", PerceptionKind.EVENT, "", f"Bell {number} rings", "millbrook", 1.0, now)


def _happenings(db: Database) -> Counter[int]:
    """How often each happening is remembered or waits."""
    remembered = [text for (text,) in db.execute("SELECT text FROM memories").fetchall()]
    waiting = [json.loads(body).get("text", "") for (body,) in db.execute("SELECT body FROM inbox WHERE done = 0").fetchall()]
    return Counter(int(found[1]) for text in remembered + waiting if (found := re.fullmatch(r"Bell (\d+) rings", text)))


def run_life(life: Life, how: str) -> None:
    """Never returns."""
    try:
        asyncio.run(life.live(how))
        os.kill(os.getpid(), signal.SIGKILL)
    except BaseException as error:  # noqa: BLE001  whatever it is, it must be told
        life.tell("problem", f"{type(error).__name__}: {error}")
    finally:
        os._exit(1)


# ---- all lives


async def new_game(folder: Path) -> None:
    """Makes the three slots, all alike, and does once what lives do, so that each fork finds it loaded already."""
    host = host_of(folder)
    await host.create_save(PLAYED, town(), [document("personas/mara_voss.yaml")], seed=7, start=0)
    session = await host.open_save(PLAYED)
    for slot in SLOTS[1:]:
        await session.save_game(slot)
    await session.close(save=True)
    life = Life(folder.parent / "warm", Expected(), 1, Random(1), os.open(os.devnull, os.O_WRONLY))
    shutil.copytree(folder, folder.parent / "warm")
    await life.live("warming up", ("save", "load", "close"))
    await host.close()


def one_death(folder: Path, expected: Expected, number: int, random: Random, early: bool) -> None:
    """A life and its death. Notes in `expected` what is wrong."""
    how = random.choice(("opening", "playing", "playing", "playing", "killed"))
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        run_life(Life(folder, expected, number * 1000 + 1, random, write, early), how)
    os.close(write)
    told = bytearray()
    moment = time.monotonic() + random.uniform(0.0, 0.15) if how == "killed" else None
    while True:
        left_s = None if moment is None else max(moment - time.monotonic(), 0.0)
        if not select.select([read], [], [], left_s)[0]:
            os.kill(child, signal.SIGKILL)
            moment = None
        elif piece := os.read(read, 1 << 16):
            told += piece
        else:
            break
    os.close(read)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for line in told.split(b"\n")[:-1]:
        expected.hear(*json.loads(line))
    if status == -signal.SIGKILL:
        expected.hear("died", "killed")
    elif status != 137:
        expected.problems.append(f"the process ended by itself with {status}")
    expected.died()


def die(count: int, seed: int, folder: Path, early: bool = False) -> dict[str, object]:
    """Lets servers die, until something is wrong. Returns how many died, at what, and what was wrong."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    asyncio.run(new_game(folder / "new"))
    gc.collect()
    gc.freeze()
    deaths: Counter[str] = Counter()
    began = time.monotonic()
    expected = Expected()
    for number in range(count):
        if number % LIVES == 0:
            shutil.rmtree(folder / "saves", ignore_errors=True)
            shutil.copytree(folder / "new", folder / "saves")
            deaths.update(expected.deaths)
            expected = Expected(afterwards=[Expected().played])
        one_death(folder / "saves", expected, number % LIVES, Random(f"{seed} {number}"), early)
        if expected.problems:
            return {"deaths": number + 1, "at": dict(deaths + Counter(expected.deaths)), "problems": expected.problems}
        if (number + 1) % 500 == 0:
            print(number + 1, "deaths in", round(time.monotonic() - began), "s, none with a problem", file=sys.stderr, flush=True)
    return {"deaths": count, "at": dict(deaths + Counter(expected.deaths)), "problems": []}


def build(target: Path) -> bool:
    """Compiles the library that makes operations die. Returns False without a compiler for it."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return False
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", target, SOURCE, "-ldl"], check=True)
    return True


def in_new_process(count: int, seed: int, folder: Path, early: bool = False) -> dict[str, Any]:
    """Runs this program with the library. What a process that dies wrote is there, also without a disk."""
    environment = {**os.environ, "LD_PRELOAD": str(folder / "deaths.so"), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.session.deaths", "--count", str(count), "--seed", str(seed), "--folder", str(folder)]
    command += ["--early"] if early else []
    done = subprocess.run(command, env=environment, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@contextmanager
def in_memory() -> Iterator[Path]:
    """A folder that costs no disk, where there is one."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Path(folder)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--folder", type=Path)
    options.add_argument("--early", action="store_true")
    given = options.parse_args()
    if given.folder is not None:
        print(json.dumps(die(given.count, given.seed, given.folder, given.early)))
        return
    with in_memory() as folder:
        if not build(folder / "deaths.so"):
            sys.exit("This needs Linux and a C compiler.")
        print(json.dumps(in_new_process(given.count, given.seed, folder, given.early)))


if __name__ == "__main__":
    main()
