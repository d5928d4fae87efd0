"""Loads models for benchmarks: a given file or a random model, in an engine with a model process."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from npc_eval.random_model import make_random_model
from npc_server.config import EngineSettings
from npc_server.errors import ModelRejected
from npc_server.llm.process import default_log_file
from npc_server.llm.worker import LlamaEngine

DEADLINE_S = 3600.0
"""Wall seconds that an answer may take, so that slow machines can be measured, too."""


@contextmanager
def file_or_random_model(path: Path | None) -> Iterator[Path]:
    """Yields the given file, or a random model of about 16 million parameters that is deleted in the end."""
    with tempfile.TemporaryDirectory(prefix="npc-server-bench-") as folder:
        yield path or make_random_model(Path(folder) / "random-16m.gguf", width=320, layers=10, heads=5, vocab=4096)


@asynccontextmanager
async def loaded_engine(path: Path, settings: EngineSettings, **changed: Any) -> AsyncIterator[LlamaEngine]:
    """Loads a model with some changed settings and long deadlines, and closes it in the end. Raises EngineError if it does not load."""
    values = settings.model_dump() | {"deadline_s": DEADLINE_S, "player_deadline_s": DEADLINE_S} | changed
    engine = LlamaEngine(path, EngineSettings.model_validate(values), log_file=default_log_file())
    try:
        status = await engine.loaded()
        if engine.process.problem is not None:
            raise engine.process.problem
        if not status.ready:
            raise ModelRejected(f"The model {str(path)!r} did not load.", status.problem)
        yield engine
    finally:
        await engine.close()
