"""Writes GGUF files with the package `gguf`, which only the `models` extra installs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npc_server.errors import ModelMissing

if TYPE_CHECKING:
    from gguf import GGUFWriter


def gguf_package() -> Any:
    """Returns the package `gguf`. Raises ModelMissing, which says how to install it."""
    try:
        import gguf
    except ImportError as error:
        raise ModelMissing("Making a model file needs the package gguf.", "Install npc-server[models].") from error
    return gguf


@contextmanager
def gguf_writer(path: Path, architecture: str, name: str) -> Iterator[GGUFWriter]:
    """Gives a `with` block a writer of metadata and tensors. The file is written at its end. Raises ModelMissing without the package."""
    writer = gguf_package().GGUFWriter(path, architecture)
    writer.add_name(name)
    yield writer
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_sizes(writer: GGUFWriter, *, context: int, width: int, layers: int, feed_forward: int, heads: int) -> None:
    """Adds the context length in tokens, the widths of embeddings and feed-forward layers, and how many blocks and heads there are."""
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(feed_forward)
    writer.add_head_count(heads)
