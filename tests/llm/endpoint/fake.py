"""An endpoint on this machine that obeys, hangs, lies, breaks off or is busy, as a test wants it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from npc_server.llm.endpoint.form import Form
from npc_server.llm.endpoint.meeting import PROBE

Body = dict[str, Any]
Act = Callable[["Exchange"], Any]
"""Answers one request. The default says what the endpoint's `says` is."""
EVENTS = "text/event-stream"
THOUGHT = " ".join(["Okay, they greet me. I need to stay in character and think about what she would answer."] * 4)
"""68 words: more than a probe or a line has tokens."""


@dataclass
class Exchange:
    """One request with the connection that it came on."""

    path: str
    body: Body
    writer: asyncio.StreamWriter
    fake: FakeEndpoint

    async def head(self, status: int = 200, kind: str = EVENTS, **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {kind}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        await self.writer.drain()

    async def send(self, text: str) -> None:
        self.writer.write(text.encode())
        await self.writer.drain()

    async def event(self, **chunk: Any) -> None:
        await self.send(f"data: {json.dumps(chunk)}\n\n")

    async def words(self, text: str, finish: str = "stop") -> None:
        """Streams a text in pieces of four characters, with its cost."""
        for at in range(0, len(text), 4):
            await self.event(choices=[{"delta": {"content": text[at : at + 4]}}])
        await self.event(choices=[{"delta": {}, "finish_reason": finish}])
        await self.event(choices=[], usage={"prompt_tokens": 40, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 30}})
        await self.send("data: [DONE]\n\n")

    async def thought(self, most: int, *, apart: bool) -> bool:
        """Streams a thought of at most so many words, apart or as the beginning of the reply. Returns whether it came to its end."""
        words = THOUGHT.split(" ")
        for word in words[:most]:
            await self.event(choices=[{"delta": {"content": "", "reasoning": f"{word} "} if apart else {"content": f"{word} "}}])
        if len(words) > most:
            await self.event(choices=[{"delta": {}, "finish_reason": "length"}])
            await self.send("data: [DONE]\n\n")
        elif not apart:
            await self.event(choices=[{"delta": {"content": "\n</think>\n\n"}}])
        return len(words) <= most

    async def gone(self) -> None:
        """Waits until the client has closed the connection."""
        while not self.writer.is_closing():
            try:
                await self.send(": still here\n\n")
            except OSError:
                return
            await asyncio.sleep(0.01)


@dataclass
class FakeEndpoint:
    """What it is, what it says, and what it was asked."""

    forms: frozenset[Form] = frozenset({Form.GRAMMAR})
    """Forms that it obeys. Fields of others are refused if it is `strict`, and ignored if not."""
    strict: bool = False
    model: str = "some-model"
    context: int | None = 4096
    says: str = "hello"
    thinks: str = ""
    """Where it thinks before each answer: `apart` in a field of its own, or `open` in the reply, as its template has begun the thought."""
    quiet: Callable[[Body], object] = lambda body: False
    """Whether a request keeps it from thinking."""
    refuses_system: int = 0
    """The status with which it refuses a message of the system."""
    listed: Act | None = None
    """What it does when it is asked for its models, if not the usual."""
    acts: list[Act] = field(default_factory=list)
    """What it does with the next requests after the probes. Then it says `says`."""
    asked: list[Body] = field(default_factory=list)
    """Bodies of requests for replies, without the probes."""
    keys: set[str] = field(default_factory=set)
    url: str = ""
    left: int = 0
    """Requests that the client left before the end."""

    def _fields(self, body: Body) -> set[Form]:
        names = {Form.GRAMMAR: "grammar", Form.PATTERN: "regex", Form.JSON: "response_format"}
        return {form for form, name in names.items() if name in body}

    async def answer(self, exchange: Exchange) -> None:
        body = exchange.body
        unknown = self._fields(body) - self.forms
        if self.strict and (unknown or "chat_template_kwargs" in body):
            await exchange.head(400, "application/json")
            await exchange.send(json.dumps({"error": {"message": "Unrecognized request argument"}}))
            return
        if self.refuses_system and any(it["role"] == "system" for it in body["messages"]):
            await exchange.head(self.refuses_system, "application/json")
            await exchange.send(json.dumps({"error": {"message": "Jinja Exception: System role not supported"}}))
            return
        if PROBE[-1]["content"] in body["messages"][-1]["content"]:
            await self._reply(exchange, _obedient(self._fields(body) & self.forms))
            return
        self.asked.append(body)
        if self.acts:
            await self.acts.pop(0)(exchange)
            return
        await self._reply(exchange, self.says)

    async def _reply(self, exchange: Exchange, text: str) -> None:
        await exchange.head()
        thinks = self.thinks and not self.quiet(exchange.body)
        if not thinks or await exchange.thought(exchange.body["max_tokens"], apart=self.thinks == "apart"):
            await exchange.words(text)

    async def models(self, exchange: Exchange) -> None:
        if self.listed is not None:
            await self.listed(exchange)
            return
        await exchange.head(200, "application/json")
        await exchange.send(json.dumps({"data": [{"id": self.model, "max_model_len": self.context}]}))


def _obedient(forms: set[Form]) -> str:
    return '{"qz": "x"}' if Form.JSON in forms else "qz123" if forms else "Hello there!"


@asynccontextmanager
async def serving(fake: FakeEndpoint, port: int = 0) -> AsyncIterator[FakeEndpoint]:
    """Serves the fake for a `with` block, and sets its `url`."""

    answering: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        answering.add(task)
        try:
            await answered(reader, writer)
        finally:
            writer.close()

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            length = int(headers.get("content-length", 0))
            body = json.loads(await reader.readexactly(length)) if length else {}
            fake.keys.add(headers.get("authorization", ""))
            exchange = Exchange(head.split(" ")[1], body, writer, fake)
            await (fake.models(exchange) if head.startswith("GET") else fake.answer(exchange))

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    port = server.sockets[0].getsockname()[1]
    fake.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield fake
    finally:
        server.close()
        for task in answering:  # some answers never end
            task.cancel()
        await asyncio.gather(*answering, return_exceptions=True)
