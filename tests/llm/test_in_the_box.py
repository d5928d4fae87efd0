"""The model that comes with the server: found without a word of configuration, sound, and able to answer in the forms asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from npc_server.config import EngineSettings, load_settings
from npc_server.llm import models
from npc_server.llm.engine import Request
from npc_server.llm.gguf_header import read_header
from npc_server.llm.start import open_engine
from tests.llm.kinds import KINDS

MOST_BYTES = 40_000_000


def in_the_box() -> Path:
    entry = models.find_entry("npc-nano")
    assert entry is not None
    return models.PACKAGED / entry.file


def test_it_is_the_default_and_found_where_no_model_was_ever_got(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPC_SERVER_ENGINE__MODEL", raising=False)
    name = load_settings().engine.model
    assert models.resolve(name, tmp_path / "nothing here") == in_the_box()


def test_a_file_of_ones_own_with_its_name_goes_before_it(tmp_path: Path) -> None:
    own = tmp_path / in_the_box().name
    own.write_bytes(in_the_box().read_bytes())
    assert models.resolve("npc-nano", tmp_path) == own


def test_it_is_small_and_as_the_catalogue_says() -> None:
    entry, header = models.find_entry("npc-nano"), read_header(in_the_box())
    assert entry is not None
    assert header.size <= MOST_BYTES
    assert round(header.size / 1e6) == entry.size_mb
    assert header.chat_template
    assert header.number("context_length") >= 1024


@pytest.mark.model
async def test_it_answers_in_every_form_that_is_asked_for(tmp_path: Path) -> None:
    engine = await open_engine(EngineSettings(model=str(in_the_box()), threads=1), log_file=tmp_path / "model.log")
    try:
        assert engine.status().problem == ""
        for kind, reply in KINDS.items():
            request = Request(system="You are Mara.", user=f"Answer with {kind}.", reply=reply, seed=1, max_tokens=400, deadline_s=3600)
            done = await engine.complete(request)
            assert done.truncated or reply.parse(done.text), kind
    finally:
        await engine.close()


@pytest.mark.model
def test_people_answer_with_it_where_nothing_is_said_of_a_model_and_write_names_as_they_were_told(tmp_path: Path) -> None:
    kept = {key: value for key, value in os.environ.items() if key != "NPC_SERVER_ENGINE__MODEL"}
    given = {**kept, "NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"}

    def run(*args: str) -> str:
        command = [str(Path(sys.executable).parent / "npc-server"), *args]
        return subprocess.run(command, env=given, cwd=tmp_path, capture_output=True, check=True, timeout=300, text=True).stdout

    run("simulate", "--days", "0.01", "--model", "none", "--save", "town.npcsave")
    ask = ("interview", "town.npcsave", "mara_voss", "What do you do for a living?", "--json")
    plain, said = (json.loads(run(*ask, *more))["answers"][0] for more in (("--model", "none"), ()))
    assert (plain["source"], said["source"]) == ("instinct", "model")
    assert said["answer"].rstrip(".") in plain["answer"]
