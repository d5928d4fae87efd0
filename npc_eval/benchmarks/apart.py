"""A server in a process of its own, so that its processor time and memory can be told from those of the game that plays with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

import structlog

from npc_server import interpreter
from npc_server.config import Settings
from npc_server.errors import EngineError, ModelMissing, Overloaded
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.start import missing_model, open_engine
from npc_server.rpc.server import start_server
from npc_server.session.host import Host

CALL_S = 3600.0
PROBE_S = 0.01
"""Wall seconds between two looks at the event loop."""
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True)
class ServerLook:
    """The state of the server at one moment. Counts begin at its start."""

    at_s: float
    cpu_s: float
    """Processor seconds of the server, without a model's process."""
    memory_mb: float
    """Resident memory of the server and its model processes."""
    thoughts: int
    at_work: int
    """People who think or talk now."""
    running: int
    """Requests that are with the model."""
    waiting: int
    answers: int
    """Replies that the engine gave."""
    prompt_tokens: int
    reply_tokens: int
    failures: int
    """Requests that the engine refused or could not answer. Those that their caller left are not among them."""
    left: int
    """Requests that their caller left."""
    lags_ms: tuple[float, ...]
    """How late the event loop was at each look since the last report."""


class CountingEngine:
    """Implements `Engine` around another one, and counts what it answers."""

    def __init__(self, inner: Engine) -> None:
        self.inner = inner
        self.answers = self.prompt_tokens = self.reply_tokens = self.failures = self.left = 0

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        try:
            done = await self.inner.complete(request, on_text)
        except (EngineError, Overloaded):
            self.failures += 1
            raise
        except asyncio.CancelledError:
            self.left += 1
            raise
        if request.free and request.max_tokens == 1:  # it is read ahead, so no mind asked and no ledger counts it
            return done
        self.answers += 1
        self.prompt_tokens += done.prompt_tokens
        self.reply_tokens += done.reply_tokens
        return done

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        return await self.inner.score(request, given, texts)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self.inner.count_tokens(texts)

    def status(self) -> EngineStatus:
        return self.inner.status()

    def try_again(self) -> None:
        self.inner.try_again()

    async def close(self) -> None:
        await self.inner.close()


class Apart:
    """The running server. `look` asks its process."""

    def __init__(self, address: str, token: str, pipe: Pipe) -> None:
        self.address, self.token = address, token
        self._pipe = pipe

    async def look(self) -> ServerLook:
        self._pipe.send("look")
        found = await asyncio.to_thread(self._pipe.recv)
        assert isinstance(found, ServerLook)
        return found


@asynccontextmanager
async def server_apart(settings: Settings) -> AsyncIterator[Apart]:
    """Starts a server with these settings, and stops it in the end. Raises ModelMissing if it has no model."""
    context = multiprocessing.get_context("spawn")
    pipe, its_end = context.Pipe()
    process = context.Process(target=_main, args=(settings.model_dump_json(), its_end))
    process.start()
    try:
        address, token, problem = await asyncio.to_thread(pipe.recv)
        if problem:
            raise ModelMissing(problem, "Name a model that runs here.")
        yield Apart(address, token, pipe)
    finally:
        with contextlib.suppress(OSError):
            pipe.send("stop")
        await asyncio.to_thread(process.join, 60)
        if process.is_alive():
            process.kill()


def _main(settings: str, pipe: Pipe) -> None:
    # What is refused or cannot be answered is counted. Only what breaks is worth a line.
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR), logger_factory=structlog.PrintLoggerFactory(sys.stderr)
    )
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        asyncio.run(_serve(Settings.model_validate_json(settings), pipe))


async def _serve(settings: Settings, pipe: Pipe) -> None:
    engine = CountingEngine(await open_engine(settings.engine))
    host = Host(settings, engine, HashedWordsEmbedder())
    server = await start_server(host, settings.server, call_s=CALL_S)
    lags: list[float] = []
    interpreter.prepare()  # as `npc-server serve` does
    probe = asyncio.create_task(_probe(lags))
    pipe.send((server.address, server.token, missing_model(settings.engine, engine.inner)))
    while await asyncio.to_thread(pipe.recv) == "look":
        pipe.send(_seen(host, engine, tuple(lags)))
        lags.clear()
    probe.cancel()
    await server.stop(0)
    await host.close()


async def _probe(lags: list[float]) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(PROBE_S)
        lags.append(1000 * (time.perf_counter() - began - PROBE_S))


def _seen(host: Host, engine: CountingEngine, lags: tuple[float, ...]) -> ServerLook:
    status, agents = engine.status(), [session.agent(npc) for session in host.sessions for npc in session.npc_ids]
    return ServerLook(
        at_s=time.perf_counter(),
        cpu_s=time.process_time(),
        memory_mb=memory_mb(os.getpid()),
        thoughts=sum(agent.thoughts for agent in agents),
        at_work=sum(session.at_work for session in host.sessions),
        running=status.running,
        waiting=status.waiting,
        answers=engine.answers,
        prompt_tokens=engine.prompt_tokens,
        reply_tokens=engine.reply_tokens,
        failures=engine.failures,
        left=engine.left,
        lags_ms=lags,
    )


def memory_mb(process: int) -> float:
    """Resident memory of a process and of those that it started, in megabytes. 0 where the system does not tell."""
    found = 0.0
    with contextlib.suppress(OSError, ValueError, IndexError):
        found += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE / 1e6
        for task in Path(f"/proc/{process}/task").iterdir():
            found += sum(memory_mb(int(child)) for child in (task / "children").read_text().split())
    return found
