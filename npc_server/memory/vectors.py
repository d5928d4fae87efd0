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


def read_alike(parts: Iterable[Sequence[object]], rows: int, most_bytes: int) -> Vectors | None:
    """The blobs of all parts, `rows` together, as a matrix; None where one is not sound, or not as long as the first.

    So each is copied once, while it is fresh. No matrix gets larger than `most_bytes`.
    """
    matrix: Vectors | None = None
    at = 0
    for blobs in parts:
        if set(map(type, blobs)) != {bytes}:
            return None
        sizes = set(map(len, cast(Sequence[bytes], blobs)))
        size = sizes.pop()
        if matrix is None and size and size % _NUMBER == 0 and rows * size <= most_bytes:
            matrix = np.empty((rows, size // _NUMBER), np.float32)
        if sizes or matrix is None or size != matrix.shape[1] * _NUMBER:
            return None
        values = np.frombuffer(b"".join(cast(Sequence[bytes], blobs)), "<f4")
        if not np.isfinite(values).all():
            return None
        matrix[at : at + len(blobs)] = values.reshape(len(blobs), -1)
        at += len(blobs)
    return matrix if at == rows else None


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
