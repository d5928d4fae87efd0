"""Takes edited files over into a save that nobody plays: what `npc-server save refresh` runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npc_server.config import Settings
from npc_server.errors import SaveError
from npc_server.llm.absent import AbsentEngine
from npc_server.llm.start import open_embedder
from npc_server.session.apply_files import Applied
from npc_server.session.game_files import FileChange, GameFiles
from npc_server.session.host import Host


@dataclass(frozen=True)
class TakeOver:
    """How the files differ from the save's, and what was applied; None if nothing was."""

    changes: tuple[FileChange, ...]
    applied: Applied | None


async def take_over(settings: Settings, slot: str, files: GameFiles, confirm: Callable[[Sequence[FileChange]], bool]) -> TakeOver:
    """Takes `files` over into the slot if they differ from the save's and `confirm`, which gets the changes, returns True.

    The save is opened as in a game, but without a clock, so it is locked and written in the same way. Raises FileProblem and SaveError.
    """
    host = Host(settings, AbsentEngine("Files are taken over without a model."), await open_embedder(settings.engine))
    try:
        session = await host.open_save(slot, files=files)
        if session.recovered:
            await session.suspend()
            raise SaveError(
                f"A crash left play of {slot!r} that is not saved.",
                "Open it in the game, save or discard it there, and try again.",
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
