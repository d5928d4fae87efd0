"""Model files that are no good."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.engine import Request
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.start import open_engine
from tests.llm.conftest import engine_settings
from tests.llm.kinds import KINDS

pytestmark = pytest.mark.model

HELLO = Request("", "Hello", KINDS["text"], seed=1)


async def test_no_model_is_an_absent_engine(tmp_path: Path) -> None:
    for name in ("", "none", str(tmp_path / "nothing.gguf"), "no-such-model"):
        engine = await open_engine(engine_settings(model=name, models_folder=tmp_path))
        assert isinstance(engine, NoModelEngine)
        assert not engine.status().ready
        assert engine.status().problem
        with pytest.raises(ModelMissing):
            await engine.complete(HELLO)
        assert await engine.count_tokens(["abcdefgh", ""]) == [2, 0]


async def test_file_cut_short_is_said_to_be(model_bytes: bytes, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(model_bytes[:-1000])
    engine = await open_engine(engine_settings(model=str(cut)))
    assert "is 1000 bytes short" in engine.status().problem
    assert str(cut) in engine.status().problem
    with pytest.raises(ModelRejected):
        await engine.complete(HELLO)


async def test_file_that_llama_cpp_refuses_is_said_to_be(model_bytes: bytes, tmp_path: Path) -> None:
    """A sound header that lacks what llama.cpp needs."""
    strange = tmp_path / "strange.gguf"
    strange.write_bytes(model_bytes.replace(b"blk.0.attn_q.weight", b"blk.0.attn_z.weight"))
    engine = await open_engine(engine_settings(model=str(strange)), log_file=tmp_path / "log")
    assert isinstance(engine, NoModelEngine)
    assert "llama.cpp cannot load" in engine.status().problem


async def test_file_that_kills_llama_cpp_is_given_up(random_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("npc_server.llm.process._START", "import os; os.abort()")
    engine = await open_engine(engine_settings(model=str(random_model), restart_wait_s=0.01), log_file=tmp_path / "log")
    assert isinstance(engine, NoModelEngine)
    assert "ended 3 times while loading" in engine.status().problem
