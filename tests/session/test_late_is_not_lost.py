"""What memory and the bank would say is known before a model is asked. So a model that comes too late costs no more time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from npc_server.config import Settings
from npc_server.llm.deadline import Deadline
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Completion, EngineStatus, LineInTalk, OnText, Request, Scores
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import Source
from npc_server.session.host import Host
from tests.session.conftest import personas, town


class Reads(HashedWordsEmbedder):
    """Counts how often texts are read as answers to a line."""

    def __init__(self) -> None:
        super().__init__()
        self.readings = 0

    async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        self.readings += 1
        return await super().answers(line, texts)

    async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        self.readings += 1
        return await super().rerank(heard, texts)


class Silent(ScriptedEngine):
    """A model that never begins to speak. It notes how often answers had been read when it was asked for a line."""

    def __init__(self, embedder: Reads, by: Deadline) -> None:
        super().__init__(lambda request: "", chats=True)
        self.embedder, self.by, self.read_before = embedder, by, list[int]()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if request.stage == "say" and request.max_tokens > 1:
            self.read_before.append(self.embedder.readings)
            self.by.end_at(time.monotonic())
        await asyncio.Event().wait()
        raise AssertionError

    def status(self) -> EngineStatus:
        return replace(super().status(), own_lines=1.0)


@pytest.mark.parametrize("line", ["How old are you?", "Do you like riddles?"], ids=["about oneself", "small talk"])
async def test_what_memory_and_the_bank_have_is_ready_before_the_model_is_asked_and_said_where_it_is_late(
    settings: Settings, first_word_by: Deadline, line: str
) -> None:
    embedder = Reads()
    engine = Silent(embedder, first_word_by)
    host = Host(settings, engine, embedder)
    try:
        await host.create_save("slot", town(), personas(), 7, 0)
        session = await host.open_save("slot")
        said = await session.say("mara_voss", "Robin", line, lambda piece: None)
        assert said.text.strip()
        assert said.source is not Source.MODEL
        assert embedder.readings > 0
        assert engine.read_before == [embedder.readings], "nothing is read after the model was asked"
    finally:
        await host.close()
