"""Applies edited files to a save that is not played, for `npc-server save refresh`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npc_server.config import Settings
from npc_server.session.apply_files import Applied
from npc_server.session.game_files import FileChange, GameFiles
from npc_server.session.unplayed import unplayed


@dataclass(frozen=True)
class TakeOver:
    """How the files differ from those of the save, and what was applied. `applied` is None if nothing was."""

    changes: tuple[FileChange, ...]
    applied: Applied | None


async def take_over(settings: Settings, slot: str, files: GameFiles, confirm: Callable[[Sequence[FileChange]], bool]) -> TakeOver:
    """Applies `files` to the slot if they differ from its own and `confirm` returns True. `confirm` gets the changes.

    The save is opened, locked and written as in a game. Raises FileProblem and SaveError.
    """
    async with unplayed(settings, slot, files) as held:
        applied: Applied | None = None
        if held.session.changes and confirm(held.session.changes):
            applied = await held.session.apply_files(files)
            held.changed = True
        return TakeOver(tuple(held.session.changes), applied)
