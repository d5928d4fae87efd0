"""What is known of models that nobody measured: it goes by the size of their file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def by_size(path: Path, sizes: Mapping[str, T]) -> T:
    """Return what `sizes` has for a model file. Its keys are millions of bytes; the largest that is not larger than the file counts."""
    return of_megabytes(path.stat().st_size / 1e6 if path.is_file() else 0.0, sizes)


def of_megabytes(megabytes: float, sizes: Mapping[str, T]) -> T:
    """Return what `sizes` has for a file of so many millions of bytes."""
    return sizes[max((least for least in sizes if int(least) <= megabytes), key=int)]
