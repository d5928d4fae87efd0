"""Keeps vectors of texts in a file, so that they are computed once. It has no text: each vector is found by the hash of its text."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np
import structlog
from numpy.typing import NDArray

from npc_server.llm.engine import Vectors
from npc_server.llm.models import PACKAGED
from npc_server.platform.files import move_over

log = structlog.get_logger(__name__)

EXCHANGES = "exchanges"
"""The texts of the bank of exchanges, as the name of their file has it."""


def key_of(text: str) -> int:
    """The hash by which the vector of a text is found."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def vector_file(folder: Path, what: str, embedder: str) -> Path:
    """The file of the vectors that an embedder made of some kind of texts."""
    return folder / f"{what}-{_plain(embedder)}.npz"


def vector_files(folder: Path, what: str, model: str = "") -> list[Path]:
    """All such files in a folder, of any number of dimensions. With `model`, the stem of an embedding model's file, only its own."""
    return sorted(folder.glob(f"{what}-{_plain(model)}-*.npz" if model else f"{what}-*.npz"))


def _plain(name: str) -> str:
    """As it may stand in the name of a file."""
    return re.sub(r"[^a-z0-9.-]+", "-", name.lower())


def read_vectors(file: Path | None, dimensions: int) -> dict[int, Vectors]:
    """The vectors by the key of their text; none if there is no usable file. A game may ship one, with the models of the package."""
    if file is not None and not file.is_file():
        file = PACKAGED / file.name
    if file is None or not file.is_file():
        return {}
    try:
        with np.load(file, allow_pickle=False) as data:
            keys: NDArray[np.uint64] = data["keys"]
            rows: Vectors = data["vectors"].astype(np.float32)
        if rows.shape != (len(keys), dimensions) or not np.isfinite(rows).all():
            raise ValueError(f"{len(keys)} keys and vectors of shape {rows.shape}, where {dimensions} dimensions are needed")
        return {int(key): row for key, row in zip(keys, rows, strict=True)}
    except (OSError, ValueError, KeyError, EOFError) as error:
        log.warning("vectors are computed anew", file=str(file), error=str(error))
        return {}


def write_vectors(file: Path, keys: Iterable[int], rows: Vectors) -> None:
    """Writes the file, whole or not at all. A disk that is full costs only the time to compute them again."""
    beside = file.with_name(f"{file.stem}.{os.getpid()}.part.npz")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(beside, keys=np.array(list(keys), np.uint64), vectors=rows)
        move_over(beside, file)
    except OSError as error:
        log.warning("vectors were not kept", file=str(file), error=str(error))
        with suppress(OSError):
            beside.unlink()
