"""`npc-server bench`: the speed figures of this machine. All figures of one run are comparable; those of two machines are not."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from npc_server.cli import demo_godot
from npc_server.cli.local import log_to
from npc_server.cli.output import Console, say
from npc_server.config import load_settings
from npc_server.errors import BadInput, NpcServerError

PARTS = ("retrieval", "commits", "play", "saves", "world", "engine", "bridge", "frames")


def bench(
    only: Annotated[str, typer.Option(help=f"Parts to measure, joined by commas: {', '.join(PARTS)}; all where left out.")] = "",
    model: Annotated[Path | None, typer.Option(help="GGUF file for the engine; a random model of 16 M parameters where left out.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Measures retrieval, storing, acknowledging, large saves and worlds, the model, the Godot bridge and the demo's frames."""
    log_to()
    wanted = tuple(part.strip() for part in only.split(",") if part.strip()) or PARTS
    strange = [part for part in wanted if part not in PARTS]
    if strange:
        raise BadInput(f"There is no part {strange[0]!r} to measure.", f"Choose among {', '.join(PARTS)}.")
    console = Console(stderr=True)
    found: dict[str, Any] = {"machine": machine()}
    for part in wanted:
        with console.status(f"Measuring {part}"):
            found[part] = _measure(part, model, config)
    if as_json:
        say(json.dumps(found, indent=1))
        return
    out = Console()
    out.print(", ".join(f"{name} {value}" for name, value in found["machine"].items()))
    for part in wanted:
        _show(out, part, found[part])


def machine() -> dict[str, str]:
    """What figures depend on."""
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


def _measure(part: str, model: Path | None, config: Path | None) -> Any:
    """Figures as JSON knows them; a text that says why there are none."""
    # Each is imported when it is measured: one without Godot or llama.cpp must not stop the others.
    try:
        if part == "retrieval":
            from npc_server.evaluation.retrieval import retrieval

            return _rows(retrieval())
        if part == "commits":
            from npc_server.evaluation.retrieval import commits

            return _rows(commits())
        if part == "play":
            from npc_server.evaluation.play import acknowledgements

            return _rows(acknowledgements())
        if part == "saves":
            from npc_server.evaluation.saves import saves

            return _rows(saves())
        if part == "world":
            from npc_server.evaluation.world import world

            return _rows(world())
        if part == "engine":
            from npc_server.evaluation.engine import bench_engine

            return dataclasses.asdict(bench_engine(load_settings(config).engine, model))
        return _godot(part)
    except NpcServerError as error:
        return f"not measured: {error}"


def _godot(part: str) -> Any:
    from npc_server.evaluation.bridge import bench_bridge
    from npc_server.evaluation.frames import bench_frames

    godot, project = demo_godot.find_godot(os.environ), demo_godot.project()
    if godot is None or project is None:
        return "not measured: Godot or the built bridge is missing; `make godot bridge` brings them."
    if demo_godot.needs_import(project):
        demo_godot.import_project(godot, project, os.environ)
    return dataclasses.asdict(bench_bridge(godot, project) if part == "bridge" else bench_frames(godot, project))


def _rows(figures: Sequence[Any]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(figure) for figure in figures]


def _show(out: Console, part: str, figures: Any) -> None:
    if isinstance(figures, str):
        out.print(Text.assemble((part, "bold"), f": {figures}"))
        return
    rows = figures if isinstance(figures, list) else list(figures["rows"])
    about = "" if isinstance(figures, list) else ", ".join(f"{k} {v}" for k, v in figures.items() if k != "rows")
    table = Table(title=f"{part} {about}".strip(), title_justify="left")
    for name in rows[0]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(f"{value:,.3g}" if isinstance(value, float) and abs(value) < 1000 else _plain(value) for value in row.values()))
    out.print(table)


def _plain(value: object) -> str:
    return f"{value:,.0f}" if isinstance(value, float) else str(value)
