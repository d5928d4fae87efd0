from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from npc_server.cli.app import app
from npc_server.cli.eval_variety import run
from npc_server.config import load_settings
from npc_server.evaluation.stand_in import StandIn
from npc_server.sandbox.towns import find_cast


async def test_minds_that_wander_find_more_to_do_from_day_to_day() -> None:
    settings = load_settings(None, engine={"embedding_model": "none", "model": "none"})
    cast = find_cast("millbrook", ["tobin_hale"])
    found = {on: await run(settings, cast, 2, 1, StandIn(), wandering=on) for on in (True, False)}
    assert found[True].after_the_first_day > found[False].after_the_first_day
    assert len(found[True].new) == len(found[True].planned) == 2
    assert found[True].planned[0] > 5


def test_the_command_counts_with_and_without_wandering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    done = CliRunner().invoke(app, ["eval", "variety", "--days", "2", "--json"])
    assert done.exit_code == 0, done.output
    on, off = json.loads(done.stdout)["runs"]
    assert (on["wandering"], off["wandering"]) == (True, False)
    assert sum(on["new"][1:]) > sum(off["new"][1:])
