"""Embeddings of many texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npc_server.llm.engine import Embedder, Vectors

AT_ONCE = 256


async def embed_all(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """As `Embedder.embed`, for any number of texts."""
    parts = [await embedder.embed(texts[start : start + AT_ONCE]) for start in range(0, len(texts), AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros((0, embedder.dimensions), np.float32)
