"""Connections to an endpoint that keeps them open."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from npc_server.errors import ModelRejected
from npc_server.llm.endpoint import client as client_module
from npc_server.llm.endpoint import server_events
from npc_server.llm.endpoint.address import addresses
from npc_server.llm.endpoint.client import EndpointClient, TryAgain
from tests.llm.endpoint.fake import Exchange, FakeEndpoint, serving

HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENTS = [{"choices": [{"delta": {"content": "Hello."}, "finish_reason": "stop"}]}, {"choices": []}]


@asynccontextmanager
async def endpoint(end: bytes, closes: bool = False, heads: list[str] | None = None) -> AsyncIterator[tuple[str, list[int]]]:
    """Its address, and for each connection the requests that came on it. After `[DONE]` it sends `end`, and may close the connection.

    It adds what each request began with to `heads`.
    """
    connections: list[int] = []
    open_ones: list[asyncio.StreamWriter] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        place = len(connections)
        connections.append(0)
        open_ones.append(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0]))
                connections[place] += 1
                if heads is not None:
                    heads.append(head)
                text = "".join(f"data: {json.dumps(event)}\n\n" for event in EVENTS) + "data: [DONE]\n\n"
                writer.write(f"{HEAD}{len(text):x}\r\n{text}\r\n".encode() + end)
                await writer.drain()
                if closes:
                    writer.close()
                    return

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", connections
    finally:
        server.close()
        for writer in open_ones:
            writer.close()
            await writer.wait_closed()


async def asked(url: str, count: int) -> list[str]:
    client = EndpointClient(addresses(url)[0], "", 3600)
    try:
        return [(await client.chat({"messages": [{"content": "Hello?"}], "max_tokens": 8}, lambda piece: None)).text for _ in range(count)]
    finally:
        await client.close()


END = b"0\r\n\r\n"


async def test_requests_one_after_the_other_use_one_connection() -> None:
    async with endpoint(END) as (url, connections):
        assert await asked(url, 3) == ["Hello."] * 3
        assert connections == [3]


async def test_answer_that_never_ends_after_its_last_event_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "REST_S", 0.01)
    async with endpoint(b"") as (url, connections):
        assert await asked(url, 2) == ["Hello."] * 2
        assert connections == [1, 1]


async def test_answer_counts_although_the_connection_breaks_after_its_last_event() -> None:
    async with endpoint(b"", closes=True) as (url, _):
        assert await asked(url, 2) == ["Hello."] * 2


async def test_server_that_closes_each_connection_after_its_answer_is_asked_again() -> None:
    """As llama-server does after a streamed answer, without a word in the head."""
    async with endpoint(END, closes=True) as (url, _):
        assert await asked(url, 20) == ["Hello."] * 20


async def test_line_that_is_too_long_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def long(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.send("data: " + "x" * 32)

    monkeypatch.setattr(server_events, "MOST_BYTES", 16)
    async with serving(FakeEndpoint(acts=[long])) as fake:
        with pytest.raises(ModelRejected, match="no answer: a line has more than 16 bytes"):
            await asked(fake.url, 1)


async def test_request_goes_through_the_proxy_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[str] = []
    async with endpoint(END, heads=heads) as (url, _):
        monkeypatch.setenv("http_proxy", url.removesuffix("/v1").replace("//", "//mara:secret@"))
        assert await asked("http://model.invalid/v1", 1) == ["Hello."]
    assert "post http://model.invalid/v1/chat/completions" in heads[0]
    assert "proxy-authorization: basic " in heads[0]


async def test_request_goes_past_the_proxy_where_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    async with endpoint(END) as (url, connections):
        assert await asked(url, 1) == ["Hello."]
        assert connections == [1]
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(TryAgain, match="cannot be reached"):
            await asked(url, 1)
