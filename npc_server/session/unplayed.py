"""Opens a save that no game plays, to change it from the command line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from npc_server.config import Settings
from npc_server.errors import SaveError
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.start import open_embedder
from npc_server.session.game_files import NO_FILES, GameFiles
from npc_server.session.host import Host
from npc_server.session.session import Session


@dataclass
class Unplayed:
    """An open save. Its owner says whether it is written at the end."""

    session: Session
    changed: bool = False


@asynccontextmanager
async def unplayed(settings: Settings, slot: str, files: GameFiles = NO_FILES) -> AsyncIterator[Unplayed]:
    """Opens, locks and closes a slot as a game does. It is written if `changed` is set at the end of the block, and the block succeeds.

    Raises SaveError, also if a crash left play that was not saved.
    """
    embedder = await open_embedder(settings.engine, reads_again=False)
    host = Host(settings, NoModelEngine("Changing a save needs no model."), embedder)
    try:
        session = await host.open_save(slot, files=files)
        if session.recovered:
            await session.suspend()
            raise SaveError(
                f"A crash left unsaved play of {slot!r}.",
                "Open the save in the game, and save or discard that play. Then try again.",
                slot=slot,
            )
        held = Unplayed(session)
        try:
            yield held
        except BaseException:
            await session.close(save=False)
            raise
        await session.close(save=held.changed)
    finally:
        await host.close()
