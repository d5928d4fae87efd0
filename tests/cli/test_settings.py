"""`npc-server settings` says what a setting means and which value holds, and keeps the token to itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from npc_server.cli.app import app
from npc_server.config import Settings
from npc_server.errors import BadInput


def shown(*args: str) -> str:
    return CliRunner().invoke(app, ["settings", *args], catch_exceptions=False).output


def test_every_setting_is_shown_with_its_meaning() -> None:
    found = json.loads(shown("--json"))
    sections = [(name, spec.annotation) for name, spec in Settings.model_fields.items()]
    assert [it["name"] for it in found] == [f"{name}.{field}" for name, spec in sections for field in getattr(spec, "model_fields", {})]
    assert all(it["meaning"] for it in found)
    assert "](" not in shown(), "links are for pages"


def test_what_the_file_and_the_environment_say_is_shown_beside_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "npc-server.toml"
    file.write_text('[engine]\nthreads = 3\n[server]\ntoken = "quite-a-secret-token"\n', encoding="utf-8")
    monkeypatch.setenv("NPC_SERVER_MIND__RETENTION", "12")
    text = shown("--changed", "--config", str(file))
    assert "engine.threads = 3, default 0" in text
    assert "mind.retention = 12" in text
    assert "server.token" in text
    assert "quite-a-secret-token" not in text
    assert "engine.top_p" not in text


def test_a_part_of_a_name_finds_settings_and_a_wrong_one_is_an_error_with_advice() -> None:
    assert [line.partition(" = ")[0] for line in shown("first_word").splitlines() if " = " in line] == ["engine.first_word_s"]
    with pytest.raises(BadInput, match="No setting has") as error:
        shown("engine.thread_s")
    assert "engine.threads" in str(error.value)
