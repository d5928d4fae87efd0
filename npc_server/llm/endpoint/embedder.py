"""Embeds sentences at an OpenAI-compatible endpoint. See `llm/embed.py` for embedding on this machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np

from npc_server.config import EngineSettings
from npc_server.errors import DeadlinePassed, ModelRejected
from npc_server.llm.endpoint.address import Address
from npc_server.llm.endpoint.client import EndpointClient, TryAgain
from npc_server.llm.endpoint.messages import shown
from npc_server.llm.engine import ReadsNoAnswers, Vectors

TEXTS_AT_ONCE = 64
"""Texts in one request."""
FIRST_WAIT_S = 0.25
"""Wall seconds before a failed request is sent again. The time doubles with each failure."""


class EndpointEmbedder(ReadsNoAnswers):
    """Implements `Embedder`. Make it with `open_endpoint_embedder`."""

    def __init__(self, client: EndpointClient, model: str, dimensions: int, deadline_s: float) -> None:
        self._client, self._model, self._deadline_s = client, model, deadline_s
        self.dimensions = dimensions
        self.name = f"{PurePosixPath(shown(model)).name}/{dimensions}"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Returns shape (len(texts), dimensions), with rows of length 1. Raises EngineError."""
        found = [np.zeros((0, self.dimensions), np.float32)]
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            part = texts[start : start + TEXTS_AT_ONCE]
            found.append(unit_rows(await _patiently(self._client, self._model, part, self._deadline_s), len(part), self.dimensions))
        return np.concatenate(found)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        await self._client.close()


async def open_endpoint_embedder(address: Address, settings: EngineSettings, key: str) -> EndpointEmbedder:
    """Asks an endpoint for its model and a first vector. Raises EngineError when it gives none."""
    client = EndpointClient(address, key, settings.hang_s)
    try:
        model = (await client.model()).id
        dimensions = len((await client.embed(model, ["hello"]))[0])
        if not dimensions:
            raise ModelRejected(f"{address} sent a vector without numbers.", "Use another embedding model.")
    except TryAgain as error:
        await client.close()
        raise error.problem from error
    except BaseException:
        await client.close()
        raise
    return EndpointEmbedder(client, model, dimensions, settings.embedding_deadline_s)


def unit_rows(rows: Sequence[Sequence[float]], count: int, dimensions: int) -> Vectors:
    """Vectors of length 1. Raises ModelRejected when they have another shape, or a number in them is none."""
    if len(rows) != count or any(len(row) != dimensions for row in rows):
        raise ModelRejected(f"The endpoint sent vectors that have not {dimensions} numbers each.", "Use another embedding model.")
    vectors: Vectors = np.asarray(rows, np.float32).reshape(count, dimensions)
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (count and not lengths.all()):
        raise ModelRejected("The endpoint sent a vector without a length.", "Use another embedding model.")
    return vectors / lengths


async def _patiently(client: EndpointClient, model: str, texts: Sequence[str], deadline_s: float) -> list[list[float]]:
    """Sends a request again while the endpoint is busy or away, until the deadline. Raises EngineError."""
    wait_s, end = FIRST_WAIT_S, time.monotonic() + deadline_s
    while True:
        try:
            return await asyncio.wait_for(client.embed(model, texts), max(end - time.monotonic(), 0.0))
        except asyncio.TimeoutError as error:
            fix = "Use a faster endpoint, or raise engine.embedding_deadline_s."
            raise DeadlinePassed(f"No vectors came within {deadline_s:.0f} s.", fix) from error
        except TryAgain as error:
            pause_s = wait_s if error.wait_s is None else error.wait_s
            if time.monotonic() + pause_s >= end:
                raise error.problem from error
            await asyncio.sleep(pause_s)
            wait_s *= 2
