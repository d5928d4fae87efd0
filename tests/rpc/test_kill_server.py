"""Kill -9 of the server while a game plays: what was acknowledged is in the save, once."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.rpc import killing
from tests.rpc.killing import Game

pytestmark = [pytest.mark.kill]


class Spawner:
    """Starts servers that are ready at once, because what they import is already there."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._ready = folder / "ready.json"
        self.saves = folder / "saves"

    async def server(self) -> tuple[str, str, int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(killing.flags(self.saves, self._ready)).encode() + b"\n")
        await self._process.stdin.drain()
        await self._process.stdout.readline()
        return await killing.ready(self._ready)


@asynccontextmanager
async def spawner(kind: str, folder: Path) -> AsyncIterator[Spawner]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.rpc.serving", kind, stdin=pipe, stdout=pipe)
    try:
        yield Spawner(process, folder)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


async def killed(spawn: Spawner, game: Game, rng: random.Random) -> list[str]:
    """One life of the server, and what is wrong with the save after its death."""
    address, token, pid = await spawn.server()
    if not list(spawn.saves.glob("*.npcsave")):
        await killing.make_save(address, token)
    await killing.play_until_killed(game, pid, address, token, rng)
    await killing.gone(pid)
    return killing.problems(spawn.saves, game.epoch, game.acked)


@pytest.mark.parametrize("kills", [40, pytest.param(100, marks=pytest.mark.slow)])
async def test_what_was_acknowledged_is_in_the_save_once_after_each_kill(tmp_path: Path, kills: int) -> None:
    rng = random.Random(20260504)
    game = Game(tmp_path / "saves")
    async with spawner("real", tmp_path) as spawn:
        for number in range(kills):
            assert await killed(spawn, game, rng) == [], f"after kill {number + 1}"
            assert game.resumed_at[-1] >= 0
    assert len(game.resumed_at) == kills
    assert game.resumed_at == sorted(game.resumed_at)  # each life goes on where the one before ended
    assert game.acked > 10 * kills
    assert game.resent > 0  # some kills came between the sending and the storing


async def test_acknowledging_before_the_commit_is_found_out(tmp_path: Path) -> None:
    rng = random.Random(7)
    game = Game(tmp_path / "saves")
    found: list[str] = []
    async with spawner("early", tmp_path) as spawn:
        for _ in range(20):
            found += await killed(spawn, game, rng)
            if found:
                break
            game.acked = 0
    assert any("was acknowledged and is not in the save" in problem for problem in found)
