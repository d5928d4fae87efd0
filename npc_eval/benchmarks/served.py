"""Plays a town with the model in our own process, and with the same file behind llama-server: what asking over HTTP costs.

Both plays have the same seed. Each engine draws replies with its own random numbers, so the plays differ. Compare figures per token.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from npc_eval.benchmarks.llama_server import MISSING, find_llama_server, llama_server
from npc_eval.simulation.run import Simulation, simulate
from npc_server.config import EngineSettings, load_settings
from npc_server.errors import ModelMissing
from npc_server.llm.worker import threads_for
from npc_server.local.server import local_server
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.memory.suffix import SUFFIX
from npc_server.records import CallOutcome
from npc_server.sandbox.towns import find_cast

TOWN, SEED = "millbrook", 7
HOURS = 6.0
"""Game hours of each play, from the town's first morning."""
SLOTS = 4
"""Requests that each engine answers at once."""
SLOT_TOKENS = 4096
PATIENCE_S = 24 * 3600.0
"""Wall seconds that a question may take. The town waits for all minds, so none is late."""


@dataclass(frozen=True)
class ServedFigure:
    """One play of a town."""

    engine: str
    """Where the model ran: `in the box` or `llama-server`."""
    questions: int
    """Questions that reached the model."""
    used: int
    """Of these, those whose reply was used."""
    prompt_tokens: int
    cached_tokens: int
    """Of the prompts, tokens that were kept from earlier ones."""
    reply_tokens: int
    wall_s: float
    ms_a_question: float
    """Wall milliseconds that a question took, on average, among others that were asked at the same time."""
    ratio: float
    """Wall seconds for each token that was decoded, prompts without what was kept and replies, as a factor of the first row."""


def bench_served(engine: EngineSettings, model: Path, hours: float = HOURS) -> list[ServedFigure]:
    """Plays a town twice. Blocks. Raises ModelMissing where there is no llama-server, and ModelRejected where it does not start."""
    program = find_llama_server()
    if program is None:
        raise ModelMissing("There is no llama-server.", MISSING)
    return asyncio.run(_both(engine, model, program, hours))


async def _both(engine: EngineSettings, model: Path, program: Path, hours: float) -> list[ServedFigure]:
    alike = engine.model_dump() | {
        "embedding_model": "none", "reranker": "none", "max_parallel": SLOTS, "threads": threads_for(engine),
        "deadline_s": PATIENCE_S, "player_deadline_s": PATIENCE_S,
    }  # fmt: skip
    own = await _played("in the box", alike | {"model": str(model)}, hours)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="npc-server-bench-")))
        sizes = {"slots": SLOTS, "slot_tokens": SLOT_TOKENS, "threads": threads_for(engine)}
        served = await stack.enter_async_context(llama_server(program, model, **sizes, log=folder / "llama-server.log"))
        other = await _played("llama-server", alike | {"model": f"{str(served.http.base_url).rstrip('/')}/v1"}, hours)
    return [_figure(own, own), _figure(other, own)]


@dataclass(frozen=True)
class _Played:
    engine: str
    wall_s: float
    spent: tuple[ledger.Spent, ...]

    @property
    def seconds_a_token(self) -> float:
        return self.wall_s / max(1, sum(it.prompt_tokens - it.cached_tokens + it.reply_tokens for it in self.spent))


async def _played(name: str, engine: dict[str, object], hours: float) -> _Played:
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        # Every question is asked, whatever the file says of itself: an endpoint says nothing.
        settings = load_settings(save={"folder": Path(folder)}, engine=engine, mind={"by_instinct": []})
        async with local_server(settings) as local:
            report = await simulate(local.connection, find_cast(TOWN), Simulation("served", SEED, hours / 24))
        with reading(Path(folder) / f"served{SUFFIX}") as db:
            return _Played(name, report.wall_s - report.setup_s, tuple(ledger.spent(db)))


def _figure(played: _Played, first: _Played) -> ServedFigure:
    spent = played.spent
    questions = sum(it.asked for it in spent)
    return ServedFigure(
        engine=played.engine,
        questions=questions,
        used=sum(it.asked for it in spent if it.outcome is CallOutcome.USED),
        prompt_tokens=sum(it.prompt_tokens for it in spent),
        cached_tokens=sum(it.cached_tokens for it in spent),
        reply_tokens=sum(it.reply_tokens for it in spent),
        wall_s=round(played.wall_s, 1),
        ms_a_question=round(sum(it.wall_ms for it in spent) / max(1, questions), 1),
        ratio=round(played.seconds_a_token / first.seconds_a_token, 2),
    )
