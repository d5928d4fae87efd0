"""`npc-server bench`: measures the speed of this machine. Figures of different machines cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from npc_server.cli.options import AsJson, Config, names_in
from npc_server.cli.output import Console, log_to, say
from npc_server.config import load_settings
from npc_server.errors import BadInput
from npc_server.evaluation.benchmarks.parts import LONG, PARTS, machine, measure_part


def bench(
    only: Annotated[
        str, typer.Option(help=f"Parts to measure, separated by commas. The default is all: {', '.join(PARTS)}. Another is soak.")
    ] = "",
    model: Annotated[
        Path | None, typer.Option(help="GGUF file to measure. The default is a random model with 16 million parameters.")
    ] = None,
    minutes: Annotated[float, typer.Option(min=0.1, help="Wall minutes that soak takes.")] = 60.0,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Measure the speed of retrieval, storage, acknowledgements, large saves and worlds, the model, many people, and the demo."""
    log_to()
    wanted = names_in(only) or PARTS
    strange = [part for part in wanted if part not in (*PARTS, *LONG)]
    if strange:
        raise BadInput(f"There is no part {strange[0]!r} to measure.", f"Choose among {', '.join((*PARTS, *LONG))}.")
    console, engine = Console(stderr=True), load_settings(config).engine
    found: dict[str, Any] = {"machine": machine()}
    for part in wanted:
        with console.status(f"Measuring {part}"):
            found[part] = measure_part(part, engine, model, minutes)
    if as_json:
        say(json.dumps(found, indent=1))
        return
    out = Console()
    out.print(", ".join(f"{name} {value}" for name, value in found["machine"].items()))
    for part in wanted:
        _show(out, part, found[part])


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
