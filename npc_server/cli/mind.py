"""`npc-server mind`: shows the mind of one person from a save file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from npc_server.cli import mind_view as view
from npc_server.cli.options import At, Config, Npc, SaveToRead, parsed_time
from npc_server.cli.output import Console, log_to
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput
from npc_server.llm.start import open_embedder
from npc_server.mind.retrieve import retrieve
from npc_server.records import GameTime
from npc_server.session.inspect_save import opened


def mind(
    save: SaveToRead,
    npc: Npc,
    query: Annotated[str, typer.Option(help="Show the memories that a text brings to mind, with the parts of each score.")] = "",
    at: At = "",
    plan: Annotated[bool, typer.Option("--plan", help="Show the plan of the day with its outcomes.")] = False,
    relations: Annotated[bool, typer.Option("--relations", help="Show relationships.")] = False,
    reflections: Annotated[bool, typer.Option("--reflections", help="Show insights with their evidence.")] = False,
    count: Annotated[int, typer.Option(min=1, max=1000, help="Most memories to show.")] = 12,
    config: Config = None,
) -> None:
    """Show who a person is, what the person does, and the latest memories; or a view that an option names."""
    log_to()
    asked = {"--query": bool(query), "--plan": plan, "--relations": relations, "--reflections": reflections}
    chosen = [name for name, on in asked.items() if on]
    if len(chosen) > 1:
        raise BadInput(f"{' and '.join(chosen)} are different views.", "Ask for one at a time.")
    if query and not query.strip():
        raise BadInput("--query is empty.", "Write what to search for, e.g. --query 'the party'.")
    shown = view.VIEWS.get(chosen[0] if chosen else "", view.overview)
    settings = load_settings(config)
    asyncio.run(_show(Console(highlight=False), settings, save, npc, parsed_time(at), query.strip(), shown, count))


async def _show(
    console: Console,
    settings: Settings,
    save: Path,
    npc: str,
    at: GameTime | None,
    query: str,
    shown: view.View,
    count: int,
) -> None:
    embedder = await open_embedder(settings.engine, reads_again=False) if query else None
    try:
        async with opened(save, settings.mind, at, embedder=embedder) as minds:
            agent = minds.find(npc)
            console.print(view.heading(minds, agent))
            if query and embedder is not None:
                found = await retrieve(agent.mind, query, minds.now, count, touch=False)
                console.print(view.scores(agent.mind, query, found, minds.now, embedder.name))
            else:
                console.print(await shown(minds, agent, count))
    finally:
        if embedder is not None:
            await embedder.close()
