"""Keeps on disk what llama.cpp's own server has read of each NPC, and gives it back when a later play asks for it.

The server writes the state of a slot into a file and reads it from one. It does not check such a file, and a damaged one can end the
process. So only files of `StateFiles` are kept, which are checked, and the server gets a copy.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npc_server.errors import EngineError
from npc_server.llm.adapters import Adapter
from npc_server.llm.kv_layout import Layout
from npc_server.llm.protocol import Frame
from npc_server.llm.sequences import Tokens
from npc_server.llm.served.recent import RecentPrompts
from npc_server.llm.served.server import CACHE_MB, LlamaCppServer
from npc_server.llm.state_files import WORTH_LOADING, StateFile, StateFiles, key_of
from npc_server.llm.tokenizer import Tokenizer

EXCHANGE = "slots"
"""Name of the folder among the states through which they go to the server and back."""

MOST_BEHIND = 512
"""Tokens. With more of them behind what lasts, a file would be mostly of a talk that is over."""
_HEAD_BYTES = 256
"""A file of the server begins with less than that, and then has the tokens."""
_YES, _NO = "yes", "no"
_MOST_TRIALS = 3
"""Trials that did not come to an end."""
_TRIAL = "The baker opens the door and says good morning."
_OLD_S = 60.0
"""Wall seconds after which a copy is one that a process left when it was killed."""


def make_exchange(folder: Path) -> Path | None:
    """Make the folder through which states go to the server and back. Return None where nobody can write."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            return None
        for left in folder.iterdir():
            if time.time() - left.stat().st_mtime > _OLD_S:
                left.unlink()
    except OSError:
        return None
    return folder


class SlotFiles:
    """Takes the states of a server's slots, and puts them back."""

    def __init__(self, server: LlamaCppServer, folder: Path) -> None:
        self._server, self._folder = server, folder
        self._names = (f"{os.getpid()}-{number}" for number in itertools.count())

    def free(self) -> list[int]:
        """Return the slots that answer nothing."""
        try:
            return [int(it["id"]) for it in self._server.get("/slots") if not it["is_processing"]]
        except (EngineError, KeyError, TypeError, ValueError):
            return []

    def save(self, slot: int, tokens: Tokens) -> bytes | None:
        """Return the state of a slot. None if the slot has another prompt meanwhile, or if the server saves nothing."""
        path = self._folder / next(self._names)
        try:
            self._ask(slot, "save", path)
            data = path.read_bytes()
        except (EngineError, OSError):
            return None
        finally:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        wanted = tokens.astype("<i4").tobytes()
        return data if data.find(wanted, 0, len(wanted) + _HEAD_BYTES) >= 0 else None

    def restore(self, slot: int, state: bytes) -> bool:
        """Put a state into a slot. Return whether the server took it."""
        path = self._folder / next(self._names)
        try:
            path.write_bytes(state)
            self._ask(slot, "restore", path)
        except (EngineError, OSError):
            return False
        finally:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        return True

    def _ask(self, slot: int, action: str, path: Path) -> None:
        self._server.post(f"/slots/{slot}?action={action}", {"filename": path.name})


def works_here(note: Path, trial: Callable[[], bool]) -> bool:
    """Return what a trial found, now or at an earlier start. One that ended the process several times is not made again."""
    try:
        known = note.read_text(encoding="utf-8") if note.exists() else ""
        if known in (_YES, _NO) or len(known) >= _MOST_TRIALS:
            return known == _YES
        note.write_text(known + "?", encoding="utf-8")
        found = trial()
        note.write_text(_YES if found else _NO, encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return found


def can_keep(server: LlamaCppServer, slot_files: SlotFiles, tokens: Sequence[int]) -> bool:
    """Return whether a slot goes on with a state that another one had. It does not in old servers, and with models that are recurrent."""
    try:
        slot = int(_asked(server, tokens)["id_slot"])
        state = slot_files.save(slot, np.array(tokens, np.int32))
        free = slot_files.free()
        other = next((it for it in free if it != slot), slot)
        if state is None or not free or not slot_files.restore(other, state):
            return False
        found = _asked(server, [*tokens, *tokens[:1]], id_slot=other)
        return int(found["timings"]["cache_n"]) >= len(tokens) - 1
    except (EngineError, KeyError, TypeError, ValueError):
        return False


def _asked(server: LlamaCppServer, tokens: Sequence[int], **more: int) -> Any:
    return server.post("/completion", {"prompt": list(tokens), "n_predict": 1, "cache_prompt": True, **more})


@dataclass(frozen=True)
class Keeping:
    """Where the states of a model are kept, and how many."""

    files: StateFiles
    exchange: Path

    @classmethod
    def of(cls, init: Frame, build: str, adapters: Sequence[Adapter], layout: Layout) -> Keeping | None:
        """Return it as the settings say. None where nothing is kept."""
        folder, most = Path(init["states_folder"]), int(init["states_mb"]) * 1_000_000
        exchange = make_exchange(folder / EXCHANGE) if most and init["share"] else None
        if exchange is None:
            return None
        key = key_of(Path(init["path"]), adapters, f"{build} streams {layout.streams}")
        return cls(StateFiles(folder, key, most), exchange)

    def start(self, server: LlamaCppServer, tokenizer: Tokenizer, slot_tokens: int, cell: int) -> ServedStates | None:
        """Return what keeps the states, once the server runs. None if it cannot go on with a state. `cell` is the size of a token's."""
        slot_files, trial = SlotFiles(server, self.exchange), tokenizer.read_words(_TRIAL)
        note = self.files.folder / f"{self.files.key}.trial"
        if not works_here(note, lambda: can_keep(server, slot_files, trial)):
            return None
        recent = CACHE_MB * 2**20 // cell if cell else slot_tokens
        return ServedStates(self.files, slot_files, slot_tokens=slot_tokens, recent_tokens=recent)


class ServedStates:
    """The states of one model. All work on files is done by one thread, one after the other."""

    def __init__(self, files: StateFiles, slot_files: SlotFiles, *, slot_tokens: int, recent_tokens: int) -> None:
        """`recent_tokens` is how many tokens of prompts the server keeps in memory."""
        self._files, self._slot_files, self._slot_tokens = files, slot_files, slot_tokens
        self._recent = RecentPrompts(recent_tokens)
        self._used: list[int] = []
        """The slots of the latest answers, the latest last."""
        self._moving = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1)

    def has(self, tokens: Tokens) -> bool:
        """Return whether all the tokens are on disk."""
        return self._files.has(tokens)

    async def bring(self, tokens: Tokens, lasting: int) -> None:
        """Give the server what is on disk of a prompt that it is asked next, if it has not read that lately.

        No other question goes to the server meanwhile, since it might take the same slot.
        """
        async with self._moving:
            file, length = self._files.longest(tokens[:-1]) if lasting else (None, 0)
            worth = length >= self._recent.common(tokens) + WORTH_LOADING
            if file is not None and worth and len(file.tokens) < self._slot_tokens and await self._in_thread(self._restore, file):
                self._recent.add(file.tokens)

    async def keep(self, slot: int, tokens: Tokens, lasting: int) -> None:
        """Keep on disk what was just read in a slot, if other plays will begin with it."""
        if slot >= 0 and lasting >= WORTH_LOADING and len(tokens) <= lasting + MOST_BEHIND and not self.has(tokens[:lasting]):
            async with self._moving:
                await self._in_thread(self._save, slot, tokens)

    def read(self, tokens: Tokens, slot: int) -> None:
        """Note that the server has read a prompt in a slot."""
        self._recent.add(tokens)
        self._used = [*(it for it in self._used if it != slot), slot]

    async def _in_thread(self, work: Callable[..., bool], *arguments: object) -> bool:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _restore(self, file: StateFile) -> bool:
        free = self._slot_files.free()
        if not free:
            return False
        slot = min(free, key=lambda it: self._used.index(it) if it in self._used else -1)
        return self._files.give(file, lambda state: self._slot_files.restore(slot, state))

    def _save(self, slot: int, tokens: Tokens) -> bool:
        state = self._slot_files.save(slot, tokens)
        if state is not None:
            self._files.write(tokens, state)
        return state is not None
