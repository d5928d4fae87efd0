"""A life is recorded with the answers of an engine, and played again without it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from npc_eval.commands.simulate import simulate as command
from npc_eval.engines.recorded import RecordedEngine, Recording
from npc_eval.engines.recording_file import FILE
from npc_eval.simulation.report import Report, as_json
from npc_eval.simulation.run import Simulation, simulate
from npc_eval.stand_in import StandIn
from npc_server.config import load_settings
from npc_server.errors import BadInput
from npc_server.local.server import local_server
from npc_server.sandbox.towns import find_cast

DAYS, SEED, WHO = 0.15, 3, "mara_voss"


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    monkeypatch.chdir(tmp_path)


def lived(folder: Path) -> dict[str, Any]:
    """Some hours of one person, with the answers recorded in a folder."""

    async def live() -> Report:
        engine = RecordedEngine(Recording(folder), StandIn())
        async with local_server(load_settings(save={"folder": folder / "saves"}), engine=engine) as local:
            return await simulate(local.connection, find_cast("millbrook", [WHO]), Simulation("one", SEED, DAYS))

    return as_json(asyncio.run(live()))


def again(folder: Path) -> dict[str, Any]:
    app = Typer()
    app.command()(command)
    words = ["--days", str(DAYS), "--seed", str(SEED), "--people", WHO, "--no-stories", "--no-policies", "--json"]
    done = CliRunner().invoke(app, [*words, "--model", f"recorded:{folder}"], catch_exceptions=False)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_recorded_life_is_lived_again_without_a_model(tmp_path: Path) -> None:
    before, after = lived(tmp_path / "life"), again(tmp_path / "life")
    assert before["actions"] == after["actions"]
    assert before["memories_by_npc"] == after["memories_by_npc"]
    assert {row["source"] for row in after["actions"]} >= {"model"}


def test_a_life_with_a_prompt_that_is_not_recorded_says_which(tmp_path: Path) -> None:
    lived(tmp_path / "life")
    file = tmp_path / "life" / FILE
    first, *others = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(others), encoding="utf-8")
    with pytest.raises(BadInput, match=f"The first is '{json.loads(first)['stage']}' of '{WHO}'"):
        again(tmp_path / "life")
