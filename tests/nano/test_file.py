"""The file of the model in the making: found in a checkout, sound, and able to answer in the forms asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.config import EngineSettings
from npc_server.llm import models
from npc_server.llm.engine import Request
from npc_server.llm.gguf_header import read_header
from npc_server.llm.start import open_engine
from tests.llm.kinds import KINDS

MOST_BYTES = 40_000_000


FILE = Path(__file__).parents[2] / "models" / "nano" / "npc-nano.gguf"


def test_it_is_found_in_a_checkout_and_one_of_the_users_own_goes_before_it(tmp_path: Path) -> None:
    assert models.resolve("npc-nano", tmp_path / "nothing here") == FILE
    own = tmp_path / FILE.name
    own.write_bytes(FILE.read_bytes())
    assert models.resolve("npc-nano", tmp_path) == own


def test_it_is_small_and_as_the_catalogue_says() -> None:
    entry, header = models.find_entry("npc-nano"), read_header(FILE)
    assert entry is not None
    assert header.size <= MOST_BYTES
    assert round(header.size / 1e6) == entry.size_mb
    assert header.chat_template
    assert header.number("context_length") >= 1024


@pytest.mark.model
async def test_it_answers_in_every_form_that_is_asked_for(tmp_path: Path) -> None:
    engine = await open_engine(EngineSettings(model=str(FILE), threads=1), log_file=tmp_path / "model.log")
    try:
        assert engine.status().problem == ""
        for kind, reply in KINDS.items():
            request = Request(system="You are Mara.", user=f"Answer with {kind}.", reply=reply, seed=1, max_tokens=400, deadline_s=60)
            done = await engine.complete(request)
            assert done.truncated or reply.parse(done.text), kind
    finally:
        await engine.close()
