"""Applies edited files to a save that is not played, for `npc-server save refresh`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npc_server.config import Settings
from npc_server.errors import SaveError
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.start import open_embedder
from npc_server.session.apply_files import Applied
from npc_server.session.game_files import FileChange, GameFiles
from npc_server.session.host import Host


@dataclass(frozen=True)
class TakeOver:
    """How the files differ from those of the save, and what was applied. `applied` is None if nothing was."""

    changes: tuple[FileChange, ...]
    applied: Applied | None


async def take_over(settings: Settings, slot: str, files: GameFiles, confirm: Callable[[Sequence[FileChange]], bool]) -> TakeOver:
    """Applies `files` to the slot if they differ from its own and `confirm` returns True. `confirm` gets the changes.

    The save is opened, locked and written as in a game. Raises FileProblem and SaveError.
    """
    embedder = await open_embedder(settings.engine, reads_again=False)
    host = Host(settings, NoModelEngine("Applying files needs no model."), embedder)
    try:
        session = await host.open_save(slot, files=files)
        if session.recovered:
            await session.suspend()
            raise SaveError(
                f"A crash left unsaved play of {slot!r}.",
                "Open the save in the game, and save or discard that play. Then try again.",
                slot=slot,
            )
        applied: Applied | None = None
        try:
            if session.changes and confirm(session.changes):
                applied = await session.apply_files(files)
        except BaseException:
            await session.close(save=False)
            raise
        await session.close(save=applied is not None)
        return TakeOver(tuple(session.changes), applied)
    finally:
        await host.close()
