"""Keeps what was measured of models on this machine in a small file beside them, so that each is measured once."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing
from npc_server.llm.models import catalogue
from npc_server.llm.runtime import find_runtime
from npc_server.llm.speed import Speed
from npc_server.llm.worker import threads_for
from npc_server.platform import machine
from npc_server.platform.files import write_whole

FILE_NAME = "speed.json"
MOST_KEPT = 64
"""Measurements in the file. The oldest go first."""


@dataclass(frozen=True)
class Setup:
    """All that a speed depends on besides the model."""

    processor: str
    threads: int
    gpu_layers: int
    build: str
    """The version of llama.cpp, and when it was built here."""

    @classmethod
    def of(cls, settings: EngineSettings) -> Setup:
        return cls(machine.processor(), threads_for(settings), settings.n_gpu_layers, _build(settings))


@dataclass(frozen=True)
class MeasuredModel:
    """The speed of one model in one setup."""

    file: str
    bytes: int
    parameters_m: float
    setup: Setup
    speed: Speed

    def is_of(self, path: Path) -> bool:
        """Return whether it was measured with this file."""
        return self.file == path.name and path.is_file() and self.bytes == path.stat().st_size


def measured(folder: Path, setup: Setup) -> tuple[MeasuredModel, ...]:
    """Return what was measured in this setup, the oldest first. What cannot be read counts as not measured."""
    return tuple(one for one in _read(folder / FILE_NAME) if one.setup == setup)


def known_speed(folder: Path, path: Path, setup: Setup) -> Speed | None:
    """Return the speed of a model's file, or None when it was not measured in this setup."""
    return next((one.speed for one in reversed(measured(folder, setup)) if one.is_of(path)), None)


def keep_speed(folder: Path, path: Path, parameters: int, setup: Setup, speed: Speed) -> None:
    """Write a measurement into the file. Where that cannot be written, the next start measures again."""
    entry = next((one for one in catalogue() if path.name == one.file), None)
    size = entry.parameters_m if entry is not None else parameters / 1e6
    file = folder / FILE_NAME
    try:
        new = MeasuredModel(path.name, path.stat().st_size, size, setup, speed)
        others = [one for one in _read(file) if (one.file, one.setup) != (new.file, new.setup)]
        folder.mkdir(parents=True, exist_ok=True)
        _write(file, [*others, new][-MOST_KEPT:])
    except OSError:
        return


def _build(settings: EngineSettings) -> str:
    """Return what tells one build of llama.cpp from another, without loading it."""
    try:
        return find_runtime(settings.runtime).build
    except ModelMissing:
        return ""


def _read(file: Path) -> list[MeasuredModel]:
    try:
        found = json.loads(file.read_text("utf-8"))
        return [one for entry in found["measured"] if (one := _measured(entry)) is not None]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def _measured(entry: Any) -> MeasuredModel | None:
    try:
        setup, speed = Setup(**entry["setup"]), Speed(**entry["speed"])
        rest = {name: entry[name] for name in ("file", "bytes", "parameters_m")}
        sound = all(isinstance(rate, float | int) and math.isfinite(rate) and rate > 0 for rate in (speed.read_per_s, speed.written_per_s))
    except (KeyError, TypeError):
        return None
    return MeasuredModel(**rest, setup=setup, speed=speed) if sound else None


def _write(file: Path, kept: Sequence[MeasuredModel]) -> None:
    write_whole(file, json.dumps({"measured": [asdict(one) for one in kept]}, indent=1) + "\n")
