"""A real model, whole: it is the file of the catalogue, it is described, and it answers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
from typer.testing import CliRunner

from npc_server.cli.model import app
from npc_server.llm.engine import Priority, Request
from npc_server.llm.models import find_entry, sha256_of
from npc_server.llm.reply import Text, one
from npc_server.llm.speed_file import Setup, known_speed
from npc_server.llm.start import open_engine
from tests.llm.conftest import engine_settings

pytestmark = pytest.mark.real_model


@dataclass(frozen=True)
class Said:
    words: Annotated[str, Text(200)]


def test_it_is_the_file_of_the_catalogue(qwen_05b: Path) -> None:
    entry = find_entry("qwen2.5-coder-0.5b")
    assert entry is not None
    assert (qwen_05b.stat().st_size, sha256_of(qwen_05b)) == (entry.size_bytes, entry.sha256)


def test_it_is_described(qwen_05b: Path) -> None:
    shown = CliRunner().invoke(app, ["info", str(qwen_05b)], catch_exceptions=False).output
    assert "architecture  qwen2" in shown
    assert "context       32768 tokens" in shown
    assert "chat template yes" in shown


def test_it_answers_a_line_of_a_chat_and_its_speed_is_known(qwen_05b: Path, tmp_path: Path) -> None:
    settings = engine_settings(model=str(qwen_05b), models_folder=tmp_path, context_tokens=2048, max_parallel=2, kept_prefixes=2)

    async def ask() -> str:
        engine = await open_engine(settings, log_file=tmp_path / "log")
        try:
            speed = engine.status().speed
            assert speed is not None
            assert known_speed(tmp_path, qwen_05b, Setup.of(settings)) == speed
            system = "You are Mara, who bakes bread in a village. Answer in one short sentence."
            request = Request(
                system, "Good morning! What do you bake?", one(Said), 1, max_tokens=40, temperature=0.0, free=True, priority=Priority.PLAYER
            )
            return (await engine.complete(request)).text
        finally:
            await engine.close()

    said = asyncio.run(ask())
    assert "bread" in said.lower()
    assert "<|" not in said
