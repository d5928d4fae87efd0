"""With a real llama.cpp: what one play has read of a person, the next one takes from disk, and answers the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from npc_server.config import EngineSettings
from npc_server.llm.engine import Completion, Request
from npc_server.llm.reply import one
from npc_server.llm.start import open_engine
from npc_server.llm.state_files import FOLDER
from npc_server.mind.replies import SpokenAlone
from npc_server.records import Turn
from tests.llm.conftest import engine_settings
from tests.llm.served.test_real_runtimes import SERVED

pytestmark = [pytest.mark.model, pytest.mark.parametrize("runtime", ["llama-cpp-python", *SERVED])]

TALK = Request(
    "You are Mara, who bakes. " * 20, "Good morning!", one(SpokenAlone), 1, max_tokens=12, temperature=0.0, free=True,
    turns=(Turn("Busy day?", "Since half past six."), Turn("Rye?", "Two loaves.")), lasting_turns=1,
)  # fmt: skip


async def ask(settings: EngineSettings, *requests: Request) -> list[Completion]:
    engine = await open_engine(settings)
    try:
        assert engine.status().ready
        assert engine.status().keeps_states == bool(settings.states_mb)
        return [await engine.complete(request) for request in requests]
    finally:
        await engine.close()


@pytest.mark.parametrize("kv_cache", ["pool", "streams"])
async def test_the_next_play_reads_only_what_is_new(runtime: str, random_model: Path, tmp_path: Path, kv_cache: str) -> None:
    settings = engine_settings(runtime=runtime, model=str(random_model), models_folder=tmp_path, kv_cache=kv_cache)
    (first,) = await ask(settings, TALK)
    assert first.cached_tokens == 0
    (again, other) = await ask(settings, TALK, replace(TALK, turns=(), lasting_turns=0))
    assert again.text == first.text
    assert again.cached_tokens > first.prompt_tokens * 0.8
    assert other.cached_tokens > 0, "the system text alone is the beginning of what was kept"


async def test_who_is_read_when_nothing_else_is_to_be_done_is_there_for_the_next_play(
    runtime: str, random_model: Path, tmp_path: Path
) -> None:
    settings = engine_settings(runtime=runtime, model=str(random_model), models_folder=tmp_path)
    reads = replace(TALK, user="…", only_reads=True, max_tokens=1)
    await ask(settings, reads)
    (file,) = (tmp_path / FOLDER).glob("*.state")
    written = file.stat().st_mtime_ns
    (known,) = await ask(settings, reads)
    assert known.text == ""
    assert file.stat().st_mtime_ns == written, "it is there, so nothing is read"
    (line,) = await ask(settings, TALK)
    assert line.cached_tokens > line.prompt_tokens * 0.8


async def test_nothing_is_kept_where_the_settings_say_so(runtime: str, random_model: Path, tmp_path: Path) -> None:
    settings = engine_settings(runtime=runtime, model=str(random_model), models_folder=tmp_path, states_mb=0)
    nothing, _ = await ask(settings, replace(TALK, only_reads=True), TALK)
    assert (nothing.text, nothing.prompt_tokens) == ("", 0)
    assert not (tmp_path / FOLDER).exists()


async def test_a_damaged_file_is_read_anew(runtime: str, random_model: Path, tmp_path: Path) -> None:
    settings = engine_settings(runtime=runtime, model=str(random_model), models_folder=tmp_path)
    (first,) = await ask(settings, TALK)
    (file,) = (tmp_path / FOLDER).glob("*.state")
    file.write_bytes(file.read_bytes()[:-100])
    (again,) = await ask(settings, TALK)
    assert (again.text, again.cached_tokens) == (first.text, 0)
