"""Vectors as bytes in a save: little-endian float32. One that does not read is as if it had not been stored, and takes no other with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Vectors = NDArray[np.float32]
_NUMBER = 4
"""Bytes of a number."""


def to_bytes(vector: Vector) -> bytes:
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def read_alike(parts: Iterable[Sequence[object]]) -> Vectors | None:
    """The blobs of all parts as a matrix; None where there is none, or one is not sound, or not as long as the first.

    Each is copied into its place while it is fresh in the processor's own memory.
    """
    size, matrix = 0, bytearray()
    for blobs in parts:
        if set(map(type, blobs)) != {bytes}:
            return None
        sound = cast(Sequence[bytes], blobs)
        size = size or len(sound[0])
        if not size or size % _NUMBER or set(map(len, sound)) != {size}:
            return None
        values = b"".join(sound)
        if not np.isfinite(np.frombuffer(values, "<f4")).all():
            return None
        matrix += values
    return np.frombuffer(matrix, "<f4").reshape(-1, size // _NUMBER).astype(np.float32, copy=False) if size else None


def read_all(blobs: Sequence[object]) -> tuple[list[int], Vectors]:
    """Places of those that are sound and, row for row, what they hold: shape (len(places), dimensions).

    Sound is what is as long as most are and holds finite numbers alone.
    """
    lengths = Counter(len(blob) for blob in blobs if isinstance(blob, bytes) and blob and len(blob) % _NUMBER == 0)
    if not lengths:
        return [], np.zeros((0, 0), np.float32)
    ((size, _),) = lengths.most_common(1)
    places = [place for place, blob in enumerate(blobs) if isinstance(blob, bytes) and len(blob) == size]
    kept = blobs if len(places) == len(blobs) else [blobs[place] for place in places]
    # Into one piece of memory that can be written, since a stream keeps it as it is.
    matrix = np.frombuffer(bytearray().join(cast(Sequence[bytes], kept)), dtype="<f4").reshape(-1, size // _NUMBER)
    matrix = matrix.astype(np.float32, copy=False)
    finite = np.isfinite(matrix).all(axis=1)
    if finite.all():
        return places, matrix
    return [place for place, good in zip(places, finite.tolist(), strict=True) if good], matrix[finite]
