"""`npc-server mind`: looks into one person's mind, as a save file holds it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from npc_server.cli import mind_view as view
from npc_server.cli.options import parsed_time
from npc_server.cli.output import Console, log_to
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput
from npc_server.evaluation.plot import check
from npc_server.evaluation.society.plot import draw
from npc_server.llm.start import open_embedder
from npc_server.mind.retrieve import retrieve
from npc_server.records import GameTime
from npc_server.session.inspect_save import opened


def mind(
    save: Annotated[Path, typer.Argument(help="A save file. It is only read.")],
    npc: Annotated[str, typer.Argument(help="Whose mind: an id or a name, in any case.")],
    query: Annotated[str, typer.Option(help="What comes to mind about this: the best memories, with the parts of each score.")] = "",
    at: Annotated[str, typer.Option(help='Game time to look at, "2026-05-04 18:00"; else the save\'s own.')] = "",
    plan: Annotated[bool, typer.Option("--plan", help="The day in strokes, hours and steps, and what became of them.")] = False,
    relations: Annotated[bool, typer.Option("--relations", help="What others are to this person, and what is between them.")] = False,
    plot: Annotated[Path | None, typer.Option(help="With --relations: also draw who is close to whom: .png, .svg or .pdf.")] = None,
    reflections: Annotated[bool, typer.Option("--reflections", help="What it concluded, and the memories that rests on.")] = False,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many memories to show.")] = 12,
    config: Annotated[Path | None, typer.Option(help="Settings file.")] = None,
) -> None:
    """Shows a mind: who somebody is, what it does and remembers; or one of the views below."""
    log_to()
    asked = {"--query": bool(query), "--plan": plan, "--relations": relations, "--reflections": reflections}
    chosen = [name for name, on in asked.items() if on]
    if len(chosen) > 1:
        raise BadInput(f"{' and '.join(chosen)} are two views.", "Ask for one at a time.")
    if query and not query.strip():
        raise BadInput("--query is empty.", "Write what to search for, e.g. --query 'the party'.")
    if plot is not None:
        if not relations:
            raise BadInput("--plot draws relations.", "Add --relations.")
        check(plot)
    shown = view.VIEWS.get(chosen[0] if chosen else "", view.overview)
    settings = load_settings(config)
    asyncio.run(_show(Console(highlight=False), settings, save, npc, parsed_time(at), query.strip(), shown, count, plot))


async def _show(
    console: Console,
    settings: Settings,
    save: Path,
    npc: str,
    at: GameTime | None,
    query: str,
    shown: view.View,
    count: int,
    plot: Path | None,
) -> None:
    embedder = await open_embedder(settings.engine) if query else None
    try:
        async with opened(save, settings.mind, at, embedder=embedder) as minds:
            agent = minds.find(npc)
            console.print(view.heading(minds, agent))
            if query and embedder is not None:
                found = await retrieve(agent.mind, query, minds.now, count, touch=False)
                console.print(view.scores(agent.mind, query, found, minds.now, embedder.name))
            else:
                console.print(await shown(minds, agent, count))
            if plot is not None:
                draw(minds, plot)
                console.print(f"Drawn to {plot}.")
    finally:
        if embedder is not None:
            await embedder.close()
