"""`npc-server serve` as a game starts it: a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from npc_server import __version__
from npc_server.errors import BadInput
from npc_server.rpc.ready_file import ready_file
from npc_server.v1 import npc_pb2 as pb
from npc_server.v1.npc_pb2_grpc import SaveServiceStub, WorldServiceStub
from tests.rpc import killing
from tests.waiting import LIMIT_S, until

RUN = "import sys; from npc_server.cli import main; sys.argv[0] = 'npc-server'; main()"


def start(folder: Path, *more: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-c", RUN, "serve", *killing.flags(folder / "saves", folder / "ready.json"), *more]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def other(*line: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(line)


@contextlib.contextmanager
def running(folder: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    process = start(folder, *more)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def told(folder: Path, process: subprocess.Popen[str]) -> dict[str, Any]:
    await until(lambda: (folder / "ready.json").exists() or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    found: dict[str, Any] = json.loads((folder / "ready.json").read_text())
    return found


async def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and log."""
    _, log = await asyncio.to_thread(process.communicate, None, LIMIT_S)
    return process.returncode, log


@contextlib.asynccontextmanager
async def playing(address: str, token: str) -> AsyncIterator[tuple[Any, pb.OpenSaveResponse, Any]]:
    """A new save, opened, with its stream after 50 stored events."""
    async with grpc.aio.insecure_channel(address) as channel:
        if not (await SaveServiceStub(channel).ListSaves(pb.ListSavesRequest(), metadata=killing.bearer(token))).saves:
            await killing.make_save(address, token)
        saves: Any = SaveServiceStub(channel)
        opened = await saves.OpenSave(pb.OpenSaveRequest(slot=killing.SLOT), metadata=killing.bearer(token))
        world: Any = WorldServiceStub(channel)
        call = world.Play(metadata=killing.bearer(token))
        first = opened.last_stored_seq + 1
        events = [killing.event(seq) for seq in range(first, first + 50)]
        await call.write(pb.PlayRequest(session_id=opened.session_id, epoch=opened.epoch, events=events))
        acked = 0
        while acked < first + 49:
            response = await asyncio.wait_for(call.read(), LIMIT_S)
            acked = max([acked, *(it.ack.seq for it in response.events)])
        yield saves, opened, call
        call.cancel()


async def read_all(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_ready_file_tells_all_and_is_for_the_owner_alone(tmp_path: Path) -> None:
    with running(tmp_path) as process:
        found = await told(tmp_path, process)
        assert (found["pid"], found["version"]) == (process.pid, __version__)
        assert stat.S_IMODE((tmp_path / "ready.json").stat().st_mode) == 0o600
        assert sorted(path.name for path in tmp_path.iterdir() if "ready" in path.name) == ["ready.json"]
        async with grpc.aio.insecure_channel(found["address"]) as channel:
            stub: Any = SaveServiceStub(channel)
            await stub.ListSaves(pb.ListSavesRequest(), metadata=killing.bearer(found["token"]), timeout=LIMIT_S)


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
async def test_signal_ends_the_stream_with_its_reason_and_keeps_what_was_played(tmp_path: Path, kind: signal.Signals) -> None:
    with running(tmp_path) as process:
        found = await told(tmp_path, process)
        async with playing(found["address"], found["token"]) as (_, opened, call):
            process.send_signal(kind)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await asyncio.wait_for(read_all(call), LIMIT_S)
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
            assert "acknowledged is on disk" in str(caught.value.details())
        returned, log = await ended(process)
    assert (returned, log) == (0, "")
    assert not (tmp_path / "ready.json").exists()
    assert killing.problems(tmp_path / "saves", opened.epoch, 50) == []
    assert not list((tmp_path / "saves").glob("*-wal")), "the log was not written into the file"


async def test_play_goes_on_after_a_clean_stop(tmp_path: Path) -> None:
    for life in range(2):
        with running(tmp_path) as process:
            found = await told(tmp_path, process)
            async with playing(found["address"], found["token"]) as (_, opened, _call):
                assert opened.recovered is (life == 1)
            process.send_signal(signal.SIGTERM)
            assert (await ended(process))[0] == 0


async def test_server_stops_once_the_process_that_started_it_is_gone(tmp_path: Path) -> None:
    parent = other("sleep", "600")
    try:
        with running(tmp_path, "--parent-pid", str(parent.pid)) as process:
            await told(tmp_path, process)
            await asyncio.sleep(0.3)
            assert process.poll() is None
            parent.kill()  # it stays a zombie until somebody waits: gone all the same
            assert (await ended(process))[0] == 0
        assert not (tmp_path / "ready.json").exists()
    finally:
        parent.kill()
        parent.wait()


async def test_server_whose_parent_is_gone_already_stops_at_once(tmp_path: Path) -> None:
    parent = other("true")
    parent.wait()
    with running(tmp_path, "--parent-pid", str(parent.pid)) as process:
        assert (await ended(process))[0] == 0


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--host", "0.0.0.0"], "there is no TLS"),
        (["--host", "203.0.113.7", "--insecure-network", "--token", "one-that-nobody-guesses"], "Cannot listen on"),
        (["--host", "203.0.113.7", "--insecure-network"], "server.token is empty"),
        (["--log-level", "loud"], "Option --log-level is 'loud'"),
        (["--config", "none.toml"], "no settings file"),
        (["--tls-cert", "a.pem"], "without server.tls_key"),
        (["--ready-file", "/proc/none/ready.json"], "Cannot write the ready file"),
    ],
)
async def test_wrong_flag_is_one_message_and_exit_code_1(tmp_path: Path, flags: list[str], words: str) -> None:
    with running(tmp_path, *flags) as process:
        code, log = await ended(process)
    assert code == 1
    assert words in log
    assert "Traceback" not in log
    assert log.startswith("npc-server: ")


async def test_log_can_be_json_lines(tmp_path: Path) -> None:
    with running(tmp_path, "--log-json", "--log-level", "info") as process:
        await told(tmp_path, process)
        process.send_signal(signal.SIGTERM)
        code, log = await ended(process)
    assert code == 0
    lines = [json.loads(line) for line in log.splitlines()]
    assert any(line["event"] == "listening" for line in lines)
    assert "token" not in log


def test_ready_file_in_a_missing_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "ready.json").write_text("left by a server that was killed")
    with ready_file(tmp_path / "ready.json", "127.0.0.1:1", "t"):
        assert json.loads((tmp_path / "ready.json").read_text())["pid"] == os.getpid()
    assert not (tmp_path / "ready.json").exists()
    with pytest.raises(BadInput, match="Cannot write the ready file"), ready_file(tmp_path / "none" / "ready.json", "127.0.0.1:1", "t"):
        pass


async def test_a_server_that_cannot_start_tells_why_in_the_ready_file(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0") as process:
        found = await told(tmp_path, process)
        code, _ = await ended(process)
    assert code != 0
    assert "insecure_network" in found["error"]
