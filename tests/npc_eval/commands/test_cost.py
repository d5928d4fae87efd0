"""`npc-server cost`: the ledger of a save as tables, JSON and a picture."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import structlog
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from npc_eval.commands.cost import cost, number
from npc_eval.cost.plot import stacks
from npc_eval.cost.sums import Bill, by_hour, by_person, by_stage, model_figures
from npc_eval.stand_in import StandIn
from npc_server.clock import DAY, MINUTE
from npc_server.config import load_settings
from npc_server.errors import BadInput, NpcServerError, SaveDamaged, SaveNotFound
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.memory import ledger
from npc_server.memory.database import reading
from npc_server.memory.ledger import BUDGET_SPENT
from npc_server.session.host import Host
from tests.npc_eval.cost.bills import BILL, SIX
from tests.session.conftest import Game, personas, town

Run = Callable[..., str]


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a day of Millbrook with an engine that stands in, on a budget."""
    folder = tmp_path_factory.mktemp("saves")

    async def play() -> None:
        host = Host(
            load_settings(save={"folder": folder}, mind={"tokens_per_game_hour": 900, "tokens_kept_hours": 4}),
            StandIn(),
            HashedWordsEmbedder(),
        )
        await host.create_save("one", town(), personas(), seed=7, start=0)
        session = await host.open_save("one")
        game = Game(session)
        for at in range(session.now, session.now + DAY // 2, 10 * MINUTE):
            await game.tick(at)
        await session.close(save=True)
        await host.close()

    asyncio.run(play())
    return folder / "one.npcsave"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    def go(*arguments: object, width: int = 80) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        app = typer.Typer()
        app.command()(cost)
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    yield go
    structlog.reset_defaults()  # a command sends the log where it wants it


def bill_of(save: Path) -> Bill:
    with reading(save) as db:
        return Bill("Millbrook", SIX, {"mara_voss": "Mara Voss"}, tuple(ledger.spent(db)))


def test_every_table_adds_up_to_what_the_save_holds(save: Path, run: Run) -> None:
    said = json.loads(run(save, "--json"))
    with closing(sqlite3.connect(save)) as db:
        sums = "COUNT(*), SUM(prompt_tokens > 0), SUM(prompt_tokens - cached_tokens), SUM(cached_tokens), SUM(reply_tokens)"
        (held,) = db.execute(f"SELECT {sums} FROM calls").fetchall()
    names = ("questions", "calls", "computed", "cached", "reply")
    assert tuple(said["total"][name] for name in names) == held
    assert said["total"]["tokens"] == said["total"]["computed"] + said["total"]["reply"] > 1000
    for table in ("by_day", "by_hour", "by_stage", "by_person", "by_outcome"):
        for name in (*names, "retried", "instinct", "refused", "cancelled"):
            assert sum(row[name] for row in said[table].values()) == said["total"][name], (table, name)
    assert said["by_person"]["mara_voss"]["name"] == "Mara Voss"
    assert list(said["by_day"]) == ["2026-05-04"]
    assert len(said["by_hour"]) > 3
    assert next(iter(said["by_hour"])) == "2026-05-04 06:00"


def test_who_was_starved_is_told_by_every_way(save: Path, run: Run) -> None:
    said = json.loads(run(save, "--json"))
    refused = {npc: row["refused"] for npc, row in said["by_person"].items() if row["refused"]}
    assert refused
    assert said["by_outcome"][f"instinct: {BUDGET_SPENT}"]["questions"] == sum(refused.values())
    assert model_figures(save)["starved"] == refused
    shown = run(save)
    assert "because somebody's share was spent" in " ".join(shown.split())
    (header,) = [line for line in shown.splitlines() if line.startswith("person")]
    assert header.split()[-1] == "refused"
    (mara,) = [line for line in shown.splitlines() if line.startswith("Mara Voss")]
    assert mara.split()[-1] == str(refused.get("mara_voss", "–"))


@pytest.mark.parametrize("width", [80, 120])
def test_every_table_fits_the_terminal(save: Path, run: Run, width: int) -> None:
    for options in ([], ["--by", "stage"], ["--by", "person"], ["--by", "hour"], ["--by", "outcome"]):
        shown = run(save, *options, width=width)
        assert all(len(line) <= width for line in shown.splitlines())
        assert "…" not in shown, options
        assert re.search(r"^total +[\d,]+ ", shown, re.MULTILINE)


def test_the_save_is_only_read(save: Path, run: Run) -> None:
    before = hashlib.sha256(save.read_bytes()).digest(), sorted(save.parent.iterdir())
    run(save)
    assert (hashlib.sha256(save.read_bytes()).digest(), sorted(save.parent.iterdir())) == before


def test_a_save_in_which_nobody_asked_anything_says_so(run: Run, tmp_path: Path) -> None:
    async def make() -> None:
        host = Host(load_settings(save={"folder": tmp_path}), StandIn(), HashedWordsEmbedder())
        await host.create_save("new", town(), personas(), seed=7, start=0)
        await host.close()

    asyncio.run(make())
    assert "Nobody has asked anything yet." in run(tmp_path / "new.npcsave")
    assert json.loads(run(tmp_path / "new.npcsave", "--json"))["by_hour"] == {}
    run(tmp_path / "new.npcsave", "--plot", tmp_path / "new.png")


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (99_999, "99,999"), (123_456, "123k"), (999_600, "1M"), (1_240_000, "1.24M"), (7 * 10**10, "70G")]
)
def test_a_number_is_short(value: int, shown: str) -> None:
    assert number(value) == shown


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**16))
def test_no_number_is_too_wide(value: int) -> None:
    assert len(number(value)) <= 6


def test_the_plot_stacks_what_the_tables_say(save: Path, tmp_path: Path, run: Run) -> None:
    bill = bill_of(save)
    for order, key in ((list(by_stage(bill)), lambda row: row.stage), (list(by_person(bill)), lambda row: row.npc)):
        stacked = stacks(bill, order, key)
        assert [sum(column) for column in zip(*stacked.values(), strict=True)] == [it.tokens for it in by_hour(bill).values()]
    for kind, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        run(save, "--plot", tmp_path / f"cost{kind}")
        assert (tmp_path / f"cost{kind}").read_bytes().startswith(magic)


def test_names_out_of_a_save_steer_no_terminal_and_no_plot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run, save: Path) -> None:
    async def read(_: Path) -> Bill:
        return BILL

    monkeypatch.setattr("npc_eval.commands.cost.read_bill", read)
    shown = run(save)
    assert "\x1b[31m" not in shown
    assert "Cy [red]" in shown
    assert "150 tokens in 3 calls, 50 each; 17 per game hour." in shown  # nine hours have passed
    assert re.search("^Benvenuta Hall.*… +1 ", shown, re.MULTILINE)
    assert all(len(line) <= 80 for line in shown.splitlines())
    run(save, "--plot", tmp_path / "x.png")


@pytest.mark.parametrize("name", ["x.gif", "x", "nowhere/x.png"])
def test_a_plot_that_cannot_be_written_is_refused_before_any_work(save: Path, run: Run, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        run(save, "--plot", tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_plot_over_a_folder_is_refused(save: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.png").mkdir()
    with pytest.raises(BadInput, match="cannot be written"):
        run(save, "--plot", tmp_path / "x.png")


def test_json_and_one_table_are_not_both(save: Path, run: Run) -> None:
    with pytest.raises(BadInput, match="--by"):
        run(save, "--json", "--by", "hour")


def test_what_is_no_save_is_told(save: Path, run: Run, tmp_path: Path) -> None:
    with pytest.raises(SaveNotFound):
        run(tmp_path / "none.npcsave")
    (tmp_path / "text.npcsave").write_text("hello", encoding="utf-8")
    with pytest.raises(SaveDamaged):
        run(tmp_path / "text.npcsave")
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as db:
        db.execute("CREATE TABLE calls (x)")
        db.commit()
    with pytest.raises(SaveDamaged):
        run(tmp_path / "other.sqlite")


@pytest.mark.parametrize("change", ["at = 1e17", "at = -99999999999999", "stage = x'ff00'", "outcome = 'lost'", "prompt_tokens = 'many'"])
def test_a_ledger_that_somebody_broke_is_damage(save: Path, run: Run, tmp_path: Path, change: str) -> None:
    broken = tmp_path / "broken.npcsave"
    broken.write_bytes(save.read_bytes())
    with closing(sqlite3.connect(broken)) as db:
        db.execute(f"UPDATE calls SET {change} WHERE id = 3")
        db.commit()
    with pytest.raises(SaveDamaged):
        run(broken)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 2**31), garbage=st.binary(min_size=1, max_size=64))
def test_no_broken_file_breaks_it(save: Path, run: Run, tmp_path: Path, at: int, garbage: bytes) -> None:
    content = bytearray(save.read_bytes())
    at %= len(content)
    content[at : at + len(garbage)] = garbage
    (tmp_path / "fuzzed.npcsave").write_bytes(bytes(content))
    with suppress(NpcServerError):
        run(tmp_path / "fuzzed.npcsave")
