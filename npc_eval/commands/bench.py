"""`npc-server bench`: measures the speed of this machine. Figures of different machines cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from npc_eval.benchmarks.parts import LONG, PARTS, Wanted, machine, measure_part
from npc_eval.benchmarks.workload import SHARINGS, Sharing
from npc_server.cli.options import AsJson, Config, engine_of, names_in
from npc_server.cli.output import Console, log_to, say
from npc_server.config import load_settings
from npc_server.errors import BadInput
from npc_server.llm.best_here import with_named_model

OTHERS = f"Others are {', '.join(LONG[:-1])} and {LONG[-1]}."
MOST_REQUESTS = 64
"""The most that `engine.max_parallel` allows."""


def bench(
    only: Annotated[
        str,
        typer.Option(help=f"Parts to measure, separated by commas. By default all: {', '.join(PARTS)}. {OTHERS}"),
    ] = "",
    model: Annotated[
        str | None, typer.Option(help="Model to measure: a GGUF file, a name or an endpoint. The default is that of the settings.")
    ] = None,
    minutes: Annotated[float, typer.Option(min=0.1, help="Wall minutes that soak and cuts take.")] = 60.0,
    requests: Annotated[str, typer.Option(help="Requests at once, for the part `engine`.")] = "1,4,16,25",
    sharing: Annotated[str, typer.Option(help="What prompts share, for the part `engine`: none, a third or most.")] = "none,third,most",
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each engine, for the part `engine`. Medians are shown.")] = 1,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown, each with its command.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Measure the speed of retrieval, storage, acknowledgements, large saves and worlds, the model, many people, and the demo."""
    log_to()
    parts = names_in(only) or PARTS
    strange = [part for part in parts if part not in (*PARTS, *LONG)]
    if strange:
        raise BadInput(f"There is no part {strange[0]!r} to measure.", f"Choose among {', '.join((*PARTS, *LONG))}.")
    console = Console(stderr=True)
    engine = with_named_model(load_settings(config, **engine_of(model))).engine
    wanted = Wanted(engine, _numbers(requests), _sharings(sharing), repeats, minutes)
    found: dict[str, Any] = {"machine": machine()}
    for part in parts:
        with console.status(f"Measuring {part}"):
            found[part] = measure_part(part, wanted)
    if as_json:
        say(json.dumps(found, indent=1))
        return
    facts = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
    if markdown:
        named = "" if model is None else f" --model {Path(model).name if Path(model).is_file() else model}"
        how = dict.fromkeys(("layouts", "first_word", "talk", "soak", "served", "chat", "runtimes"), named)
        how["cuts"] = f" --minutes {minutes:g}"
        how["engine"] = f"{named} --requests {requests} --sharing {sharing} --repeats {repeats}"
        tables = (as_markdown(part, found[part], how.get(part, "")) for part in parts)
        say("\n\n".join([facts + ".", *tables]))
        return
    out = Console()
    out.print(facts)
    for part in parts:
        _show(out, part, found[part])


def _numbers(text: str) -> tuple[int, ...]:
    """Reads `1,4,16`. Raises BadInput."""
    found = tuple(int(name) for name in names_in(text) if name.isdecimal() and 0 < int(name) <= MOST_REQUESTS)
    if not found or len(found) != len(names_in(text)):
        raise BadInput(f"--requests is {text!r}.", f"Give numbers from 1 to {MOST_REQUESTS}, such as 1,4,16.")
    return found


def _sharings(text: str) -> tuple[Sharing, ...]:
    """Reads `none,most`. Raises BadInput."""
    found = tuple(kind for kind in SHARINGS if kind in names_in(text))
    if not found or len(found) != len(names_in(text)):
        raise BadInput(f"--sharing is {text!r}.", f"Choose among {', '.join(SHARINGS)}.")
    return found


def as_markdown(part: str, figures: Any, options: str = "") -> str:
    """Writes the figures of a part as a section of a Markdown page, with the command that measured them."""
    head = f"## `npc-server bench --only {part}{options}`"
    if isinstance(figures, str):
        return f"{head}\n\n{figures}"
    about, rows = _facts_and_rows(figures)
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    lines += ["| " + " | ".join(_cell(value) for value in row.values()) + " |" for row in rows]
    return "\n\n".join([head, *([f"{about}."] if about else []), "\n".join(lines)])


def _facts_and_rows(figures: Any) -> tuple[str, list[dict[str, Any]]]:
    if isinstance(figures, list):
        return "", figures
    return ", ".join(f"{name} {value}" for name, value in figures.items() if name != "rows"), list(figures["rows"])


def _show(out: Console, part: str, figures: Any) -> None:
    if isinstance(figures, str):
        out.print(Text.assemble((part, "bold"), f": {figures}"))
        return
    about, rows = _facts_and_rows(figures)
    table = Table(title=f"{part} {about}".strip(), title_justify="left")
    for name in rows[0]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    out.print(table)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)
