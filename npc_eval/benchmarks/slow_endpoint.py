"""OpenAI-compatible endpoints without a model, in a process of their own. They answer after a drawn delay, as a busy model would.

A reply holds drawn words in the form of the request's JSON schema. What is measured is the server, and never what is said.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import random
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection as Pipe
from typing import Any

MEDIAN_S, SIGMA, LONGEST_S = 0.8, 0.5, 5.0
"""The delay of a reply in wall seconds: lognormal with this median and this sigma, and never longer. A 7B model on a busy server takes
about so long for 60 tokens."""
PIECE_CHARS, BURSTS = 4, 6
"""Characters in a piece, as a token has, and network packets in which the pieces of a reply come."""
WORDS = ("the", "baker", "sets", "out", "bread", "and", "miller", "counts", "sacks", "while", "rain", "falls", "on", "old", "bridge")
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{rest}\r\n"


@contextmanager
def slow_endpoints(count: int, seed: int = 1) -> Iterator[str]:
    """Serves `count` endpoints on free loopback ports, and yields their addresses as `engine.model` takes them."""
    context = multiprocessing.get_context("spawn")
    pipe, its_end = context.Pipe()
    process = context.Process(target=_main, args=(count, seed, its_end), daemon=True)
    process.start()
    try:
        yield pipe.recv()
    finally:
        process.terminate()
        process.join()


def _main(count: int, seed: int, pipe: Pipe) -> None:
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(count, seed, pipe))


async def _serve(count: int, seed: int, pipe: Pipe) -> None:
    chance = random.Random(seed)
    servers = [await asyncio.start_server(lambda reader, writer: _connected(reader, writer, chance), "127.0.0.1", 0) for _ in range(count)]
    pipe.send(" ".join(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1" for server in servers))
    await asyncio.gather(*(server.serve_forever() for server in servers))


async def _connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, chance: random.Random) -> None:
    """Answers the requests of one connection, one after the other."""
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            length = int(headers.get("content-length", 0))
            body = json.loads(await reader.readexactly(length)) if length else {}
            if head.startswith("GET"):
                text = json.dumps({"data": [{"id": "slow", "max_model_len": 8192}]})
                writer.write((HEAD.format(kind="application/json", rest=f"Content-Length: {len(text)}\r\n") + text).encode())
            else:
                await _answer(body, writer, chance)
            await writer.drain()
    writer.close()


async def _answer(body: dict[str, Any], writer: asyncio.StreamWriter, chance: random.Random) -> None:
    text = json.dumps(drawn(body["response_format"]["json_schema"]["schema"], chance)) if "response_format" in body else "Hello there."
    is_probe = body["messages"][-1]["content"] == "Say hello."
    pause = 0.0 if is_probe else min(chance.lognormvariate(0, SIGMA) * MEDIAN_S, LONGEST_S) / BURSTS
    pieces = [{"choices": [{"delta": {"content": text[at : at + PIECE_CHARS]}}]} for at in range(0, len(text), PIECE_CHARS)]
    prompt = sum(len(it["content"]) for it in body["messages"]) // 4
    last = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": prompt, "completion_tokens": len(pieces)}}
    events = [f"data: {json.dumps(piece)}\n\n" for piece in [*pieces, last]] + ["data: [DONE]\n\n"]
    writer.write(HEAD.format(kind="text/event-stream", rest="Transfer-Encoding: chunked\r\n").encode())
    size = -(-len(events) // BURSTS)
    for at in range(0, len(events), size):
        await asyncio.sleep(pause)
        part = "".join(events[at : at + size]).encode()
        writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        await writer.drain()
    writer.write(b"0\r\n\r\n")


def drawn(schema: dict[str, Any], chance: random.Random) -> Any:
    """A drawn value that fits a schema of `llm.endpoint.as_json`."""
    kind = schema["type"]
    if kind == "object":
        return {name: drawn(part, chance) for name, part in schema["properties"].items()}
    if kind == "array":
        low = schema.get("minItems", 1)
        items = [drawn(schema["items"], chance) for _ in range(chance.randint(low, max(low, min(schema.get("maxItems", low), low + 2))))]
        return sorted(items, key=json.dumps)  # A plan's rows come in the order of their times.
    if kind == "integer":
        return chance.randint(1, 5)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    told = schema.get("description", "")
    if told == "HH:MM":
        return f"{chance.randint(6, 22):02}:{chance.choice((0, 15, 30, 45)):02}"
    if "emoji" in told:
        return "🙂"
    return "1, 2" if "number" in told else " ".join(chance.choices(WORDS, k=chance.randint(3, 7)))
