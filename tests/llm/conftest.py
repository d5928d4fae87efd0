from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
import structlog
from llguidance import LLTokenizer

from npc_eval.random_model import make_random_model
from npc_server.config import EngineSettings
from npc_server.llm.worker import LlamaEngine

StartEngine = Callable[..., LlamaEngine]

# Heads of 16 numbers, as in the random model, have no flash attention on a card, and there llama.cpp's CUDA graphs end the process with
# "an illegal instruction" (seen with CUDA 13 on an H200). Heads of 64 and 128 are not affected.
os.environ.setdefault("GGML_CUDA_DISABLE_GRAPHS", "1")


@pytest.fixture(autouse=True)
def _log_as_it_begins() -> None:
    """Commands that ran before may have set a level below which nothing is logged."""
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def random_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_random_model(tmp_path_factory.mktemp("models") / "random.gguf")


@pytest.fixture(scope="session")
def model_bytes(random_model: Path) -> bytes:
    return random_model.read_bytes()


@pytest.fixture(scope="module")
def tokenizer() -> LLTokenizer:
    return LLTokenizer("byte")


def engine_settings(**values: object) -> EngineSettings:
    return EngineSettings.model_validate(values)


@pytest_asyncio.fixture
async def start_engine(random_model: Path, tmp_path: Path) -> AsyncIterator[StartEngine]:
    """Engines that are closed when the test is over."""
    engines: list[LlamaEngine] = []

    def start(path: Path = random_model, share: bool = True, **settings: object) -> LlamaEngine:
        waits = {"restart_wait_s": 0.05, "deadline_s": 3600, "player_deadline_s": 3600, "hang_s": 3600}
        values = {"context_tokens": 4096, "kv_cache": "pool", "max_parallel": 8, "threads": 1, **waits, **settings}
        engine = LlamaEngine(path, engine_settings(**values), share=share, log_file=tmp_path / "model.log")
        engines.append(engine)
        return engine

    yield start
    for engine in engines:
        await engine.close()
