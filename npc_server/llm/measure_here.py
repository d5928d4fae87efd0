"""Measures this machine with a model that is on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from npc_server.config import EngineSettings
from npc_server.errors import EngineError
from npc_server.llm.gguf_header import read_header
from npc_server.llm.models import catalogue, local_models, resolve
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import Setup, keep_speed
from npc_server.llm.worker import LlamaEngine


@dataclass(frozen=True)
class MeasuredHere:
    """What was measured, and with which file."""

    path: Path
    speed: Speed


async def measure_here(settings: EngineSettings, log_file: Path | None = None) -> MeasuredHere | None:
    """Measure the model of the settings, or else the largest of the catalogue that is here, and keep the result.

    It is measured anew, also where a result was kept. Return None when no model is here, or it cannot be loaded.
    """
    try:
        path = _model_here(settings)
        header = None if path is None else read_header(path, settings.max_header_bytes)
    except EngineError:
        return None
    if path is None or header is None:
        return None
    setup = Setup.of(settings)
    engine = LlamaEngine(
        path,
        settings,
        log_file=log_file,
        keep_speed=lambda speed: keep_speed(settings.models_folder, path, header.parameters, setup, speed),
    )
    try:
        speed = (await engine.loaded()).speed
    finally:
        await engine.close()
    return None if speed is None else MeasuredHere(path, speed)


def _model_here(settings: EngineSettings) -> Path | None:
    try:
        return resolve(settings.model, settings.models_folder)
    except EngineError:
        chat = {entry.name for entry in catalogue() if entry.kind == "chat"}
        here = [local for local in local_models(settings.models_folder) if local.name in chat]
        return max(here, key=lambda local: local.size).path if here else None
