"""A player gets an answer within one deadline, whatever has stopped: the model, the embedding model, or both.

The deadlines of everything else are far beyond the limit of a test, so that it ends by the player's, or not at all.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from npc_eval.random_model import make_random_model
from npc_server.clock import HOUR
from npc_server.config import load_settings
from npc_server.llm import deadline
from npc_server.llm.embed import LlamaEmbedder
from npc_server.llm.embed_cache import CachedEmbedder
from npc_server.llm.gguf_header import read_header
from npc_server.llm.process import ModelProcess
from npc_server.llm.watched import WatchedEngine
from npc_server.llm.worker import LlamaEngine
from npc_server.records import Clock, Source
from npc_server.session.host import Host
from npc_server.session.session import Session
from npc_server.session.talks import Meeting
from tests.llm.random_embedder import make_random_embedder
from tests.session.conftest import personas, town
from tests.waiting import LIMIT_S

pytestmark = pytest.mark.model
MARA, TOBIN = "mara_voss", "tobin_hale"
WITHOUT_VECTOR = "SELECT COUNT(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.npc = m.npc AND v.id = m.id)"


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Host]:
    engine = {"threads": 1, "context_tokens": 4096, "player_deadline_s": 1.0, "deadline_s": 3600.0, "hang_s": 3600.0}
    settings = load_settings(save={"folder": tmp_path / "saves", "commit_wait_ms": 0}, engine=engine)
    monkeypatch.setattr(deadline, "HELP_S", 0.1)
    chat = LlamaEngine(make_random_model(tmp_path / "chat.gguf"), settings.engine, log_file=tmp_path / "log")
    embedding = read_header(make_random_embedder(tmp_path / "embed.gguf"), settings.engine.max_header_bytes)
    embedder = LlamaEmbedder(embedding, settings.engine, log_file=tmp_path / "log")
    await chat.loaded()
    await embedder.process.settled()
    made = Host(settings, chat, CachedEmbedder(embedder))
    await made.create_save("one", town(), personas(), seed=7, start=0)
    yield made
    await made.close()


def children(host: Host) -> dict[str, ModelProcess]:
    assert isinstance(host.engine.inner, WatchedEngine)
    assert isinstance(host.engine.inner.inner, LlamaEngine)
    assert isinstance(host.embedder, CachedEmbedder)
    assert isinstance(host.embedder.inner, LlamaEmbedder)
    return {"model": host.engine.inner.inner.process, "embedder": host.embedder.inner.process}


def send(host: Host, which: str, number: signal.Signals) -> None:
    for name, process in children(host).items():
        if name in which:
            os.kill(process.pid, number)


def silent(text: str) -> None:
    pass


async def opened(host: Host) -> Session:
    session = await host.open_save("one")
    assert host.engine.status().ready
    return session


@pytest.mark.unanswered
@pytest.mark.parametrize("stopped", ["model", "embedder", "model and embedder"])
async def test_instinct_answers_a_player_when_what_has_stopped_does_not(host: Host, stopped: str) -> None:
    session = await opened(host)
    send(host, stopped, signal.SIGSTOP)
    spoken = await session.say(MARA, "Ann", "What do you think of Tobin?", silent)
    assert spoken.text
    assert "model" not in stopped or spoken.source is Source.INSTINCT
    answer, _, _ = await session.interview(MARA, "What do you think of Ines?", silent)
    assert answer
    assert (await session.whisper(MARA, "I shall bake a cake.")).text
    send(host, stopped, signal.SIGCONT)


async def test_a_thought_that_waits_for_what_has_stopped_does_not_keep_a_player_waiting(host: Host) -> None:
    session = await opened(host)
    send(host, "model and embedder", signal.SIGSTOP)
    await session.take(session.epoch, [(1, Clock(session.now + 9 * HOUR))])
    assert MARA in session._thinking._thoughts
    spoken = await session.say(MARA, "Ann", "What do you think of Tobin?", silent)
    assert spoken.source is Source.INSTINCT
    send(host, "model and embedder", signal.SIGCONT)


async def test_a_talk_that_waits_for_what_has_stopped_does_not_keep_a_player_waiting(host: Host) -> None:
    session = await opened(host)
    thinking = session._thinking
    thinking._context.busy.update((MARA, TOBIN))
    send(host, "model and embedder", signal.SIGSTOP)
    meeting = Meeting((session.agent(TOBIN), session.agent(MARA)), {TOBIN: "the mill"})
    talk = asyncio.create_task(thinking._talk(meeting, lockstep=False))
    await asyncio.sleep(0)
    spoken = await session.say(MARA, "Ann", "What do you think of Tobin?", silent)
    assert spoken.source is Source.INSTINCT
    assert talk.done()
    send(host, "model and embedder", signal.SIGCONT)


async def test_what_helps_where_the_model_was_late_has_time_of_its_own(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "HELP_S", LIMIT_S)
    session = await opened(host)
    send(host, "model", signal.SIGSTOP)
    await session.say(MARA, "Ann", "The bread is black on one side.", silent)
    await session._thinking._context.write(session.agent(MARA))
    assert await session._store.do(lambda db: db.execute(WITHOUT_VECTOR).fetchone()[0]) == 0
    send(host, "model", signal.SIGCONT)


async def test_what_was_remembered_without_a_vector_gets_one_when_the_save_is_opened_again(host: Host) -> None:
    session = await opened(host)
    send(host, "embedder", signal.SIGSTOP)
    line = "The bread is black on one side."
    await session.say(MARA, "Ann", line, silent)
    await session._thinking._context.write(session.agent(MARA))
    assert await session._store.do(lambda db: db.execute(WITHOUT_VECTOR).fetchone()[0]) == 2
    send(host, "embedder", signal.SIGCONT)
    await session.close(save=True)
    again = await host.open_save("one")
    assert await again._store.do(lambda db: db.execute(WITHOUT_VECTOR).fetchone()[0]) == 0
    assert not again.agent(MARA).mind.stream.without_vector()
