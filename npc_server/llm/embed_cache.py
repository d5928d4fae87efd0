"""Caches the vectors of texts, because NPCs do the same things every day and ask the same questions about each other."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import structlog

from npc_server.errors import EngineError
from npc_server.llm.engine import Embedder, Vectors

log = structlog.get_logger(__name__)
KEPT = 20_000
"""How many texts are cached. With 384 dimensions their vectors take 31 MB."""


class CachedEmbedder:
    """Implements `Embedder` around another one. The least recently used texts are dropped first."""

    def __init__(self, inner: Embedder, kept: int = KEPT) -> None:
        self.inner = inner
        self._kept = kept
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        # These are read before the await, because other calls may drop them meanwhile.
        found = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            # Each text is embedded alone, because the texts of a batch can change each other's last digits.
            rows = await asyncio.gather(*(self._embed(text) for text in missing))
            found.update(zip(missing, rows, strict=True))
        for text in found:
            if found[text].any():
                self._vectors[text] = found[text]
                self._vectors.move_to_end(text)
        while len(self._vectors) > self._kept:
            self._vectors.popitem(last=False)
        return np.stack([found[text] for text in texts]) if texts else np.zeros((0, self.dimensions), np.float32)

    def try_again(self) -> None:
        self.inner.try_again()

    async def _embed(self, text: str) -> Vectors:
        """Returns shape (dimensions,). Zeros, which are near nothing, take the place of a vector when the model does not answer."""
        try:
            return np.asarray((await self.inner.embed([text]))[0])
        except EngineError as error:
            log.warning("a text has no vector", error=str(error))
            return np.zeros(self.dimensions, np.float32)

    async def close(self) -> None:
        await self.inner.close()
