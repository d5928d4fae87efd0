"""Talks with one endpoint: lists its models, asks for a reply and streams it, embeds texts.

Leaving a request, also by cancelling its task, closes the connection. Servers then stop computing.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
import structlog
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from npc_server.errors import EngineError, ModelDied, ModelMissing, ModelRejected
from npc_server.llm.endpoint.address import KEY_VARIABLE, Address, tried_addresses
from npc_server.llm.endpoint.messages import Chunk, Embeddings, ModelEntries, ModelEntry, Usage
from npc_server.llm.endpoint.server_events import ServerEvents

CONNECT_S = 5.0
REST_S = 0.2
"""Wall seconds for the end of an answer after its last event."""
KEPT_S = 4.0
"""Wall seconds that a connection stays open for the next request: less than the 5 s after which uvicorn, and with it vLLM, closes it."""
SENT_AGAIN = 2
"""How often a request is sent again whose connection broke before an answer began."""
CHARS_PER_TOKEN_AT_MOST = 40
"""A server that sends more than this for each token that was asked for is not answered any longer."""
MOST_THOUGHT_CHARS = 100_000
"""The same for thoughts, which some servers do not count."""
SHOWN = 200
"""Characters of an answer that a message quotes."""
MOST_BODY_BYTES = 1 << 22
"""An answer that comes in one piece is not read beyond this: a list of models, or a reply that is not streamed."""
MOST_VECTORS_BYTES = 1 << 26
"""The same for vectors: 64 texts of 4,096 dimensions take some 6 MB as JSON."""
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
_NOT_ALLOWED = frozenset({"401", "403"})
_CHECK = "Check the address; most end in /v1."
M = TypeVar("M", bound=BaseModel)
log = structlog.get_logger(__name__)


class TryAgain(Exception):
    """The endpoint cannot answer now; another one may, or this one later."""

    def __init__(self, problem: EngineError, wait_s: float | None = None) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.wait_s = wait_s
        """Wall seconds after which the endpoint itself wants to be asked again."""


@dataclass(frozen=True)
class Written:
    """A reply and its cost."""

    text: str
    finish: str
    """`stop` or `length`, as the endpoint says."""
    usage: Usage | None
    thought: bool = False
    """Whether the model thought to itself beside it."""


class EndpointClient:
    """Sends requests to one address. Make it inside the event loop."""

    def __init__(self, address: Address, key: str, silence_s: float) -> None:
        """`silence_s` are the wall seconds after which an endpoint that sends nothing is given up."""
        self.address = address
        self._http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT_S, ssl=_trusted(address.url)),
            # Nothing is unpacked: a few packed bytes could become more than fits in memory.
            headers={"Accept-Encoding": "identity", **({"Authorization": f"Bearer {key}"} if key else {})},
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=silence_s),
            json_serialize_bytes=to_json,
            proxy=_proxy(address.url),
        )

    async def model(self) -> ModelEntry:
        """The model that is asked. Where the address has none, it is looked for beside it, mostly under `/v1`.

        Raises TryAgain, and ModelRejected when the endpoint does not have it.
        """
        found, wanted = await self._models(), self.address.model
        entry = next((it for it in found if it.id == wanted), None) if wanted else found[0]
        if entry is None:
            names = ", ".join(it.shown for it in found[:8])
            raise ModelRejected(f"{self.address} has no model {wanted!r}.", f"Name one after the '#': {names}.")
        return entry

    async def _models(self) -> list[ModelEntry]:
        """What the endpoint lists. The address under which it does is kept."""
        first: EngineError | None = None
        places = tried_addresses(self.address)
        for place in places:
            try:
                found = await self._listed(place)
            except EngineError as error:
                if error.values.get("status") in _NOT_ALLOWED:
                    raise
                first = first or error
                continue
            if place != self.address:
                log.info("an endpoint was found beside its address", named=self.address.url, found=place.url)
                self.address = place
            return found
        assert first is not None
        if len(places) == 1 or isinstance(first, ModelMissing):
            raise first
        tried = " and ".join(it.url for it in places)
        raise ModelRejected(f"No OpenAI-compatible endpoint answers at {tried}. {first.what}", "Most addresses end in /v1.")

    async def _listed(self, place: Address) -> list[ModelEntry]:
        async with self._answer("GET", "models", at=place) as answer:
            found = self._read(ModelEntries, await self._whole(answer, MOST_BODY_BYTES)).data
        if found is None:
            raise ModelRejected(f"{place} sent no list of models.", _CHECK)
        if not found:
            raise ModelMissing(f"{place} lists no model.", "Load one there.")
        return found

    async def chat(self, body: dict[str, Any], on_text: Callable[[str], None]) -> Written:
        """Asks for a reply. `on_text` gets each piece. Raises TryAgain and EngineError."""
        most = max(int(body.get("max_tokens", 0)), 16) * CHARS_PER_TOKEN_AT_MOST
        text, finish, usage, thought = "", "", None, 0
        async with self._answer("POST", "chat/completions", body) as answer:
            async for chunk in self._chunks(answer):
                usage = chunk.usage or usage
                for option in chunk.choices[:1]:
                    piece = option.delta or option.message
                    finish = option.finish_reason or finish
                    thought += len(piece.thought) if piece is not None else 0
                    if piece is not None and piece.content:
                        text += piece.content
                        on_text(piece.content)
                if len(text) > most or thought > MOST_THOUGHT_CHARS:
                    raise ModelRejected(f"{self.address} sent more than the {body.get('max_tokens')} tokens that were asked for.", "")
        if not finish:
            raise TryAgain(ModelDied(f"{self.address} broke off in the middle of an answer.", "See its log."))
        return Written(text, finish, usage, thought > 0)

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in their order. Raises TryAgain and EngineError."""
        async with self._answer("POST", "embeddings", {"model": model, "input": list(texts)}) as answer:
            found = sorted(self._read(Embeddings, await self._whole(answer, MOST_VECTORS_BYTES)).data, key=lambda it: it.index)
        if [it.index for it in found] != list(range(len(texts))):
            raise ModelRejected(f"{self.address} sent {len(found)} vectors for {len(texts)} texts.", "Use another embedding model.")
        return [it.embedding for it in found]

    async def close(self) -> None:
        await self._http.close()

    async def _chunks(self, answer: aiohttp.ClientResponse) -> AsyncIterator[Chunk]:
        """The pieces of a streamed answer. Some servers send a whole one instead."""
        if "text/event-stream" not in answer.headers.get("content-type", ""):
            yield self._read(Chunk, await self._whole(answer, MOST_BODY_BYTES))
            return
        events = ServerEvents()
        async for piece in answer.content.iter_any():
            for data in self._taken(events, piece):
                if data.strip() == "[DONE]":
                    await _read_to_end(answer)
                    return
                chunk = self._read(Chunk, data)
                if chunk.error is not None:
                    raise TryAgain(ModelDied(f"{self.address} broke off with an error: {_short(chunk.error)}.", "See its log."))
                yield chunk

    async def _whole(self, answer: aiohttp.ClientResponse, most: int) -> bytes:
        """An answer in one piece. Raises ModelRejected as soon as it is longer than `most` bytes."""
        found = bytearray()
        async for piece in answer.content.iter_any():
            found += piece
            if len(found) > most:
                raise ModelRejected(f"{self.address} sent an answer of more than {most} bytes.", _CHECK)
        return bytes(found)

    def _taken(self, events: ServerEvents, piece: bytes) -> list[str]:
        try:
            return events.take(piece)
        except ValueError as error:
            raise ModelRejected(f"{self.address} sent what is no answer: {error}.", _CHECK) from error

    @asynccontextmanager
    async def _answer(
        self, method: str, path: str, body: dict[str, Any] | None = None, at: Address | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Sends a request. The answer's status is good. Raises TryAgain and EngineError."""
        try:
            async with await self._sent(method, f"{(at or self.address).url}/{path}", body) as answer:
                if answer.status >= 400:
                    raise self._refused(answer, await _some(answer))
                yield answer
        except aiohttp.ServerTimeoutError as error:
            raise TryAgain(ModelDied(f"{self.address} does not answer.", "Start it again, or see its log.")) from error
        except (aiohttp.ClientError, OSError) as error:
            why = str(error) or type(error).__name__
            raise TryAgain(
                ModelMissing(f"{self.address} cannot be reached: {why}.", "Start it, or set engine.model to another.")
            ) from error

    async def _sent(self, method: str, url: str, body: dict[str, Any] | None) -> aiohttp.ClientResponse:
        """Sends a request. A server may close a kept connection just when the request begins on it, so such a one is sent again."""
        for _ in range(SENT_AGAIN):
            try:
                return await self._http.request(method, url, json=body, allow_redirects=False)
            except aiohttp.ClientConnectorError:
                raise
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                continue
        return await self._http.request(method, url, json=body, allow_redirects=False)

    def _refused(self, answer: aiohttp.ClientResponse, said: str) -> Exception:
        status = answer.status
        if status in _BUSY:
            problem = ModelDied(f"{self.address} answered {status}: {said}.", "It may be overloaded; see its log.", status=status)
            return TryAgain(problem, _wait(answer))
        if str(status) in _NOT_ALLOWED:
            what = f"{self.address} takes no requests without the right key ({status})."
            return ModelRejected(what, f"Set {KEY_VARIABLE}.", status=status)
        return ModelRejected(f"{self.address} answered {status}: {said}.", "Check the address and the model's name.", status=status)

    def _read(self, kind: type[M], text: str | bytes) -> M:
        try:
            return kind.model_validate_json(text)
        except ValidationError as error:
            raise ModelRejected(
                f"{self.address} sent what is no answer of an OpenAI-compatible endpoint: {_short(text)}.",
                "Check the address; most end in /v1.",
            ) from error


async def _some(answer: aiohttp.ClientResponse) -> str:
    """The beginning of an error's text."""
    text = b""
    async for piece in answer.content.iter_any():
        text += piece
        if len(text) > 4096:
            break
    try:
        found = json.loads(text)["error"]
        return _short(found["message"] if isinstance(found, dict) else found).rstrip(".")
    except (ValueError, KeyError, TypeError):
        return _short(text) or "nothing more"


async def _read_to_end(answer: aiohttp.ClientResponse) -> None:
    """Waits for the end after the last event. A connection whose answer was not read to its end cannot serve another request.

    The answer is whole already, so it does not matter how the connection ends.
    """
    if not answer.content.is_eof():
        with suppress(asyncio.TimeoutError, aiohttp.ClientError, OSError):
            await asyncio.wait_for(answer.content.wait_eof(), REST_S)


def _trusted(url: str) -> ssl.SSLContext | bool:
    """The certificates that are trusted: those that downloads trust, too."""
    return httpx.create_ssl_context() if url.startswith("https") else True


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address (`HTTPS_PROXY`, `NO_PROXY`). It is looked up once, since that takes a while."""
    scheme, host, *_ = urlsplit(url)
    found = None if proxy_bypass(host) else getproxies().get(scheme) or getproxies().get("all")
    return found if found is None or "://" in found else f"http://{found}"


def _short(text: object) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return " ".join(words.split())[:SHOWN]


def _wait(answer: aiohttp.ClientResponse) -> float | None:
    """The wall seconds of `Retry-After`; None when it names a date or nothing."""
    text = answer.headers.get("retry-after", "").strip()
    return float(text) if text.isdecimal() and len(text) < 5 else None
