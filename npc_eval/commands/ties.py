"""`npc-server eval ties`: draws who is close to whom in a save."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from npc_eval.plot import check
from npc_eval.society.plot import draw
from npc_server.cli.options import At, Config, SaveToRead, parsed_time
from npc_server.cli.output import log_to, say
from npc_server.config import Settings, load_settings
from npc_server.records import GameTime
from npc_server.session.inspect_save import opened


def ties(
    save: SaveToRead,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to draw to: .png, .svg or .pdf.")],
    at: At = "",
    config: Config = None,
) -> None:
    """Draw how close the people of a save are to each other."""
    log_to()
    check(file)
    asyncio.run(_draw(load_settings(config), save, file, parsed_time(at)))
    say(f"Drawn to {file}.")


async def _draw(settings: Settings, save: Path, file: Path, at: GameTime | None) -> None:
    async with opened(save, settings.mind, at) as minds:
        draw(minds, file)
