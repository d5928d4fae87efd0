"""A game whose server is killed again and again, and what must hold of the save afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

import npc_server
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1.npc_pb2_grpc import SaveServiceStub, WorldServiceStub
from tests.waiting import LIMIT_S, until

SLOT = "killed"
START = 1_777_874_400  # 2026-05-04 06:00
OUTSTANDING = 96
"""Events on their way without acknowledgement, at most."""
MILLBROOK = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"


def flags(saves: Path, ready: Path) -> list[str]:
    given = ["--port", "0", "--model", "none", "--embedding-model", "none", "--log-level", "error"]
    return [*given, "--save-folder", str(saves), "--ready-file", str(ready)]


def event(seq: int) -> pb.GameEvent:
    """The same for the same number, so that one that is sent again can be told from one that is stored twice."""
    if seq % 25 == 1:
        return pb.GameEvent(seq=seq, clock=pb.Clock(now_s=START + seq * 4, speed=60))
    npc = ("mara_voss", "ines_calder", "tobin_hale")[seq % 3]
    seen = pb.Perception(npc_id=npc, kind=pb.PERCEPTION_KIND_EVENT, text=marker(seq), address="millbrook", at_s=START + seq * 4)
    return pb.GameEvent(seq=seq, perception=seen)


def marker(seq: int) -> str:
    return f"Bell number {seq:07} rings."


def problems(saves: Path, epoch: int, acked: int) -> list[str]:
    """What is wrong with the working copy: acknowledged perceptions that are missing, any that is there twice, a damaged file.

    Reads a copy of the file, so that the server finds it as the kill left it.
    """
    with tempfile.TemporaryDirectory() as folder:
        for path in saves.glob(f"{SLOT}.play.sqlite*"):
            if not path.name.endswith("-shm"):
                shutil.copyfile(path, Path(folder) / path.name)
        with contextlib.closing(sqlite3.connect(Path(folder) / f"{SLOT}.play.sqlite")) as db:
            sound = db.execute("PRAGMA integrity_check").fetchone()[0]
            rows = db.execute("SELECT epoch, seq, body FROM inbox WHERE kind = 'perception'").fetchall()
            kept = Counter(text for (text,) in db.execute("SELECT text FROM memories WHERE text LIKE '%Bell number %'"))
    found = [] if sound == "ok" else [f"the file is damaged: {sound}"]
    stored = Counter(json.loads(body)["text"] for _, _, body in rows)
    numbered = {seq: json.loads(body)["text"] for at, seq, body in rows if at == epoch}
    for seq in range(1, acked + 1):
        if event(seq).HasField("perception") and numbered.get(seq) != marker(seq):
            found.append(f"event {seq} was acknowledged and is not in the save")
    found += [f"{text!r} is in the inbox {count} times" for text, count in stored.items() if count > 1]
    found += [f"{text!r} is remembered {count} times" for text, count in kept.items() if count > 1]
    return found


@dataclass
class Game:
    """What the game knows over all lives of its server."""

    saves: Path
    acked: int = 0
    epoch: int = 0
    sent: int = 0
    resent: int = 0
    resumed_at: list[int] = field(default_factory=list)


async def make_save(address: str, token: str) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        stub: Any = SaveServiceStub(channel)
        people = [pb.Document(name=path.name, text=path.read_text()) for path in sorted((MILLBROOK / "personas").glob("*.yaml"))]
        town = pb.Document(name="town.yaml", text=(MILLBROOK / "town.yaml").read_text())
        await stub.CreateSave(pb.CreateSaveRequest(slot=SLOT, town=town, personas=people, seed=7), metadata=bearer(token))


async def play_until_killed(game: Game, pid: int, address: str, token: str, rng: random.Random) -> None:
    """Opens the save, goes on from what is stored, and kills the server: at a moment by chance, or right at an acknowledgement."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub: Any = SaveServiceStub(channel)
        opened = await stub.OpenSave(pb.OpenSaveRequest(slot=SLOT, resume_epoch=game.epoch), metadata=bearer(token), timeout=LIMIT_S)
        assert not game.epoch or opened.epoch == game.epoch, "play did not go on in its epoch"
        assert opened.last_stored_seq >= game.acked, "the server forgot what it had acknowledged"
        game.epoch = opened.epoch
        game.resumed_at.append(opened.last_stored_seq)
        game.resent += max(0, game.sent - opened.last_stored_seq)
        game.sent = game.acked = opened.last_stored_seq
        world: Any = WorldServiceStub(channel)
        call = world.Play(metadata=bearer(token))
        reading = asyncio.ensure_future(_read(game, call))
        at_ack = rng.random() < 0.5
        wanted = game.acked + rng.randrange(1, 400)
        deadline = asyncio.get_running_loop().time() + (20 if at_ack else rng.uniform(0.001, 0.2))
        writing = asyncio.ensure_future(_write(game, call, opened.session_id))
        while asyncio.get_running_loop().time() < deadline and not (at_ack and game.acked >= wanted):
            assert not reading.done(), reading.exception()
            await asyncio.sleep(0)
        os.kill(pid, signal.SIGKILL)
        writing.cancel()
        ended = await asyncio.wait_for(asyncio.gather(writing, reading, return_exceptions=True), LIMIT_S)
        call.cancel()
        assert not [error for error in ended if isinstance(error, AssertionError)]


async def _write(game: Game, call: Any, session_id: str) -> None:
    await call.write(pb.PlayRequest(session_id=session_id, epoch=game.epoch))
    while True:
        if game.sent - game.acked >= OUTSTANDING:
            await asyncio.sleep(0.0005)
            continue
        first, game.sent = game.sent + 1, game.sent + 8
        await call.write(pb.PlayRequest(epoch=game.epoch, events=[event(seq) for seq in range(first, game.sent + 1)]))


async def _read(game: Game, call: Any) -> None:
    while (response := await call.read()) is not grpc.aio.EOF:
        for item in response.events:
            if item.HasField("ack"):
                game.acked = max(game.acked, item.ack.seq)
            assert not item.HasField("notice"), item


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def ready(path: Path) -> tuple[str, str, int]:
    """Address, token and process id, once they are told; the file is taken away, so that the next server's is waited for."""
    await until(path.exists)
    told = json.loads(path.read_text())
    path.unlink()
    return str(told["address"]), str(told["token"]), int(told["pid"])


async def gone(pid: int) -> None:
    def is_gone() -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    await until(is_gone)
