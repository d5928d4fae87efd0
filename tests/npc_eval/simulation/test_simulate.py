"""A whole day through the real server, session, minds and save, by instinct."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from npc_eval.commands.simulate import simulate as command
from npc_eval.simulation.report import Report, as_json
from npc_eval.simulation.run import Simulation, _play, simulate
from npc_server import clock
from npc_server.bank.exchange_bank import ExchangeBank
from npc_server.cli.options import slot_of
from npc_server.clock import DAY, HOUR
from npc_server.config import EngineSettings, load_settings
from npc_server.errors import BadInput, UnknownName
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.embed_cache import CachedEmbedder
from npc_server.llm.engine import Embedder, Vectors
from npc_server.llm.start import open_embedder
from npc_server.local.server import local_server
from npc_server.records import Address, GameTime, NpcId
from npc_server.sandbox.client import playing
from npc_server.sandbox.populate import town_of_save
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, find_cast

MINILM = Path(__file__).parents[2] / "models" / "all-minilm-l6-v2.gguf"
PEOPLE = ("ines_calder", "mara_voss", "tobin_hale")


@dataclass(frozen=True)
class Played:
    cast: Cast
    report: Report
    save: Path
    positions: list[tuple[GameTime, NpcId, Address]]
    """Where each body was after each turn."""


def play(folder: Path, slot: str = "day", seed: int = 7, days: float = 1.0, start: GameTime | None = None) -> Played:
    cast = find_cast("millbrook")
    positions: list[tuple[GameTime, NpcId, Address]] = []

    def turned(world: TownWorld) -> None:
        positions.extend((world.now, npc, world.location(npc)) for npc in world.bodies)

    async def run() -> Report:
        settings = load_settings(save={"folder": folder}, engine={"model": "none", "embedding_model": "none"})
        async with local_server(settings) as local:
            return await simulate(local.connection, cast, Simulation(slot, seed, days, start), turned)

    report = asyncio.run(run())
    return Played(cast, report, folder / f"{slot}.npcsave", positions)


def played_on(folder: Path, end: GameTime, slot: str = "day") -> set[NpcId]:
    """Opens a save that there is, plays it until `end`, and returns who did something."""
    cast = find_cast("millbrook")

    async def run() -> set[NpcId]:
        settings = load_settings(save={"folder": folder}, engine={"model": "none", "embedding_model": "none"})
        async with local_server(settings) as local:
            save = await local.connection.open_save(slot)
            async with playing(local.connection, save) as client:
                world = await town_of_save(local.connection, save, cast, save.now, 7)
                recorder, _ = await _play(client, world, end, None)
                await local.connection.save_game(client.session_id)
                return {action.npc for action in recorder.actions}

    return asyncio.run(run())


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(tmp_path_factory.mktemp("saves"))


def test_same_seed_gives_the_same_day(day: Played, tmp_path: Path) -> None:
    again = play(tmp_path)
    assert as_json(again.report)["actions"] == as_json(day.report)["actions"]
    assert again.positions == day.positions
    assert again.report.memories == day.report.memories


class Unhurried(HashedWordsEmbedder):
    """Takes its time for each text, as a model does: now less, now more."""

    def __init__(self) -> None:
        self.chance = random.Random(7)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        for _ in range(self.chance.randrange(20)):
            await asyncio.sleep(0)
        return await super().embed(texts)


async def morning(folder: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What everybody does, says and remembers in three hours of a play without a player."""

    async def opened(settings: EngineSettings, **options: object) -> Embedder:
        return embedder

    monkeypatch.setattr("npc_server.local.server.open_embedder", opened)
    async with local_server(load_settings(save={"folder": folder}, engine={"model": "none"}), has_player=False) as local:
        report = await simulate(local.connection, find_cast("millbrook"), Simulation("morning", 7, 0.125))
    with closing(sqlite3.connect(folder / "morning.npcsave")) as db:
        tables = ("memories", "vectors", "plan_steps", "actions", "social", "calls")
        return [as_json(report)["actions"], report.speeches, *(db.execute(f"SELECT * FROM {table}").fetchall() for table in tables)]


async def test_the_first_play_and_one_that_finds_all_vectors_in_the_cache_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = [
        await morning(tmp_path / which, CachedEmbedder(Unhurried(), folder=tmp_path / "cache", keeps_all=True), monkeypatch)
        for which in ("first", "second")
    ]
    assert plays[0] == plays[1]


@pytest.mark.model
@pytest.mark.skipif(not MINILM.is_file(), reason="make setup makes models/all-minilm-l6-v2.gguf")
async def test_so_they_are_with_the_embedding_model_in_the_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(bank: ExchangeBank) -> None:
        """The bank has thousands of lines, which would take a minute, and none of them matters where no player speaks."""

    monkeypatch.setattr(ExchangeBank, "prepare", nothing)
    settings = EngineSettings(embedding_model=str(MINILM), models_folder=tmp_path / "cache", threads=1)
    plays = []
    for which in ("first", "second"):
        embedder = await open_embedder(settings, log_file=tmp_path / "log", keeps_all=True, reads_again=False)
        assert embedder.name != HashedWordsEmbedder.name
        plays.append(await morning(tmp_path / which, embedder, monkeypatch))
    assert plays[0] == plays[1]


def test_everybody_acts_the_whole_day_without_a_gap_or_an_overlap(day: Played) -> None:
    assert day.report.people == PEOPLE
    for npc in PEOPLE:
        mine = [it for it in day.report.actions if it.npc == npc]
        assert mine[0].start == day.report.start
        assert mine[-1].end == day.report.end == day.report.start + DAY
        for before, after in zip(mine, mine[1:], strict=False):
            assert before.end <= after.start, (before, after)
            assert after.start - before.end <= HOUR, (before, after)


def test_every_address_exists(day: Played) -> None:
    known = {node.address for node in day.cast.town.nodes()}
    assert {it.address for it in day.report.actions} <= known
    assert {address for _, _, address in day.positions} <= known


def test_everybody_wakes_eats_works_and_sleeps_at_home(day: Played) -> None:
    for persona in day.cast.people:
        mine = [it for it in day.report.actions if it.npc == persona.id and not it.failure]
        beds = [it for it in mine if it.address.endswith(":bed") and it.address.startswith(persona.home)]
        asleep_at_four = [it for it in beds if it.start <= day.report.start + 22 * HOUR < it.end]
        assert asleep_at_four, f"{persona.id} is not in its own bed at four in the morning"
        assert any(not it.address.endswith(":bed") for it in mine), f"{persona.id} never gets up"
        assert any("eat" in it.sentence for it in mine), f"{persona.id} does not eat"
        worked = sum(it.end - it.start for it in mine if it.address.startswith(persona.work))
        assert worked >= 4 * HOUR, f"{persona.id} works {worked / HOUR:.1f} hours"


def test_body_is_where_its_action_is_once_it_arrived(day: Played) -> None:
    """A body that has had three minutes to walk, the length of the village, stands where its action says."""
    checked = 0
    for at, npc, place in day.positions:
        for it in day.report.actions:
            if it.npc == npc and it.start + 180 <= at < it.end and not it.failure:
                assert place == it.address or place.startswith(f"{it.address}:"), (at, place, it)
                checked += 1
    assert checked > 100


def test_save_holds_observations_plans_and_importance_for_everybody_and_plain_sqlite_reads_it(day: Played) -> None:
    with closing(sqlite3.connect(day.save)) as db:
        for npc in PEOPLE:
            rows = db.execute("SELECT kind, count(*), min(importance), max(importance) FROM memories WHERE npc = ? GROUP BY kind", [npc])
            found = {kind: (count, low, high) for kind, count, low, high in rows}
            assert found["observation"][0] > 0
            assert found["plan"][0] > 0
            assert all(1 <= low <= high <= 10 for _, low, high in found.values())
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_report_counts_the_memories_that_are_in_the_save(day: Played) -> None:
    with closing(sqlite3.connect(day.save)) as db:
        counts = dict(db.execute("SELECT kind, count(*) FROM memories GROUP BY kind").fetchall())
    assert as_json(day.report)["memories"] == counts


def test_by_the_wall_clock_everybody_acts_until_the_end(tmp_path: Path) -> None:
    cast = find_cast("millbrook")

    async def run() -> Report:
        settings = load_settings(save={"folder": tmp_path}, engine={"model": "none", "embedding_model": "none"})
        async with local_server(settings) as local:
            return await simulate(local.connection, cast, Simulation("day", 7, 0.25, speed=5_000.0))

    report = asyncio.run(run())
    assert report.end == report.start + 6 * HOUR
    assert {it.npc for it in report.actions} == set(PEOPLE)
    assert report.end - HOUR <= max(it.end for it in report.actions) <= report.end


# ---- the command


def run(*arguments: str) -> Any:
    app = Typer(pretty_exceptions_enable=False)
    app.command()(command)
    return CliRunner().invoke(app, list(arguments), env={"NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"})


def test_command_prints_one_json_object_and_keeps_the_save(tmp_path: Path) -> None:
    save = tmp_path / "noon.npcsave"
    done = run("--days", "0.1", "--seed", "7", "--model", "none", "--save", str(save), "--json", "--start", "2026-05-05 11:00")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["people"] == list(PEOPLE)
    assert said["actions"][0].keys() >= {"npc", "start", "end", "start_s", "end_s", "address", "sentence", "source"}
    assert said["actions"][0]["start"] == "2026-05-05 11:00"
    assert {it["source"] for it in said["actions"]} == {"instinct"}
    assert said["model"]["calls"] == 0
    assert said["model"]["instinct"] == sum(stage["instinct"] for stage in said["model"]["by_stage"].values()) > 0
    assert said["memories"]["observation"] > 0
    assert save.is_file()


@pytest.mark.parametrize(("name", "made"), [("day.db", "day.db"), ("a day of ours", "a day of ours.npcsave")])
def test_save_may_have_any_name_and_nothing_else_is_left_beside_it(tmp_path: Path, name: str, made: str) -> None:
    assert run("--days", "0.01", "--model", "none", "--save", str(tmp_path / name)).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == [made]


def test_command_refuses_to_overwrite_a_save_unless_forced(tmp_path: Path) -> None:
    save = tmp_path / "x.npcsave"
    assert run("--days", "0.01", "--model", "none", "--save", str(save)).exit_code == 0
    before = save.read_bytes()
    refused = run("--days", "0.01", "--model", "none", "--save", str(save))
    assert isinstance(refused.exception, BadInput)
    assert "--force" in str(refused.exception)
    assert save.read_bytes() == before
    assert run("--days", "0.01", "--model", "none", "--save", str(save), "--force").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--town", "atlantis"), "There is no town 'atlantis'. Name a town file, or one of: "),
        (("--people", "mara_voss,zoe"), "There is nobody with id 'zoe' in Millbrook."),
        (("--start", "tomorrow"), "--start 'tomorrow' is not a date and time."),
        (("--save", "no/such/day.db"), "There is no folder"),
    ],
)
def test_wrong_argument_is_told_with_what_to_do(arguments: tuple[str, ...], said: str) -> None:
    failed = run("--model", "none", "--days", "0.01", *arguments)
    assert isinstance(failed.exception, (BadInput, UnknownName))
    assert said in str(failed.exception)


def test_save_file_is_a_slot_in_its_folder(tmp_path: Path) -> None:
    assert slot_of(tmp_path / "day one.npcsave") == (tmp_path, "day one")
    assert slot_of(tmp_path / "bare") == (tmp_path, "bare")


@pytest.mark.parametrize("start", ["0001-01-01 06:00", "1342-06-01 06:00", "1947-03-01 06:00", "9999-12-31 06:00"])
def test_people_live_a_day_of_any_year_and_go_on_from_its_save(tmp_path: Path, start: str) -> None:
    begin = clock.parse_datetime(start)
    morning = play(tmp_path, days=0.2, start=begin)
    assert morning.report.start == begin
    assert {it.npc for it in morning.report.actions} == set(PEOPLE)
    assert len(morning.report.actions) > 10 * len(PEOPLE)  # the same town in 2026 has 66
    end = morning.report.end + 2 * HOUR
    acted = played_on(tmp_path, end)
    assert acted == set(PEOPLE)
    with closing(sqlite3.connect(morning.save)) as db:
        first, last = db.execute("SELECT min(created), max(created) FROM memories").fetchone()
        revised = [json.loads(state)["revised"] for (state,) in db.execute("SELECT state FROM people")]
    assert begin <= first <= last <= end
    assert all(at <= end for at in revised)
