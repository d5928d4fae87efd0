from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from npc_server.cli.app import app
from npc_server.cli.eval_town import run
from npc_server.config import load_settings
from npc_server.evaluation.stand_in import StandIn
from npc_server.sandbox.towns import find_cast


async def test_a_town_by_the_wall_clock_counts_what_the_model_answered() -> None:
    settings = load_settings(None, engine={"embedding_model": "none", "model": "stand-in"})
    found = await run(settings, find_cast("millbrook", ["tobin_hale", "mara_voss"]), 0.4, 120, 7, StandIn())
    assert found.people == 2
    assert found.game_min == 24
    assert found.questions > 0
    assert found.by_model == 1
    assert not found.why_not


async def test_without_a_model_instinct_answers_everything_and_it_is_said_why() -> None:
    settings = load_settings(None, engine={"embedding_model": "none", "model": "none"})
    found = await run(settings, find_cast("millbrook", ["tobin_hale"]), 0.1, 60, 7)
    assert found.by_model == 0
    assert sum(found.why_not.values()) == found.questions


def test_the_command_prints_json_and_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    words = ["eval", "town", "none", "--town", "millbrook", "--hours", "0.05"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["people"] == 3
    shown = CliRunner().invoke(app, words)
    assert "by the model" in shown.stdout
