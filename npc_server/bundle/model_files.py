"""Which model files a bundle needs: those of the settings, and what was computed with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from npc_server.bundle.copies import PACKAGES, Copy
from npc_server.config import EngineSettings, names_none
from npc_server.errors import ModelMissing
from npc_server.llm import models
from npc_server.llm.adapters import find_adapter
from npc_server.llm.answers_model import merged_answers
from npc_server.llm.endpoint.address import is_address
from npc_server.llm.from_package import is_stale
from npc_server.llm.gguf_header import read_header
from npc_server.llm.rerank import NAME as RERANKER
from npc_server.llm.vector_file import EXCHANGES, vector_files

TARGET = PACKAGES / "npc_server" / "data" / "models"
"""Where the server looks last, after the player's own models."""


def model_files(engine: EngineSettings) -> Iterator[Copy]:
    """The models of the settings with their adapters, and the vectors of the exchanges. Raises ModelMissing, which says how to get one.

    A model comes along only by name: what is the best here may be too slow for players, or larger than a game should be.
    """
    named = (*(() if engine.takes_best else (engine.model,)), engine.embedding_model)
    wanted = [name for name in named if not (names_none(name) or is_address(name))]
    if engine.reranker != "none":
        wanted.append(RERANKER)
    found = {name: _resolved(name, engine.models_folder) for name in dict.fromkeys(wanted)}
    for path in dict.fromkeys(found.values()):
        yield Copy(path, TARGET / path.name)
    for adapter in engine.adapters:
        path = find_adapter(adapter.file, engine.models_folder)
        yield Copy(path, TARGET / path.name)
    if embedding := found.get(engine.embedding_model):
        yield from _read_with(embedding, engine.models_folder)


def unneeded(copies: tuple[Copy, ...]) -> tuple[Path, ...]:
    """The adapters in the package that are part of a model which comes along."""
    names = {copy.target.name for copy in copies}
    return tuple(models.PACKAGED / entry.adapter for entry in models.catalogue() if entry.adapter and entry.file in names)


def _read_with(embedding: Path, folder: Path) -> Iterator[Copy]:
    """What is made from the embedding model: npc-answers, and the vectors of the exchanges if they were prepared."""
    merged = merged_answers(read_header(embedding), models.model_folders(folder))
    if merged is not None:
        yield Copy(merged, TARGET / merged.name)
    for found in models.model_folders(folder):
        if vectors := vector_files(found, EXCHANGES, embedding.stem):
            yield from (Copy(path, TARGET / path.name) for path in vectors)
            return


def _resolved(name: str, folder: Path) -> Path:
    path = models.resolve(name, folder)
    entry = models.find_entry(name)
    if entry is not None and is_stale(entry, path):
        raise ModelMissing(f"{str(path)!r} was made by another version of npc-server.", entry.how, model=name)
    return path
