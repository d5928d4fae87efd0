"""The engine against llama.cpp's own llama-server and llama-cpp-python's, with the default model, and against a server of yours.

NPC_SERVER_TEST_ENDPOINT=http://127.0.0.1:8000/v1 pytest -m model tests/llm/endpoint/test_real_servers.py
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
import pytest_asyncio

from npc_server.errors import DeadlinePassed
from npc_server.llm.endpoint.address import addresses
from npc_server.llm.endpoint.engine import EndpointEngine
from npc_server.llm.endpoint.form import Form
from npc_server.llm.engine import Request
from npc_server.llm.start import open_embedder
from tests.in_the_box import MODEL, needs_model
from tests.llm.conftest import engine_settings
from tests.llm.kinds import ENDLESS, KINDS
from tests.waiting import until

pytestmark = [pytest.mark.model, needs_model]
ROOT = Path(__file__).parents[3]
EMBEDDING = ROOT / "models" / "all-minilm-l6-v2.gguf"


def llama_server() -> str:
    """The llama-server to use, or an empty text."""
    found = (os.environ.get("LLAMA_SERVER"), shutil.which("llama-server"), ROOT / ".llama-server" / "llama-server")
    return next((str(it) for it in found if it and Path(it).is_file()), "")


needs_llama_server = pytest.mark.skipif(not llama_server(), reason="there is no llama-server; bash scripts/get_llama_server.sh brings it")
needs_python_server = pytest.mark.skipif(
    importlib.util.find_spec("fastapi") is None, reason="llama-cpp-python's server is not installed; make setup brings it"
)


YOURS = os.environ.get("NPC_SERVER_TEST_ENDPOINT", "")
"""The address of a server that already runs: vLLM, Ollama, LM Studio or another one."""


@contextmanager
def running(command: list[str], log: Path) -> Iterator[str]:
    """Runs a server for a `with` block, and returns its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("w") as out:
        server = subprocess.Popen([*command, "--host", "127.0.0.1", "--port", str(port)], stdout=out, stderr=out)
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()
            server.wait()


def real(name: str, model: Path = MODEL, *more: str) -> list[str]:
    if name == "llama-server":
        return [llama_server(), "-m", str(model), "-c", "4096", "-np", "4", "-t", "1", *more]
    return [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--n_ctx", "2048", "--n_threads", "1", *more]


@pytest_asyncio.fixture(
    params=[
        pytest.param("llama-server", marks=needs_llama_server),
        pytest.param("python", marks=needs_python_server),
        *(["yours"] if YOURS else []),
    ]
)
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EndpointEngine]:
    with nullcontext(YOURS) if request.param == "yours" else running(real(request.param), tmp_path / "server.log") as url:
        made = EndpointEngine(addresses(url), engine_settings(restart_wait_s=0.1, deadline_s=600, hang_s=600))
        await until(lambda: made.status().ready)
        yield made
        await made.close()


async def test_real_server_keeps_to_the_form_of_every_reply(engine: EndpointEngine) -> None:
    facts = engine.endpoints[0].facts
    assert facts is not None
    assert facts.form is not Form.WORDS
    for name, reply in KINDS.items():
        asked = Request("You are Mara, a baker.", f"Say what you do.\nAnswer with:\n{reply.format_text()}", reply, 5, max_tokens=400)
        done = await engine.complete(asked)
        assert done.prompt_tokens > 0, name
        if not done.truncated:
            reply.parse(done.text)


@pytest.mark.skipif(not llama_server(), reason="there is no llama-server")
async def test_cancelled_request_frees_the_real_server(tmp_path: Path) -> None:
    with running(real("llama-server", MODEL, "-np", "1", "--slots"), tmp_path / "server.log") as url:
        engine = EndpointEngine(addresses(url), engine_settings(restart_wait_s=0.1, deadline_s=600, hang_s=600))
        await until(lambda: engine.status().ready)
        begun = asyncio.Event()
        endless = Request("You are Mara.", "Recite.", ENDLESS, 1, max_tokens=3000)
        asking = asyncio.create_task(engine.complete(endless, lambda _: begun.set()))
        await begun.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        # The server has one place. It answers the next request only because the endless one has ended.
        done = await engine.complete(Request("You are Mara.", "How important is it?", KINDS["integer"], 1))
        assert KINDS["integer"].parse(done.text)
        with pytest.raises(DeadlinePassed):
            await engine.complete(Request("You are Mara.", "Recite.", ENDLESS, 1, max_tokens=3000, deadline_s=0.2))
        await engine.close()


@needs_llama_server
@pytest.mark.skipif(not EMBEDDING.is_file(), reason="the embedding model is missing; make setup makes it")
async def test_real_server_embeds_as_this_machine_does(tmp_path: Path) -> None:
    texts = ["the oven is cold", "nobody has lit the stove", "a ship sails at dawn"]
    with running(real("llama-server", EMBEDDING, "--embeddings"), tmp_path / "server.log") as url:
        here = await open_embedder(engine_settings(embedding_model=str(EMBEDDING)))
        there = await open_embedder(engine_settings(embedding_model=url))
        while there.name.startswith("hashed"):  # it loads
            await asyncio.sleep(0.1)
            there = await open_embedder(engine_settings(embedding_model=url))
        ours, theirs = await here.embed(texts), await there.embed(texts)
        assert ours.shape == theirs.shape
        assert ((ours * theirs).sum(axis=1) > 0.99).all()
        await here.close()
        await there.close()
