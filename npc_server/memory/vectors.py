"""Stores vectors as bytes in a save: float32, little endian. A damaged vector is treated as missing, and the others still load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Vectors = NDArray[np.float32]
_NUMBER = 4
"""Bytes of one float32."""


def to_bytes(vector: Vector) -> bytes:
    """The bytes of a vector of shape (dimensions,)."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def read_same_length(parts: Iterable[Sequence[object]]) -> Vectors | None:
    """The vectors of all parts as a matrix of shape (n, dimensions); None if there are none, one is damaged, or lengths differ.

    This is the fast way. Each part is copied while it is still in the processor's cache. After None, use `read_sound`.
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


def read_sound(blobs: Sequence[object]) -> tuple[list[int], Vectors]:
    """The indices of the sound vectors among `blobs`, and their matrix: shape (len(indices), dimensions).

    A vector is sound if it has the most frequent length and only finite numbers.
    """
    lengths = Counter(len(blob) for blob in blobs if isinstance(blob, bytes) and blob and len(blob) % _NUMBER == 0)
    if not lengths:
        return [], np.zeros((0, 0), np.float32)
    ((size, _),) = lengths.most_common(1)
    places = [place for place, blob in enumerate(blobs) if isinstance(blob, bytes) and len(blob) == size]
    kept = blobs if len(places) == len(blobs) else [blobs[place] for place in places]
    # The bytearray makes the matrix writable, since a stream keeps and changes it.
    matrix = np.frombuffer(bytearray().join(cast(Sequence[bytes], kept)), dtype="<f4").reshape(-1, size // _NUMBER)
    matrix = matrix.astype(np.float32, copy=False)
    finite = np.isfinite(matrix).all(axis=1)
    if finite.all():
        return places, matrix
    return [place for place, good in zip(places, finite.tolist(), strict=True) if good], matrix[finite]
