"""Measures our engine beside llama.cpp's own llama-server: the same file, prompts, threads and slots, by turns in one run.

Wall time alone would measure the machine's other work. So the processor time of both processes is measured, too. With one thread it
hardly depends on what else runs.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from npc_eval.benchmarks.llama_server import MISSING, find_llama_server, llama_server
from npc_eval.benchmarks.loaded import file_or_random_model, loaded_engine
from npc_eval.benchmarks.texts import tokens_a_word
from npc_eval.benchmarks.workload import SHARINGS, Asked, Sharing, workload
from npc_server.config import EngineSettings
from npc_server.llm.endpoint.address import addresses, endpoint_key
from npc_server.llm.endpoint.engine import EndpointEngine
from npc_server.llm.engine import Engine, Request
from npc_server.llm.process import default_log_file
from npc_server.llm.reply import Text, many
from npc_server.llm.worker import threads_for

REQUESTS = (1, 4, 16, 25)
SLOT_TOKENS = 1536
"""Tokens of each slot: the longest prompt with the longest reply, and what the chat template adds."""
OURS, THEIRS = "npc-server", "llama-server"


@dataclass(frozen=True)
class _EndlessLine:
    text: Annotated[str, Text(200)]


_ENDLESS = many(_EndlessLine, 250, 250)  # longer than any limit, so that each reply has as many tokens as its limit
Ask = Callable[[Asked, Callable[[str], None]], Awaitable[int]]
"""Answers a prompt, and returns the number of reply tokens."""
Cells = Sequence[tuple[Sharing, int]]
"""What is measured: kinds of prompts and numbers of requests."""


@dataclass(frozen=True)
class Contender:
    name: str
    ask: Ask
    pid: int
    """Of the process that runs the model; 0 if it is not ours to look at."""


@dataclass(frozen=True)
class ContestRow:
    """Medians of some runs of one engine with one kind of prompts. All requests of a run come at once, to a cold cache."""

    sharing: Sharing
    requests: int
    engine: str
    reply_tokens: int
    tokens_per_s: float
    """Reply tokens of all requests, over the wall time from the first request to the last reply, prompts included."""
    tokens_per_cpu_s: float
    """Reply tokens over the processor time of the model process. 0 if unknown."""
    first_s: float
    """Seconds to the first text of a reply, the median of the requests."""
    ratio: float
    """Our tokens per second over llama-server's, the median over the pairs of runs. 0 in rows of a single engine."""
    ratio_cpu: float
    """The same, per second of processor time."""
    ratio_first: float
    """Our seconds to the first text over llama-server's. Below 1 ours is sooner."""


@dataclass(frozen=True)
class Contest:
    model: str
    threads: int
    note: str
    rows: tuple[ContestRow, ...]


@dataclass(frozen=True)
class _Run:
    reply_tokens: int
    wall_s: float
    cpu_s: float
    first_s: float


def bench_contest(
    settings: EngineSettings,
    model: Path | str | None = None,
    *,
    requests: Sequence[int] = REQUESTS,
    sharings: Sequence[Sharing] = SHARINGS,
    repeats: int = 1,
) -> Contest:
    """Runs the benchmark with a file, or with an endpoint alone if `model` is an address. Without either it makes a random model.

    Raises EngineError if the model cannot be run. Must not be called inside an event loop.
    """
    cells = [(sharing, count) for sharing in sharings for count in requests if sharing == "none" or count > 1]  # one shares with nobody
    if isinstance(model, str):
        return asyncio.run(_of_endpoint(settings, model, cells, repeats))
    with file_or_random_model(model) as path:
        return asyncio.run(_of_file(settings, path, cells, repeats))


async def _of_file(settings: EngineSettings, path: Path, cells: Cells, repeats: int) -> Contest:
    requests = [count for _, count in cells]
    slots, threads, program = max(requests), threads_for(settings), find_llama_server()
    changed = {"max_parallel": slots, "kept_prefixes": 0, "stream_tokens": SLOT_TOKENS, "context_tokens": slots * SLOT_TOKENS}
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(loaded_engine(path, settings, **changed))
        contenders = [Contender(OURS, _by_engine(engine), engine.process.pid)]
        if program is not None:
            log = default_log_file().with_name("llama-server.log")
            sizes = {"slots": slots, "slot_tokens": SLOT_TOKENS, "threads": threads}
            server = await stack.enter_async_context(llama_server(program, path, log=log, **sizes))
            contenders.append(Contender(THEIRS, server.ask, server.pid))
        rows = await _contest(contenders, await tokens_a_word(engine), cells, repeats)
        kind = "streams" if engine.process.facts.get("streams") else "pool"
        return Contest(path.name, threads, f"kv_cache {kind}" if program else MISSING, rows)


async def _of_endpoint(settings: EngineSettings, model: str, cells: Cells, repeats: int) -> Contest:
    async with _endpoint(settings, model) as engine:
        rows = await _contest([Contender("endpoint", _by_engine(engine), 0)], await tokens_a_word(engine), cells, repeats)
        return Contest(model, 0, "over HTTP", rows)


@asynccontextmanager
async def _endpoint(settings: EngineSettings, model: str) -> AsyncIterator[Engine]:
    engine = EndpointEngine(addresses(model), settings.model_copy(update={"deadline_s": 3600.0}), endpoint_key())
    try:
        await engine.loaded()
        yield engine
    finally:
        await engine.close()


def _by_engine(engine: Engine) -> Ask:
    async def ask(asked: Asked, on_text: Callable[[str], None]) -> int:
        request = Request(asked.system, asked.user, _ENDLESS, 0, max_tokens=asked.reply_tokens, temperature=0.0)
        return (await engine.complete(request, on_text)).reply_tokens

    return ask


async def _contest(contenders: Sequence[Contender], per_word: float, cells: Cells, repeats: int) -> tuple[ContestRow, ...]:
    for contender in contenders:  # the first request fills caches
        await _run(contender, workload("most", 1, "warm-up", per_word))
    rows: list[ContestRow] = []
    for sharing, count in cells:
        runs: dict[str, list[_Run]] = {contender.name: [] for contender in contenders}
        for turn in range(repeats):
            asked = workload(sharing, count, f"{sharing} {count} {turn}", per_word)
            for contender in contenders if turn % 2 == 0 else contenders[::-1]:
                runs[contender.name].append(await _run(contender, asked))
        rows += _rows(sharing, count, runs)
    return tuple(rows)


async def _run(contender: Contender, asked: Sequence[Asked]) -> _Run:
    firsts: list[float] = []
    cpu, began = cpu_seconds(contender.pid), time.perf_counter()

    async def one(prompt: Asked) -> int:
        heard: list[float] = []
        tokens = await contender.ask(prompt, lambda text: heard.append(time.perf_counter() - began))
        firsts.append(heard[0] if heard else time.perf_counter() - began)
        return tokens

    tokens = sum(await asyncio.gather(*(one(prompt) for prompt in asked)))
    return _Run(tokens, time.perf_counter() - began, cpu_seconds(contender.pid) - cpu, statistics.median(firsts))


def _rows(sharing: Sharing, count: int, runs: dict[str, list[_Run]]) -> list[ContestRow]:
    def median(values: Sequence[float]) -> float:
        return statistics.median(values) if values else 0.0

    def speed(run: _Run) -> float:
        return run.reply_tokens / run.wall_s

    def thrift(run: _Run) -> float:
        return run.reply_tokens / run.cpu_s if run.cpu_s > 0 else 0.0

    pairs = list(zip(runs.get(OURS, []), runs.get(THEIRS, []), strict=False))
    ratios = (
        median([speed(ours) / speed(theirs) for ours, theirs in pairs]),
        median([thrift(ours) / thrift(theirs) for ours, theirs in pairs if thrift(theirs)]),
        median([ours.first_s / theirs.first_s for ours, theirs in pairs]),
    )
    return [
        ContestRow(
            sharing,
            count,
            name,
            int(median([run.reply_tokens for run in found])),
            median([speed(run) for run in found]),
            median([thrift(run) for run in found]),
            median([run.first_s for run in found]),
            *(ratios if name == OURS else (0.0, 0.0, 0.0)),
        )
        for name, found in runs.items()
    ]


def cpu_seconds(pid: int) -> float:
    """Returns the processor time that a process has used, in seconds; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
