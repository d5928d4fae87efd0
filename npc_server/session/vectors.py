"""Embeddings of many texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npc_server.llm.engine import Embedder, Vectors

AT_ONCE = 256
"""Texts in one call of the embedder."""


async def embed_all(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Embeds any number of texts, `AT_ONCE` at a time. The result has one row per text."""
    parts = [await embedder.embed(texts[start : start + AT_ONCE]) for start in range(0, len(texts), AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros((0, embedder.dimensions), np.float32)
