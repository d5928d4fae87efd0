"""Measures this machine with a model that is on it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from npc_server.config import EngineSettings
from npc_server.errors import EngineError
from npc_server.llm.best_here import ModelHere, models_here
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import catalogue, local_models, resolve
from npc_server.llm.runtime import find_runtime
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import Setup, keep_speed
from npc_server.llm.worker import LlamaEngine


@dataclass(frozen=True)
class MeasuredHere:
    """What was measured, and with which file."""

    path: Path
    speed: Speed


async def measure_here(settings: EngineSettings, log_file: Path | None = None) -> tuple[MeasuredHere, ...]:
    """Measure the model of the settings, and keep the result. Where they take the best, measure those until one is quick enough.

    Without such a model, the largest of the catalogue that is here, if only npc-rerank, shows how fast the machine is. Everything is
    measured anew. What cannot be loaded is left out, and so is all where nothing here runs models.
    """
    measured: list[MeasuredHere] = []
    for path, here in await asyncio.to_thread(_models_to_measure, settings):
        speed = await _measured(path, settings, log_file)
        if speed is not None:
            measured.append(MeasuredHere(path, speed))
        if here is None or (speed is not None and not here.why_not(settings, speed)):
            break
    return tuple(measured)


async def _measured(path: Path, settings: EngineSettings, log_file: Path | None) -> Speed | None:
    try:
        find_runtime(settings.runtime)
        header = read_header(path, settings.max_header_bytes)
    except EngineError:
        return None
    setup = Setup.of(settings)
    engine = LlamaEngine(
        path,
        settings,
        log_file=log_file,
        keep_speed=lambda speed: keep_speed(settings.models_folder, path, header.parameters, setup, speed),
    )
    try:
        return (await engine.loaded()).speed
    finally:
        await engine.close()


def _models_to_measure(settings: EngineSettings) -> list[tuple[Path, ModelHere | None]]:
    if settings.takes_best and (found := models_here(settings)[0]):
        return [(it.path, it) for it in found]
    try:
        return [(resolve(settings.model, settings.models_folder), None)]
    except EngineError:
        usable = {entry.name for entry in catalogue() if entry.kind != "embedding"}
        here = [local for local in local_models(settings.models_folder) if local.name in usable]
        return [(max(here, key=lambda local: local.size).path, None)] if here else []
