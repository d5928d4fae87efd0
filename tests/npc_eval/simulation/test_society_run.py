"""A town of twenty-five through the real server and session: the same seed gives the same lives, and news travel by mouth."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from typer import Typer
from typer.testing import CliRunner

from npc_eval.commands.simulate import simulate as command
from npc_eval.simulation.report import Report, as_json
from npc_eval.simulation.run import Simulation, simulate
from npc_server.clock import parse_datetime
from npc_server.config import load_settings
from npc_server.local.server import local_server
from npc_server.sandbox.towns import find_cast

HOURS = 4
TABLES = ("memories", "evidence", "plan_steps", "actions")


def play(folder: Path) -> tuple[Report, dict[str, list[tuple[Any, ...]]]]:
    cast = find_cast("alderwick")
    whispers = [(story.starter, story.whisper) for story in cast.town.stories]

    async def run() -> Report:
        settings = load_settings(save={"folder": folder}, engine={"model": "none", "embedding_model": "none"})
        async with local_server(settings) as local:
            start = parse_datetime("2026-05-04 10:00")
            return await simulate(local.connection, cast, Simulation("s", 11, HOURS / 24, start, whispers))

    report = asyncio.run(run())
    with closing(sqlite3.connect(folder / "s.npcsave")) as db:
        return report, {table: db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in TABLES}


def test_four_hours_of_twenty_five_people_are_the_same_with_the_same_seed(tmp_path: Path) -> None:
    first, rows = play(tmp_path / "first")
    second, again = play(tmp_path / "second")
    assert len(first.people) == 25
    assert as_json(first)["actions"] == as_json(second)["actions"]
    assert first.speeches == second.speeches
    assert rows == again
    assert len(rows["memories"]) > 1000
    for speech in first.speeches:  # what was overheard is passed on, not quotations of quotations
        assert speech.text.count('"') <= 2, speech.text


def simulated(folder: Path, *more: str) -> dict[str, Any]:
    app = Typer(pretty_exceptions_enable=False)
    app.command()(command)
    people = "odile_wetherby,silas_wetherby,agnes_rook,hester_vane,marcus_penhallow"
    arguments = ["--town", "alderwick", "--people", people, "--days", "0.2", "--model", "none", "--seed", "7", "--json", *more]
    done = CliRunner().invoke(app, [*arguments, "--save", str(folder / "s.npcsave")], env={"NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"})
    assert done.exit_code == 0, done.output
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_whispered_stories_are_heard_from_their_starters_and_reported(tmp_path: Path) -> None:
    said = simulated(tmp_path)
    first = said["news"]["party"]["tree"][0]
    assert (first["who"], first["from"], first["how"]) == ("silas_wetherby", "odile_wetherby", "told")
    assert said["news"]["party"]["of"] == 5
    assert set(said["party"]["invited"]) >= {"silas_wetherby"}
    assert said["made_up"]["asked"] == 5 * 4
    assert said["made_up"]["unsupported"] == 0
    assert said["conversations"] > 0
    assert 0 < said["density"]["start"] <= said["density"]["end"] <= 1
    assert said["speed"]["days_per_minute"] > 0


def test_without_stories_nothing_is_whispered_and_nothing_asked(tmp_path: Path) -> None:
    said = simulated(tmp_path, "--no-stories", "--no-observation", "--no-planning", "--no-reflection")
    assert said["news"] == {}
    assert said["party"] is None
    assert said["made_up"]["asked"] == 0
    assert "intention" not in said["memories"]
    # Switched off by the three flags.
    assert not said["memories"].keys() & {"observation", "plan", "reflection"}
