"""The parts that `npc-server bench` measures, by name, and facts about the machine."""

from __future__ import annotations

import dataclasses
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from npc_server.config import EngineSettings
from npc_server.errors import NpcServerError

PARTS = ("retrieval", "commits", "play", "saves", "world", "engine", "first_word", "people", "bridge", "frames")
LONG = ("soak",)
"""Parts that are measured only when they are named."""


def machine() -> dict[str, str]:
    """Facts about the machine that the figures depend on."""
    packages = ("npc-server", "llama-cpp-python", "numpy", "grpcio", "sqlite-utils")
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def measure_part(part: str, engine: EngineSettings, model: Path | None, minutes: float) -> Any:
    """Measures a part. Returns figures for JSON, or a text that says why there are none."""
    # Each part imports its own modules, so that the others work without Godot or llama.cpp.
    try:
        if part in ("retrieval", "commits"):
            from npc_server.evaluation.benchmarks import retrieval

            return _rows(retrieval.retrieval() if part == "retrieval" else retrieval.commits())
        if part == "play":
            from npc_server.evaluation.benchmarks.play import acknowledgements

            return _rows(acknowledgements())
        if part == "saves":
            from npc_server.evaluation.benchmarks.saves import saves

            return _rows(saves())
        if part == "world":
            from npc_server.evaluation.benchmarks.world import world

            return _rows(world())
        if part == "engine":
            from npc_server.evaluation.benchmarks.engine import bench_engine

            return dataclasses.asdict(bench_engine(engine, model))
        if part == "first_word":
            from npc_server.evaluation.benchmarks.first_word import bench_first_word

            return _rows(bench_first_word(engine, model))
        if part == "people":
            from npc_server.evaluation.benchmarks.people import people

            return _rows(people())
        if part == "soak":
            from npc_server.evaluation.benchmarks.soak import soak

            return _rows([soak(engine, str(model or engine.model), minutes)])
        return _in_godot(part)
    except NpcServerError as error:
        return f"not measured: {error}"


def _in_godot(part: str) -> Any:
    from npc_server.evaluation.benchmarks.frames import bench_bridge, bench_frames
    from npc_server.evaluation.godot import find_godot, find_project, import_project, needs_import

    godot, project = find_godot(os.environ), find_project()
    if godot is None or project is None:
        return "not measured: Godot or the built bridge is missing; `make godot bridge` brings them."
    if needs_import(project):
        import_project(godot, project, os.environ)
    return dataclasses.asdict(bench_bridge(godot, project) if part == "bridge" else bench_frames(godot, project))


def _rows(figures: Sequence[Any]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(figure) for figure in figures]
