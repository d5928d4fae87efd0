"""Runs llama.cpp's own llama-server beside our engine, to compare the two. See `contest`."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from npc_eval.benchmarks.workload import Asked
from npc_server.errors import ModelRejected

START_S = 120.0
"""Wall seconds that llama-server may take to load a model."""
FETCHED = Path(".llama-server") / "llama-server"
"""Where `scripts/get_llama_server.sh` puts it, from the folder of the clone."""
MISSING = "llama-server is missing, so only our engine is measured; `bash scripts/get_llama_server.sh` brings it."


def find_llama_server() -> Path | None:
    """Returns the llama-server of LLAMA_SERVER, of the PATH or of `.llama-server/`. None if there is none."""
    clone = Path(__file__).resolve().parents[3]
    for found in (os.environ.get("LLAMA_SERVER"), shutil.which("llama-server"), FETCHED, clone / FETCHED):
        if found and Path(found).is_file():
            return Path(found).absolute()
    return None


class LlamaServer:
    """A running llama-server with one model."""

    def __init__(self, http: httpx.AsyncClient, pid: int) -> None:
        self.http, self.pid = http, pid

    async def ask(self, asked: Asked, on_text: Callable[[str], None]) -> int:
        """Answers a prompt at temperature 0, and returns the number of reply tokens."""
        body = {
            "messages": [{"role": "system", "content": asked.system}, {"role": "user", "content": asked.user}],
            "max_tokens": asked.reply_tokens,
            "temperature": 0,
            "ignore_eos": True,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        tokens = 0
        async with self.http.stream("POST", "/v1/chat/completions", json=body) as answer:
            if answer.status_code != 200:
                raise ModelRejected(f"llama-server answered {answer.status_code}.", (await answer.aread()).decode("utf-8", "replace")[:300])
            async for line in answer.aiter_lines():
                if not line.startswith("data: {"):
                    continue
                chunk = json.loads(line.removeprefix("data: "))
                for option in chunk.get("choices", []):
                    if text := option.get("delta", {}).get("content"):
                        on_text(text)
                tokens = (chunk.get("usage") or {}).get("completion_tokens", tokens)
        return int(tokens)

    async def first_token(self, messages: list[dict[str, str]], tokens: int) -> float:
        """Continue a chat, and return the wall seconds to its first token. What the server has read of it is in its cache."""
        body = {"messages": messages, "max_tokens": tokens, "temperature": 0, "stream": True, "cache_prompt": True}
        began, first = time.perf_counter(), 0.0
        async with self.http.stream("POST", "/v1/chat/completions", json=body) as answer:
            async for line in answer.aiter_lines():
                options = json.loads(line.removeprefix("data: ")).get("choices", []) if line.startswith("data: {") else []
                if not first and any(option.get("delta", {}).get("content") for option in options):
                    first = time.perf_counter() - began
        return first or time.perf_counter() - began


@asynccontextmanager
async def llama_server(program: Path, model: Path, *, slots: int, slot_tokens: int, threads: int, log: Path) -> AsyncIterator[LlamaServer]:
    """Starts llama-server on a free port of this machine, and stops it in the end. Raises ModelRejected if it does not start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    sizes = ["-np", str(slots), "-c", str(slots * slot_tokens), "-t", str(threads), "-tb", str(threads)]
    with log.open("ab") as out:
        process = await asyncio.create_subprocess_exec(
            str(program), "-m", str(model), *sizes, "--host", "127.0.0.1", "--port", port, stdout=out, stderr=out
        )
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=None) as http:  # a slow machine may take hours
            began = time.monotonic()
            while not await _healthy(http):
                if process.returncode is not None or time.monotonic() - began > START_S:
                    raise ModelRejected(f"llama-server did not start with {str(model)!r}.", f"See {str(log)!r}.")
                await asyncio.sleep(0.1)
            yield LlamaServer(http, process.pid)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _healthy(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/health")).status_code == 200
    except httpx.TransportError:
        return False
