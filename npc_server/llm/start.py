"""Opens the engine and the embedder that the settings name. What goes wrong is said in the status; the people live on by instinct."""

from __future__ import annotations

import asyncio
from pathlib import Path

import structlog

from npc_server.config import EngineSettings
from npc_server.errors import BadInput, EngineError, ModelMissing, ModelRejected
from npc_server.llm.absent import AbsentEngine
from npc_server.llm.by_hand import NAME as BY_HAND
from npc_server.llm.by_hand import README, ByHandEngine
from npc_server.llm.embed import HashedWordsEmbedder, LlamaEmbedder
from npc_server.llm.embed_cache import CachedEmbedder
from npc_server.llm.engine import Embedder, Engine
from npc_server.llm.gguf_header import Header, read_header
from npc_server.llm.models import resolve
from npc_server.llm.recorded import NAME as RECORDED
from npc_server.llm.recorded import RecordedEngine, Recording
from npc_server.llm.worker import LlamaEngine

EMBEDDING_ARCHITECTURES = frozenset({"bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "modern-bert", "neo-bert", "gemma-embedding"})
log = structlog.get_logger(__name__)


async def open_engine(settings: EngineSettings, *, wait: bool = True, log_file: Path | None = None) -> Engine:
    """The engine for `settings.model`. Without a usable model it is an `AbsentEngine` that says why.

    `wait=False` returns before the model is loaded; `status().ready` tells when it is. Raises BadInput only for a folder of answers
    (`by-hand:` or `recorded:`) that cannot be used: there instinct would answer what somebody meant to.
    """
    if settings.instinct_only:
        return AbsentEngine(ModelMissing("No model is configured.", "Name one: npc-server model list."))
    answers = await asyncio.to_thread(_from_folder, settings.model)
    if answers is not None:
        return answers
    try:
        path = await asyncio.to_thread(_checked, settings, settings.model, False)
    except EngineError as problem:
        log.error("no model", problem=str(problem))
        return AbsentEngine(problem)
    engine = LlamaEngine(path.path, settings, log_file=log_file)
    if wait:
        await engine.loaded()
        if engine.process.problem is not None:
            log.error("no model", problem=str(engine.process.problem))
            await engine.close()
            return AbsentEngine(engine.process.problem)
    return engine


def _from_folder(model: str) -> Engine | None:
    """The engine for `by-hand:FOLDER` and `recorded:FOLDER`; None for other names."""
    kind, colon, folder = model.strip().partition(":")
    if not colon or kind not in (BY_HAND, RECORDED):
        return None
    recording = Recording(Path(folder))
    if kind == RECORDED:
        if not len(recording):
            raise BadInput(f"There are no recorded answers in {str(recording.path)!r}.", f"Record some: --model {BY_HAND}:{folder}")
        return RecordedEngine(recording)
    engine = RecordedEngine(recording, ByHandEngine(Path(folder)))
    log.warning("answers are written by hand", folder=folder, recorded=len(recording), see=str(Path(folder) / README))
    return engine


def missing_model(settings: EngineSettings, engine: Engine) -> str:
    """Why there is no model though one is wanted; empty where there is one, or none is wanted."""
    return "" if settings.instinct_only else engine.status().problem


async def open_embedder(settings: EngineSettings, *, log_file: Path | None = None) -> Embedder:
    """The embedder for `settings.embedding_model`; hashed words where that cannot be used, and the log says so. Never raises."""
    if settings.embedding_model.strip().lower() in ("", "none"):
        return HashedWordsEmbedder()
    try:
        header = await asyncio.to_thread(_checked, settings, settings.embedding_model, True)
    except EngineError as problem:
        log.warning("no embedding model, hashed words are used", problem=str(problem))
        return HashedWordsEmbedder()
    embedder = LlamaEmbedder(header, settings, log_file=log_file)
    await embedder.process.settled()
    if embedder.process.problem is not None:
        log.warning("no embedding model, hashed words are used", problem=str(embedder.process.problem))
        await embedder.close()
        return HashedWordsEmbedder()
    return CachedEmbedder(embedder)


def _checked(settings: EngineSettings, name: str, embedding: bool) -> Header:
    """The header of the model `name`. Raises EngineError."""
    header = read_header(resolve(name, settings.models_folder), settings.max_header_bytes)
    if (header.architecture in EMBEDDING_ARCHITECTURES) != embedding:
        wanted, got = ("an embedding", "a chat") if embedding else ("a chat", "an embedding")
        raise ModelRejected(f"{name!r} is {got} model ({header.architecture}), and {wanted} model is wanted.", "Name another.", model=name)
    return header
