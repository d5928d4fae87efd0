"""Loads, saves and closes the slot that is played, one request at a time. A request that fails leaves play as it was.

A load begins a new epoch in these steps: the minds of the new copy are loaded while the old ones go on; the old ones are stopped and
their file is closed; the new file takes its place.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import structlog
from sqlite_utils import Database

from npc_server.errors import BadInput, GameLoaded, NoSession, SaveDamaged, SaveError
from npc_server.memory import inbox
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.memory.working_copy import WorkingCopy
from npc_server.records import SaveInfo
from npc_server.session.epoch import Epoch, Outside, begin
from npc_server.session.ownership import refuse_of_another, refuse_to_replace

log = structlog.get_logger()


class OpenSlot:
    """The slot that is played. `epoch` changes with each load. A load and the end wait until nobody holds `storing`."""

    def __init__(self, slot: str, slots: Slots, outside: Outside, ended: Callable[[], Awaitable[None]]) -> None:
        """`ended` is called once, after the slot is closed and free again."""
        self.slot = slot
        self.epoch: Epoch
        self.storing = asyncio.Lock()
        """Held while events are stored."""
        self.closed = False
        self._slots = slots
        self._outside = outside
        self._ended = ended
        self._game = ""
        self._changing = asyncio.Lock()

    async def open(self, resume_epoch: int, discard_unsaved: bool, game: str) -> None:
        """Opens the slot. Raises SaveError, and BadInput if the persona files of the save have mistakes. Nothing has changed then."""
        self._game = game
        copy = await asyncio.to_thread(self._slots.open_working_copy, self.slot, resume_epoch, discard_unsaved)
        try:
            self.epoch = await self._begin(copy, copy.place)
        except BaseException as error:
            await asyncio.to_thread(self._slots.close, self.slot, True)
            if copy.recovered and isinstance(error, BadInput | SaveDamaged):
                raise SaveDamaged(
                    f"The unsaved play of {self.slot!r} cannot be opened: {error.what}",
                    "Open it with discard_unsaved to start from the save.",
                    slot=self.slot,
                ) from error
            raise

    async def _begin(self, copy: WorkingCopy, place: Path | None = None) -> Epoch:
        """Begins an epoch on a working copy, and moves the copy to `place` if that is given. A copy that fails is removed."""
        try:
            epoch = await begin(copy, self._game, self._outside)
            try:
                if place is not None:
                    await epoch.store.move(place)
            except BaseException:
                await epoch.store.close()
                raise
        except BaseException:
            await asyncio.to_thread(self._slots.drop, copy)
            raise
        return epoch

    # ---- loading

    async def load(self, slot: str, look: Callable[[Store], Awaitable[None]]) -> None:
        """Replaces what is played by a slot, and begins a new epoch. `look` sees the loaded store before that. Raises SaveError."""
        async with self._changing:
            self._require_open()
            playing = self.epoch.info.game, self.epoch.town.world.root()
            refuse_of_another(slot, await asyncio.to_thread(self._slots.owner, slot, True), playing)
            copy = await asyncio.to_thread(self._slots.load, self.slot, slot)
            loaded = await self._begin(copy)
            try:
                await look(loaded.store)
            except BaseException:
                await self._drop(loaded)
                raise
            async with self.storing:
                await self._replace(loaded)

    async def _replace(self, loaded: Epoch) -> None:
        """Lets the game play `loaded`. Raises SaveError if its file cannot be moved into place; the old epoch goes on then."""
        await self.epoch.stop(_loaded)
        await self.epoch.store.close()
        try:
            await loaded.store.move(loaded.copy.place)
        except BaseException:
            await self._drop(loaded)
            await self._go_on()
            raise
        self.epoch = loaded

    async def _drop(self, loaded: Epoch) -> None:
        await loaded.store.close()
        await asyncio.to_thread(self._slots.drop, loaded.copy)

    async def _go_on(self) -> None:
        """Opens the file of the old epoch again, because it could not be replaced or removed. If the file is gone, play ends."""
        copy = replace(self.epoch.copy, path=self.epoch.copy.place, recovered=True)
        try:
            self.epoch = await self._begin(copy)
        except BaseException:
            await asyncio.to_thread(self._slots.close, self.slot, True)
            await self._end()
            raise

    # ---- saving

    async def save(self, slot: str) -> SaveInfo:
        """Saves the game to a slot. The file is replaced as a whole or not at all."""
        async with self._changing:
            self._require_open()
            return await self._save(slot)

    async def _save(self, slot: str) -> SaveInfo:
        epoch = self.epoch
        if slot != self.slot:
            refuse_to_replace(slot, await asyncio.to_thread(self._slots.owners, slot), epoch.info.game)
        await epoch.store.do(inbox.prune_done)
        saved_at = int(time.time())
        info = await asyncio.to_thread(self._slots.save, epoch.store.copy, self.slot, slot, saved_at)
        if slot == self.slot:
            epoch.info = info
        return info

    # ---- closing

    async def close(self, *, save: bool, keep_unsaved: bool) -> None:
        """Ends play. Raises SaveError; play goes on then, unless its file is gone. A second call does nothing."""
        async with self._changing, self.storing:
            if self.closed:
                return
            await self._stop_and_save() if save else await self.epoch.stop(_closed)
            await self.epoch.store.close()
            try:
                await asyncio.to_thread(self._slots.close, self.slot, keep_unsaved)
            except SaveError:
                await self._go_on()
                raise
            await self._end()

    async def _stop_and_save(self) -> None:
        """Saves while no mind thinks, then stops the minds. It saves again if stopping them wrote something, such as a cost.

        Raises SaveError; the minds go on then.
        """
        thinking, store = self.epoch.thinking, self.epoch.store
        with thinking.held():
            await self._save(self.slot)
            saved = await store.do(_changes)
        await self.epoch.stop(_closed)
        try:
            if await store.do(_changes) != saved:
                await self._save(self.slot)
        except SaveError as error:
            log.warning("cost_not_saved", slot=self.slot, error=str(error))

    async def _end(self) -> None:
        self.closed = True
        await self._ended()

    def require(self, epoch: Epoch) -> None:
        """Raises NoSession or GameLoaded if this epoch is no longer played."""
        self._require_open()
        if epoch is not self.epoch:
            raise _loaded()

    def _require_open(self) -> None:
        if self.closed:
            raise _closed()


def _changes(db: Database) -> int:
    return db.conn.total_changes


def _loaded() -> GameLoaded:
    return GameLoaded("A game was loaded before the answer was ready, so the request was dropped.", "Ask again in the loaded game.")


def _closed() -> NoSession:
    return NoSession("The save was closed before the answer was ready, so the request was dropped.", "Open it with OpenSave and ask again.")
