"""`npc-server editor`: what the addon asks while a developer works in Godot's editor. It prints JSON."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from npc_server import clock
from npc_server.cli.options import Config, Mods, SaveToRead
from npc_server.cli.output import log_to, say
from npc_server.config import load_settings
from npc_server.documents import read_bytes, read_document
from npc_server.errors import FileProblem
from npc_server.records import Document, Memory
from npc_server.session.checked_files import read_personas
from npc_server.session.game_index import index as game_index
from npc_server.session.inspect_save import opened
from npc_server.session.person_form import FilledForm, filled, problems_of, read_form, values_of
from npc_server.session.town_without import named_in, without
from npc_server.world.town import load_town
from npc_server.world.town_of_nodes import read_nodes, town_of_nodes
from npc_server.world.town_records import Town

app = typer.Typer(help="Answer Godot's editor, in JSON.", no_args_is_help=True)

MAX_BYTES = 16 * 1024 * 1024

TownFile = Annotated[Path | None, typer.Option("--town", help="Town file of the game.")]
Personas = Annotated[Path | None, typer.Option("--personas", help="Folder of the persona files.")]


@app.command()
def index(
    town: TownFile = None,
    personas: Personas = None,
    mods: Mods = None,
) -> None:
    """List the people of a game, its town as a tree, and what is wrong with the files, each with file and line."""
    _print(game_index(town, personas, mods))


@app.command("town-of-nodes")
def town_of(
    nodes: Annotated[Path, typer.Argument(help="File with the places and objects of a scene, as the addon writes it (JSON).")],
    town: TownFile = None,
) -> None:
    """Print the town file of a scene's places and objects. With --town, it is that file with what the scene changes. Nothing is written."""
    document = read_document(town) if town else None
    found = town_of_nodes(read_nodes(read_bytes(nodes, MAX_BYTES).decode("utf-8")), document)
    problems: list[dict[str, Any]] = []
    try:
        load_town(Document(town.name if town else "town.yaml", found.text))
    except FileProblem as error:
        problems = [{"line": it.line, "what": it.what, "fix": it.fix} for it in error.problems]
    _print({"text": found.text, "notes": found.notes, "problems": problems})


@app.command("town-without")
def town_less(
    address: Annotated[str, typer.Argument(help="Address of a place, a room or an object.")],
    town: Annotated[Path, typer.Option("--town", help="Town file of the game.")],
    personas: Personas = None,
) -> None:
    """Print a town file without a place, a room or an object, and what else names it. Nothing is written."""
    document = read_document(town)
    text, problems = without(document, address)
    named = named_in(read_personas([personas] if personas else [])[0], document, address)
    _print({"text": text, "problems": problems, "named": named})


@app.command()
def person(
    file: Annotated[Path, typer.Argument(help="Persona file; with a form it may be a new one.")],
    form: Annotated[Path | None, typer.Option("--form", help="What the form holds, as the addon writes it (JSON).")] = None,
    town: TownFile = None,
    personas: Personas = None,
) -> None:
    """Print what a form shows of a persona file. With --form, print the text with what it holds, and its mistakes. Nothing is written."""
    given = read_form(read_bytes(form, MAX_BYTES).decode("utf-8")) if form else FilledForm()
    document = read_document(file) if given.text is None else Document(str(file), given.text)
    text, order = filled(document, given) if form else (document.text, [])
    written = replace(document, text=text)
    place: Town | None = None
    with suppress(FileProblem):
        place = load_town(read_document(town)) if town else None
    problems = problems_of(written, order, place, personas)
    _print({"values": values_of(written), "text": text, "problems": problems})


@app.command()
def memories(
    save: SaveToRead,
    npc: Annotated[str, typer.Argument(metavar="[NPC]", help="Person: an id or a name. Without one, the first of the save.")] = "",
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Most memories to list.")] = 500,
    config: Config = None,
) -> None:
    """List the people of a save, and the memories of one of them, newest first."""
    log_to()
    settings = load_settings(config)

    async def read() -> dict[str, Any]:
        async with opened(save, settings.mind) as minds:
            people = [{"id": agent.npc, "name": agent.mind.persona.name} for agent in minds.agents.values()]
            agent = minds.find(npc) if npc else next(iter(minds.agents.values()), None)
            latest = agent.mind.stream.latest(count) if agent is not None else []
            rows = [_memory(memory) for memory in latest]
            return {"people": people, "person": agent.npc if agent is not None else "", "memories": rows}

    _print(asyncio.run(read()))


def _memory(memory: Memory) -> dict[str, Any]:
    told = {"id": memory.id, "text": memory.text, "importance": memory.importance, "at": clock.written(memory.created)}
    return {**told, "kind": memory.kind.value, "source": memory.source.value, "key": memory.key, "doubt": memory.doubt}


def _print(found: dict[str, Any]) -> None:
    # ASCII, so that neither the console's encoding nor control characters in a file change what the addon reads.
    say(json.dumps(found, ensure_ascii=True))
