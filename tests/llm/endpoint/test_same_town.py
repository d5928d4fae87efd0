"""The same town with the same seed, on the model in the box and on the same file behind llama-server."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import httpx
import pytest

from npc_eval.simulation.report import Report
from npc_eval.simulation.run import Simulation, simulate
from npc_server.config import Settings, load_settings
from npc_server.llm.endpoint.address import addresses
from npc_server.llm.endpoint.engine import EndpointEngine
from npc_server.llm.engine import Request
from npc_server.local.server import local_server
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.memory.ledger import Spent
from npc_server.records import CallOutcome
from npc_server.sandbox.towns import find_cast
from tests.in_the_box import MODEL, needs_model
from tests.llm.conftest import engine_settings
from tests.llm.endpoint.test_real_servers import needs_llama_server, real, running
from tests.llm.kinds import KINDS
from tests.waiting import until

pytestmark = [pytest.mark.model, pytest.mark.slow, needs_llama_server, needs_model]
QUARTER = 0.25 / 24
"""A quarter of an hour, in game days."""


async def lived(settings: Settings) -> tuple[Report, list[Spent]]:
    """A quarter of an hour of Millbrook, with what was asked."""
    cast = find_cast("millbrook")
    async with local_server(settings) as local:
        assert not local.problem
        report = await simulate(local.connection, cast, Simulation("same", 5, QUARTER, cast.town.start + 7 * 3600))
    with reading(settings.save.folder / "same.npcsave") as db:
        return report, ledger.spent(db)


def of(folder: Path, model: str) -> Settings:
    engine = {"model": model, "embedding_model": "none", "deadline_s": 3600, "hang_s": 600}
    # The same questions on both: what the file says of itself, such as what it is weak at, does not come over HTTP.
    return load_settings(save={"folder": folder}, engine=engine, mind={"by_instinct": ()})


async def test_the_same_town_lives_on_the_model_here_and_behind_llama_server(tmp_path: Path) -> None:
    # Its four places share the context. A prompt needs up to 8,192 tokens.
    with running(real("llama-server", MODEL, "-c", "32768"), tmp_path / "server.log") as url:
        engine = EndpointEngine(addresses(url), engine_settings(restart_wait_s=0.1, deadline_s=600, hang_s=600))
        await until(lambda: engine.status().ready)
        await engine.close()
        for name, model in (("here", str(MODEL)), ("there", url)):
            report, spent = await lived(of(tmp_path / name, model))
            asked = sum(row.asked for row in spent)
            used = sum(row.asked for row in spent if row.outcome is CallOutcome.USED)
            print(f"{name}: {len(report.actions)} actions, {asked} questions, {used} replies used, {report.wall_s:.0f} s")
            assert set(report.people) == {action.npc for action in report.actions}
            assert asked >= 2 * len(report.people)  # some seven in a quarter of an hour
            assert used >= 0.5 * asked, f"most replies {name} could not be used"


async def test_http_adds_little_to_what_the_server_itself_takes(tmp_path: Path) -> None:
    with running(real("llama-server"), tmp_path / "server.log") as url:
        engine = EndpointEngine(addresses(url), engine_settings(restart_wait_s=0.1, deadline_s=600, hang_s=600))
        await until(lambda: engine.status().ready)
        facts, more = engine.endpoints[0].facts, list[float]()
        assert facts is not None
        request = Request("You are Mara, a baker.", "How important is a quarrel? 1 to 10.", KINDS["integer"], 1, max_tokens=4)
        body = engine._body(facts, facts.form, request) | {"stream": False, "cache_prompt": False}
        async with httpx.AsyncClient(base_url=f"{url}/", timeout=600) as client:
            for _ in range(12):
                began = time.perf_counter()
                answer = (await client.post("chat/completions", json=body)).json()
                took = 1000 * (time.perf_counter() - began)
                more.append(took - answer["timings"]["prompt_ms"] - answer["timings"]["predicted_ms"])
        await engine.close()
    print(f"HTTP adds {statistics.median(more):.1f} ms to a request, median of {len(more)}")
    assert statistics.median(more) >= 0
