"""Keeps on disk what a model has read of each NPC, so that no later play has to read it again.

A file holds the first tokens of an NPC's talks, and llama.cpp's state of a sequence after them. Reading 500 tokens takes 5 to 25 seconds
on two cores, and taking them from a file a few hundredths of a second.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from npc_server.llm.adapters import Adapter
from npc_server.llm.sequences import Tokens, common_prefix
from npc_server.platform.files import move_over

FOLDER = "states"
"""Name of the folder, beside the models."""
WORTH_LOADING = 64
"""Tokens. The state of fewer is not worth a file."""
_MARK = b"npc-server state 1\n"
_DIGEST = 16
_SUFFIX = ".state"
_TRIED = ".tried"


@dataclass(frozen=True)
class StateFile:
    """A file and the tokens after which its state was taken, shape (tokens,)."""

    path: Path
    tokens: Tokens


def key_of(path: Path, adapters: Sequence[Adapter], library: str) -> str:
    """Return what a state depends on besides its tokens, as a short text: the model's file, its adapters, and llama.cpp's version."""
    parts = [library]
    for file, scale in [(path, 1.0), *((adapter.path, adapter.scale) for adapter in adapters)]:
        found = file.stat()
        parts.append(f"{file.name} {found.st_size} {found.st_mtime_ns} {scale}")
    return _short("\n".join(parts).encode())


class StateFiles:
    """The files of one model. Those of all models together take at most `most_bytes`; the longest unused go first."""

    def __init__(self, folder: Path, key: str, most_bytes: int) -> None:
        self.folder, self.key, self.most_bytes = folder, key, most_bytes
        for path in folder.glob(f"{key}-*{_TRIED}"):
            with suppress(OSError):
                path.unlink()
        self._files = [found for path in sorted(folder.glob(f"{key}-*{_SUFFIX}")) if (found := _opened(path)) is not None]

    def longest(self, tokens: Tokens) -> tuple[StateFile | None, int]:
        """Return the file that has most of the first `tokens`, and how many those are."""
        best, length = None, 0
        for file in self._files:
            common = common_prefix(file.tokens, tokens)
            if common > length:
                best, length = file, common
        return best, length

    def has(self, tokens: Tokens) -> bool:
        """Return whether a file has all the tokens."""
        return self.longest(tokens)[1] == len(tokens)

    def read(self, file: StateFile) -> bytes | None:
        """Return the state of a file. One that is damaged is deleted, and gives None."""
        try:
            data = file.path.read_bytes()
        except OSError:
            data = b""
        start = len(_head(file.tokens)) + _DIGEST
        state = data[start:]
        if not state or data[start - _DIGEST : start] != _digest(state):
            self.drop(file)
            return None
        with suppress(OSError):
            os.utime(file.path)
        return state

    def give(self, file: StateFile, take: Callable[[bytes], bool]) -> bool:
        """Give the state of a file to what may refuse it, or die of it. Return whether it was taken.

        The file has another name meanwhile, so that a process which died is not given it again. One that was refused is deleted.
        """
        state = self.read(file)
        tried = file.path.with_suffix(_TRIED)
        try:
            if state is not None:
                move_over(file.path, tried)
                if take(state):
                    move_over(tried, file.path)
                    return True
                tried.unlink()
        except OSError:
            pass
        self.drop(file)
        return False

    def write(self, tokens: Tokens, state: bytes) -> None:
        """Keep a state, whole or not at all. It takes the place of those after fewer of the same tokens. A full disk costs only time."""
        if len(state) > self.most_bytes:
            return
        for shorter in [it for it in self._files if common_prefix(it.tokens, tokens) == len(it.tokens)]:
            self.drop(shorter)
        path = self.folder / f"{self.key}-{_short(tokens.tobytes())}{_SUFFIX}"
        fresh = path.with_suffix(f".{os.getpid()}.new")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._make_room(len(state))
            with fresh.open("wb") as out:
                out.writelines((_head(tokens), _digest(state), state))
            move_over(fresh, path)
            self._files.append(StateFile(path, tokens.copy()))
        except OSError:
            with suppress(OSError):
                fresh.unlink()

    def drop(self, file: StateFile) -> None:
        """Delete a file."""
        self._files = [it for it in self._files if it.path != file.path]
        with suppress(OSError):
            file.path.unlink()

    def _make_room(self, wanted: int) -> None:
        """Delete files, the longest unused first, until another `wanted` bytes may be kept."""
        found = sorted(((it.stat().st_mtime, it.stat().st_size, it) for it in self.folder.glob(f"*{_SUFFIX}")), key=lambda it: it[:2])
        over = sum(size for _, size, _ in found) + wanted - self.most_bytes
        for _, size, path in found:
            if over <= 0:
                return
            self.drop(StateFile(path, np.empty(0, np.int32)))
            over -= size


def _head(tokens: Tokens) -> bytes:
    return _MARK + len(tokens).to_bytes(4, "little") + tokens.astype("<i4").tobytes()


def _opened(path: Path) -> StateFile | None:
    """Read the tokens of a file. Return None for one that is no such file."""
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(_MARK)) == _MARK:
            count = int.from_bytes(file.read(4), "little")
            if 0 < count * 4 <= path.stat().st_size:
                return StateFile(path, np.frombuffer(file.read(count * 4), "<i4").astype(np.int32))
    return None


def _digest(state: bytes) -> bytes:
    return hashlib.blake2b(state, digest_size=_DIGEST).digest()


def _short(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
