from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from npc_server.cli.app import app


def test_the_command_counts_with_and_without_wandering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    done = CliRunner().invoke(app, ["eval", "variety", "--days", "2", "--json"])
    assert done.exit_code == 0, done.output
    on, off = json.loads(done.stdout)["runs"]
    assert (on["wandering"], off["wandering"]) == (True, False)
    assert sum(on["new"][1:]) > sum(off["new"][1:])
