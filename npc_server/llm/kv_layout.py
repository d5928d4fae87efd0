"""Chooses how the KV cache is divided: one pool of cells for all sequences, or a stream of cells for each.

In a pool each token looks at the cells of all sequences, if only to pass over those of others. That costs a prompt more, the fuller the
pool is. In a stream it looks at its own cells alone. But streams share no cells: a common beginning is copied, and each stream is as long
as the longest prompt. So streams are faster and take more memory.

On a graphics card a pool is up to three times as fast: llama.cpp decodes only adjacent streams together, and builds its graph anew whenever
others have work. docs/benchmarks.md has the figures.
"""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.llm.gguf_header import Header

BYTES_OF_NUMBER = 2
"""Keys and values are kept as 16-bit floats. With 8 bits llama.cpp's fast attention is not used on a CPU."""


@dataclass(frozen=True)
class Layout:
    """How the cells are divided."""

    streams: bool
    tokens: int
    """Cells of the pool, or of each stream."""


def cell_bytes(header: Header) -> int:
    """Returns the size of one token's cell in bytes; 0 when the header does not say enough."""
    heads = header.number("attention.head_count")
    usual = header.number("embedding_length") // heads if heads else 0
    length = sum(header.number(f"attention.{name}_length") or usual for name in ("key", "value"))
    return header.number("block_count") * (header.number("attention.head_count_kv") or heads) * length * BYTES_OF_NUMBER


def choose_layout(
    wanted: str,
    *,
    pool_tokens: int,
    stream_tokens: int,
    trained: int,
    sequences: int,
    cell: int,
    memory_mb: int,
    can_share: bool,
    on_card: bool,
) -> Layout:
    """Chooses by `engine.kv_cache`. With `auto` it is a pool if the model is `on_card`, a graphics card.

    That pool is as large as all streams would be, as far as `memory_mb` million bytes allow, and at least `pool_tokens`. Elsewhere `auto`
    takes streams, if those of all sequences fit in that memory. `cell` is the size of a cell in bytes, 0 if unknown. A model whose memory
    is no list of cells (`can_share`) gets a pool.
    """
    longest, pool = min(stream_tokens, pool_tokens, trained or pool_tokens), Layout(False, pool_tokens)
    if not can_share or wanted == "pool":
        return pool
    if wanted == "streams":
        return Layout(True, longest)
    if not cell:
        return pool
    all_streams, allowed = longest * sequences, memory_mb * 1_000_000 // cell
    if on_card:
        return Layout(False, max(pool_tokens, min(all_streams, allowed)))
    return Layout(True, longest) if all_streams <= allowed else pool
