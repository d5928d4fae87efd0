"""The parts that `npc-server bench` measures, by name, and facts about the machine."""

from __future__ import annotations

import dataclasses
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from npc_eval.benchmarks.workload import Sharing
from npc_server.config import EngineSettings
from npc_server.errors import ModelMissing, NpcServerError
from npc_server.llm.endpoint.address import is_address
from npc_server.llm.models import resolve
from npc_server.llm.runtime import installed_runtimes, need_compiled
from npc_server.platform.machine import processor

PARTS = (
    "retrieval", "commits", "play", "saves", "world", "engine", "layouts", "choosing", "first_word", "talk", "people", "bridge", "frames",
)  # fmt: skip
LONG = ("soak", "cuts", "served", "chat", "runtimes", "panel")
"""Parts that are measured only when they are named."""


def machine() -> dict[str, str]:
    """Facts about the machine that the figures depend on."""
    packages = ("npc-server", "numpy", "grpcio", "sqlite-utils")
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
        "runtimes": ", ".join(it.build if it.is_served else f"{it.kind} {it.build}" for it in installed_runtimes()) or "none",
    }


@dataclass(frozen=True)
class Wanted:
    """How to measure the model."""

    settings: EngineSettings
    """`model` may be a file, the name of a model, or the address of an endpoint."""
    requests: tuple[int, ...]
    """How many requests come at once."""
    sharings: tuple[Sharing, ...]
    """Which kinds of prompts they have."""
    repeats: int
    """Runs of each engine, by turns."""
    minutes: float = 60.0
    """Wall minutes of a soak."""


def measure_part(part: str, wanted: Wanted) -> Any:
    """Measures a part. Returns figures for JSON, or a text that says why there are none."""
    # Each part imports its own modules, so that the others work without Godot or llama.cpp.
    try:
        if part in ("retrieval", "commits"):
            from npc_eval.benchmarks import retrieval

            return _rows(retrieval.retrieval() if part == "retrieval" else retrieval.commits())
        if part == "play":
            from npc_eval.benchmarks.play import acknowledgements

            return _rows(acknowledgements())
        if part == "saves":
            from npc_eval.benchmarks.saves import saves

            return _rows(saves())
        if part == "world":
            from npc_eval.benchmarks.world import world

            return _rows(world())
        if part == "talk":
            from npc_eval.benchmarks.talk import bench_talk

            return _rows(bench_talk(wanted.settings))
        if part == "people":
            from npc_eval.benchmarks.people import people

            return _rows(people())
        if part == "soak":
            from npc_eval.benchmarks.soak import soak

            return _rows([soak(wanted.settings, wanted.settings.model, wanted.minutes)])
        if part in ("engine", "layouts", "choosing", "first_word", "served", "chat", "runtimes"):
            return _of_model(part, wanted)
        return _in_godot(part, wanted.minutes)
    except NpcServerError as error:
        return f"not measured: {error}"


def _of_model(part: str, wanted: Wanted) -> Any:
    settings = wanted.settings
    if part in ("choosing", "layouts"):
        need_compiled(f"The part {part}")
    if part == "choosing":
        from npc_eval.benchmarks.choosing import bench_choosing

        return _rows(bench_choosing())
    model = settings.model if is_address(settings.model) else _file(settings)
    if part == "engine":
        from npc_eval.benchmarks.contest import bench_contest

        return dataclasses.asdict(
            bench_contest(settings, model, requests=wanted.requests, sharings=wanted.sharings, repeats=wanted.repeats)
        )
    if isinstance(model, str):
        return "not measured: this part needs a GGUF file, not an endpoint."
    if part == "layouts":
        from npc_eval.benchmarks.layouts import bench_layouts

        return _rows(bench_layouts(model, n_gpu_layers=settings.n_gpu_layers))
    if part == "runtimes":
        from npc_eval.benchmarks.runtimes import bench_runtimes

        return _rows(bench_runtimes(settings, model))
    if part == "chat":
        from npc_eval.benchmarks.chat import bench_chat

        return _rows(bench_chat(settings, model))
    if part == "served":
        from npc_eval.benchmarks.served import bench_served

        return _rows(bench_served(settings, model))
    from npc_eval.benchmarks.first_word import bench_first_word

    return _rows(bench_first_word(settings, model))


def _file(settings: EngineSettings) -> Path:
    if settings.instinct_only:
        raise ModelMissing("No model is configured.", "Name one with --model.")
    return resolve(settings.model, settings.models_folder)


def _in_godot(part: str, minutes: float) -> Any:
    from npc_eval.benchmarks.frames import bench_frames, bench_transports
    from npc_server.cli.godot_project import find_godot, find_project, import_project, needs_import

    godot, project = find_godot(os.environ), find_project()
    if godot is None or project is None:
        return "not measured: Godot is missing; `make godot` brings it."
    if needs_import(project):
        import_project(godot, project, os.environ)
    if part == "panel":
        from npc_eval.benchmarks.panel import bench_panel

        return dataclasses.asdict(bench_panel(godot, project))
    if part == "cuts":
        from npc_eval.benchmarks.cuts import bench_cuts

        return _rows([bench_cuts(godot, project, minutes)])
    if part == "bridge":
        return [line for figure in bench_transports(godot, project) for line in lines_of(dataclasses.asdict(figure))]
    return dataclasses.asdict(bench_frames(godot, project))


def lines_of(figure: dict[str, Any]) -> list[dict[str, Any]]:
    """A figure with rows of its own as lines of a table, each with what holds for all of them."""
    about = {name: value for name, value in figure.items() if name != "rows"}
    return [{**about, **row} for row in figure["rows"]]


def _rows(figures: Sequence[Any]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(figure) for figure in figures]
