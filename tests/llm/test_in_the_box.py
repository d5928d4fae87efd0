"""The model in the box, which reads answers: it comes with the server, says nothing for anybody, and by its path tests ask it all forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.config import EngineSettings, load_settings
from npc_server.llm import models
from npc_server.llm.adapters import is_adapter
from npc_server.llm.engine import Request
from npc_server.llm.from_package import adapter_of
from npc_server.llm.gguf_header import read_header
from npc_server.llm.start import open_engine
from tests.in_the_box import MODEL, NAME, needs_model
from tests.llm.kinds import KINDS

MOST_BYTES = 160_000_000
MOST_ADAPTER_BYTES = 20_000_000


def entry() -> models.CatalogueModel:
    found = models.find_entry(NAME)
    assert found is not None
    return found


def test_it_reads_by_default_and_its_adapter_comes_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPC_SERVER_ENGINE__RERANKER", raising=False)
    assert load_settings().engine.reranker == entry().name
    adapter = read_header(adapter_of(entry()))
    assert is_adapter(adapter)
    assert adapter.size <= MOST_ADAPTER_BYTES


async def test_it_is_refused_as_a_model_that_speaks(tmp_path: Path) -> None:
    engine = await open_engine(EngineSettings(model=NAME, models_folder=tmp_path))
    assert not engine.status().ready
    assert f"'{NAME}' reads answers and says nothing." in engine.status().problem


@needs_model
def test_it_is_as_the_catalogue_says() -> None:
    header = read_header(MODEL)
    assert header.size <= MOST_BYTES
    assert round(header.size / 1e6) == entry().size_mb
    assert header.chat_template
    assert header.number("context_length") >= 2048


@pytest.mark.model
@needs_model
async def test_it_answers_in_every_form_that_is_asked_for(tmp_path: Path) -> None:
    engine = await open_engine(EngineSettings(model=str(MODEL), threads=1), log_file=tmp_path / "model.log")
    try:
        assert engine.status().problem == ""
        for kind, reply in KINDS.items():
            request = Request(system="You are Mara.", user=f"Answer with {kind}.", reply=reply, seed=1, max_tokens=400, deadline_s=3600)
            done = await engine.complete(request)
            assert done.truncated or reply.parse(done.text), kind
    finally:
        await engine.close()
