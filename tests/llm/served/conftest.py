"""The stand-in for llama-server, and engines that use it."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from npc_server.llm.worker import LlamaEngine
from tests.llm.conftest import engine_settings

FAKE = Path(__file__).with_name("fake_llama_server.py")
Start = Callable[..., LlamaEngine]


class Log:
    """What the stand-in wrote down."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def of(self, what: str) -> list[dict[str, Any]]:
        lines = self.file.read_text().splitlines() if self.file.is_file() else []
        return [it for it in map(json.loads, lines) if it["what"] == what]

    def asked(self) -> list[str]:
        return [it["prompt"] for it in self.of("asked")]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Log:
    file = tmp_path / "asked.jsonl"
    monkeypatch.setenv("FAKE_LOG", str(file))
    return Log(file)


@pytest_asyncio.fixture
async def start(log: Log, random_model: Path, tmp_path: Path) -> AsyncIterator[Start]:
    program = tmp_path / "llama-server"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(FAKE))} "$@"\n')
    program.chmod(0o755)
    engines: list[LlamaEngine] = []

    def make(path: Path = random_model, measure: Callable[[Any], None] | None = None, **settings: object) -> LlamaEngine:
        waits = {"restart_wait_s": 0.05, "deadline_s": 3600, "player_deadline_s": 3600, "hang_s": 3600}
        values = {"runtime": str(program), "max_parallel": 3, "threads": 1, "states_mb": 0, **waits, **settings}
        engines.append(LlamaEngine(path, engine_settings(**values), log_file=tmp_path / "model.log", keep_speed=measure))
        return engines[-1]

    yield make
    for engine in engines:
        await engine.close()
