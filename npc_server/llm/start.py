"""Opens the engine and the embedder that the settings name. If that fails, the status says why, and NPCs act by instinct."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable
from pathlib import Path

import structlog

from npc_server import plugins
from npc_server.config import EngineSettings
from npc_server.errors import EngineError, ModelMissing, ModelRejected
from npc_server.llm.adapters import Adapter, is_adapter, open_adapters
from npc_server.llm.answers_model import merged_answers
from npc_server.llm.best_engine import BestEngine
from npc_server.llm.best_here import ModelHere, models_here
from npc_server.llm.embed import HashedWordsEmbedder, LlamaEmbedder
from npc_server.llm.embed_cache import CachedEmbedder
from npc_server.llm.endpoint.address import addresses, endpoint_key, is_address
from npc_server.llm.endpoint.embedder import open_endpoint_embedder
from npc_server.llm.endpoint.engine import EndpointEngine
from npc_server.llm.engine import Embedder, Engine
from npc_server.llm.from_package import is_stale
from npc_server.llm.gguf_header import Header, read_header
from npc_server.llm.models import find_entry, model_folders, resolve
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.rerank import open_reranker
from npc_server.llm.runtime import find_runtime
from npc_server.llm.speed_file import Setup, keep_speed, known_speed
from npc_server.llm.worker import LlamaEngine

EMBEDDING_ARCHITECTURES = frozenset({"bert", "nomic-bert", "nomic-bert-moe", "jina-bert-v2", "modern-bert", "neo-bert", "gemma-embedding"})
MOST_WAIT_S = 20.0
"""Wall seconds for the first vector of an embedding endpoint, which may have to load its model."""
log = structlog.get_logger(__name__)


async def open_engine(settings: EngineSettings, *, wait: bool = True, patience_s: float = math.inf, log_file: Path | None = None) -> Engine:
    """Opens the engine for `settings.model`. Without a usable model it is a `NoModelEngine` that says why.

    Where that is `best`, it is a `BestEngine`, which chooses.

    With `wait=False` it returns before the model is loaded, and `status().ready` tells when it is. An endpoint is waited for at most
    `patience_s` wall seconds; it is met in the background after that. Raises BadInput only for a folder of
    answers (`by-hand:` or `recorded:`) that cannot be used. Instinct must not answer there, because somebody wants to answer themselves.
    """
    if settings.instinct_only:
        return NoModelEngine(ModelMissing("No model is configured.", "Name one: npc-server model list."))
    if settings.takes_best:
        return await _best_here(settings, log_file, wait=wait)
    if is_address(settings.model):
        return await _at_endpoints(settings, patience_s if wait else 0.0)
    of_package = await asyncio.to_thread(_of_a_package, settings.model)
    if of_package is not None:
        return of_package
    try:
        header, adapters = await asyncio.to_thread(_with_adapters, settings)
    except EngineError as problem:
        log.error("no model", problem=str(problem))
        return NoModelEngine(problem)
    engine = _engine_of(settings, header, adapters, await asyncio.to_thread(Setup.of, settings), log_file)
    if wait:
        await engine.loaded()
        if engine.process.problem is not None:
            log.error("no model", problem=str(engine.process.problem))
            await engine.close()
            return NoModelEngine(engine.process.problem)
    return engine


def _engine_of(settings: EngineSettings, header: Header, adapters: tuple[Adapter, ...], setup: Setup, log_file: Path | None) -> LlamaEngine:
    return LlamaEngine(
        header.path,
        settings,
        adapters=adapters,
        log_file=log_file,
        speed=known_speed(settings.models_folder, header.path, setup),
        keep_speed=lambda speed: keep_speed(settings.models_folder, header.path, header.parameters, setup, speed),
    )


async def _best_here(settings: EngineSettings, log_file: Path | None, *, wait: bool) -> Engine:
    async def start(it: ModelHere) -> LlamaEngine:
        header, adapters = await asyncio.to_thread(_with_adapters, settings.model_copy(update={"model": it.entry.name}))
        return _engine_of(settings, header, adapters, await asyncio.to_thread(Setup.of, settings), log_file)

    engine = BestEngine(*await asyncio.to_thread(models_here, settings), settings, start)
    if wait:
        await engine.loaded()
    return engine


async def _at_endpoints(settings: EngineSettings, patience_s: float) -> Engine:
    try:
        engine = EndpointEngine(addresses(settings.model), settings, endpoint_key())
    except EngineError as problem:
        log.error("no model", problem=str(problem))
        return NoModelEngine(problem)
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(engine.loaded(), None if patience_s == math.inf else patience_s)
    return engine


def _of_a_package(model: str) -> Engine | None:
    """Opens the engine for a name such as `by-hand:FOLDER`, which another package knows. Returns None for other names."""
    kind, colon, rest = model.strip().partition(":")
    opens: Callable[[str], Engine] | None = plugins.find(plugins.ENGINES, kind) if colon else None
    return opens(rest) if opens is not None else None


def missing_model(settings: EngineSettings, engine: Engine) -> str:
    """Says why there is no model although the settings name one. Otherwise the text is empty."""
    status = engine.status()
    return "" if settings.instinct_only or status.problem == status.choice else status.problem


async def open_embedder(
    settings: EngineSettings, *, log_file: Path | None = None, keeps_all: bool = False, reads_again: bool = True
) -> Embedder:
    """Opens the embedder for `settings.embedding_model`. If that cannot be used, the log says so, and it is hashed words. Never raises.

    `keeps_all` keeps the vectors of all texts in a file for the next time, which is for plays without a player. Without
    `reads_again` the reranker stays closed: what only needs vectors starts no process for it, and does not miss its model.
    """
    if settings.hashed_words:
        return HashedWordsEmbedder()
    try:
        if is_address(settings.embedding_model):
            at_endpoint = await asyncio.wait_for(_endpoint_embedder(settings), MOST_WAIT_S)
            return CachedEmbedder(at_endpoint, folder=settings.models_folder, keeps_all=keeps_all)
        header = await asyncio.to_thread(_checked, settings, settings.embedding_model, True)
    except asyncio.TimeoutError:
        log.warning("no embedding model, hashed words are used", problem=f"No vector came within {MOST_WAIT_S:.0f} s.")
        return HashedWordsEmbedder()
    except EngineError as problem:
        log.warning("no embedding model, hashed words are used", problem=str(problem))
        return HashedWordsEmbedder()
    answers = await asyncio.to_thread(merged_answers, header, model_folders(settings.models_folder))
    embedder = LlamaEmbedder(header, settings, answers=answers, log_file=log_file)
    await embedder.process.settled()
    if embedder.process.problem is not None:
        log.warning("no embedding model, hashed words are used", problem=str(embedder.process.problem))
        await embedder.close()
        return HashedWordsEmbedder()
    reranker = await open_reranker(settings, log_file=log_file) if reads_again else None
    return CachedEmbedder(embedder, folder=settings.models_folder, reranker=reranker, keeps_all=keeps_all)


async def _endpoint_embedder(settings: EngineSettings) -> Embedder:
    found = addresses(settings.embedding_model)
    if len(found) > 1:
        raise ModelRejected(f"engine.embedding_model names {len(found)} addresses.", "Name one.")
    return await open_endpoint_embedder(found[0], settings, endpoint_key())


def _with_adapters(settings: EngineSettings) -> tuple[Header, tuple[Adapter, ...]]:
    """Reads the header of the model, and finds its adapters. Raises EngineError when one cannot be used."""
    header = _checked(settings, settings.model, False)
    entry = find_entry(settings.model)
    if entry is not None and is_stale(entry, header.path):
        log.warning("the model was made by another version", model=entry.name, fix=f"npc-server model pull {entry.name}")
    return header, open_adapters(settings, header)


def _checked(settings: EngineSettings, name: str, embedding: bool) -> Header:
    """Reads the header of the model `name`. Raises EngineError when there is no such model, it is of the wrong kind, or nothing here
    runs a model.
    """
    entry = find_entry(name)
    if entry is not None and entry.kind == "reranker":
        raise ModelRejected(f"{entry.name!r} reads answers and says nothing.", "Name another: npc-server model list.", model=name)
    find_runtime(settings.runtime)
    header = read_header(resolve(name, settings.models_folder), settings.max_header_bytes)
    if is_adapter(header):
        raise ModelRejected(
            f"{name!r} is an adapter and no model.", "Name it in engine.adapters, and the model that it was made for in engine.model."
        )
    if (header.architecture in EMBEDDING_ARCHITECTURES) != embedding:
        wanted, got = ("an embedding", "a chat") if embedding else ("a chat", "an embedding")
        raise ModelRejected(
            f"{name!r} is {got} model ({header.architecture}), and {wanted} model is needed.", "Name another model.", model=name
        )
    return header
