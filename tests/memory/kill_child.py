"""What the kill tests kill: a process that takes events, or saves, and tells what is safe.

Run as a program, it forks such a process for each line it reads, which is ten times faster than starting one.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable
from pathlib import Path
from random import Random

from sqlite_utils import Database

from npc_server.memory import inbox, memories, meta
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.memory.working_copy import open_store
from npc_server.records import Memory, MemoryKind, Perception, PerceptionKind

RESENT = 5


def acknowledge(acks: int, number: int) -> None:
    os.write(acks, number.to_bytes(8, "big"))  # so short a write is whole or not there


def event(seq: int) -> Perception:
    return Perception("ada", PerceptionKind.EVENT, "", f"event {seq}", "town", 1.0, seq)


def think(db: Database) -> None:
    """A mind takes everything in that waits: one memory for each event, in the same transaction."""
    waiting = inbox.pending(db, 1)
    memories.insert(db, [Memory("ada", seq, MemoryKind.OBSERVATION, f"event {seq}", seq, seq, 1) for seq, _ in waiting])
    inbox.mark_done(db, 1, [seq for seq, _ in waiting])


def play(path: Path, acks: int, seed: int, too_early: bool) -> None:
    """Sends each number that is acknowledged. `too_early` acknowledges what is not even written: the mistake to be found."""
    asyncio.run(_play(path, acks, Random(seed), too_early))


def checkpoint(db: Database) -> None:
    db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


async def _play(path: Path, acks: int, random: Random, too_early: bool) -> None:
    store = await Store.open(path)
    last = (await store.do(meta.read)).last_seq
    # As after a lost connection: some come again.
    following = max(1, last - RESENT + 1)
    under_way: set[asyncio.Task[None]] = set()

    async def take(first: int, count: int) -> None:
        if too_early:
            acknowledge(acks, first + count - 1)
        stored = await store.do(lambda db: inbox.take(db, 1, [(seq, event(seq)) for seq in range(first, first + count)]))
        if not too_early:
            acknowledge(acks, stored)

    async def settle(work: Awaitable[None]) -> None:
        await work

    while True:
        count = random.randint(1, 5)
        jobs: list[Awaitable[None]] = [take(following, count)]
        if random.random() < 0.3:
            jobs.append(store.do(think))
        if random.random() < 0.02:
            jobs.append(store.alone(checkpoint))
        following += count
        under_way |= {asyncio.ensure_future(settle(job)) for job in jobs}
        if len(under_way) > 8:
            done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()


def save(folder: Path, acks: int, seed: int, too_early: bool) -> None:
    """Saves the game again and again, each time at a later game time, and sends that time when it is saved."""
    asyncio.run(_save(folder, acks))


async def _save(folder: Path, acks: int) -> None:
    slots = Slots(folder)
    copy = await asyncio.to_thread(slots.open_working_copy, "first", 0, True)
    store = await open_store(copy, 2)
    await store.move(copy.place)
    now = (await store.do(meta.read)).now
    while True:
        now += 1
        await store.do(lambda db, now=now: meta.write(db, now=now))  # type: ignore[misc]
        info = await asyncio.to_thread(slots.save, store.copy, "first", "first", 1)
        acknowledge(acks, info.now)


def serve(acks: int) -> None:
    """For each line `[target, path, seed, too_early]`: prints the process that was started, then how it ended."""
    for line in sys.stdin:
        target, path, seed, too_early = json.loads(line)
        child = os.fork()
        if not child:
            try:
                {"play": play, "save": save}[target](Path(path), acks, seed, too_early)
            finally:
                os._exit(1)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
