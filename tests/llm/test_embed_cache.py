from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npc_server.errors import ModelDied
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.embed_cache import CachedEmbedder
from npc_server.llm.engine import Vectors


class Counting(HashedWordsEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return await super().embed(texts)


async def test_a_text_is_embedded_once_and_rows_come_in_the_order_asked() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    texts = ["bread", "wood", "bread", "plants"]
    rows = await cached.embed(texts)
    assert np.array_equal(rows, await HashedWordsEmbedder().embed(texts))
    assert inner.asked == [["bread"], ["wood"], ["plants"]]
    await cached.embed(["wood", "fire"])
    assert inner.asked[-1] == ["fire"]
    assert (await cached.embed([])).shape == (0, cached.dimensions)


async def test_the_text_that_was_not_used_for_longest_goes_first() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, kept=2)
    for text in ("a", "b", "a", "c", "a"):
        await cached.embed([text])
    assert inner.asked == [["a"], ["b"], ["c"]]
    await cached.embed(["b"])
    assert inner.asked[-1] == ["b"]


async def test_a_text_that_cannot_be_embedded_now_is_near_nothing_and_tried_again_the_next_time() -> None:
    class Away(Counting):
        away = True

        async def embed(self, texts: Sequence[str]) -> Vectors:
            if self.away and texts == ["wood"]:
                raise ModelDied("The model process ended.", "Ask again.")
            return await super().embed(texts)

    inner = Away()
    cached = CachedEmbedder(inner)
    rows = await cached.embed(["bread", "wood"])
    assert rows[0].any()
    assert not rows[1].any()
    inner.away = False
    assert (await cached.embed(["wood"]))[0].any()
    assert inner.asked == [["bread"], ["wood"]]
