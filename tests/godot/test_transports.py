"""Both transports hold what the contract says, also to each other, and over a line that is cut again and again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from npc_eval.benchmarks.cuts import bench_cuts
from npc_eval.benchmarks.cutting import cutting
from tests.godot.conftest import PROJECT, TRANSPORT, RunCase, names_server, read_ready

pytestmark = pytest.mark.godot


@pytest.mark.parametrize("transport", ["socket"], indirect=True)
@pytest.mark.parametrize("case", ["play", "replies"])
def test_the_same_session_gives_the_same_signals_on_both(run_case: RunCase, fake_command: str, tmp_path: Path, case: str) -> None:
    heard = {}
    for kind in ("socket", "native"):
        command = f"{fake_command} --store {tmp_path / kind}"
        ran = run_case(case, env={TRANSPORT: kind, "NPC_SERVER_COMMAND": command})
        assert ran.code == 0, ran.output
        heard[kind] = ran.result
        heard[kind].pop("stored_before_save", None)  # the game's answer to a call may come before the save or after it
    assert heard["socket"] == heard["native"]
    assert events(tmp_path / "socket") == events(tmp_path / "native")


def events(store: Path) -> list[str]:
    if not store.exists():  # nothing was told
        return []
    return sorted(json.dumps(json.loads(line)["event"], sort_keys=True) for line in store.read_text().splitlines())


@pytest.mark.journey
@pytest.mark.parametrize("cuts", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_cut_connections_lose_and_double_nothing(
    run_case: RunCase, fake_command: str, transport: str, tmp_path: Path, children: list[subprocess.Popen[str]], cuts: int
) -> None:
    store, ready = tmp_path / "events.jsonl", tmp_path / "ready.json"
    words = [*fake_command.split(), "serve", "--ready-file", str(ready), "--save-folder", str(tmp_path), "--store", str(store)]
    children.append(subprocess.Popen(words, text=True))
    told = read_ready(ready)
    with cutting(told["socket" if transport == "socket" else "address"], cuts) as proxy:
        ran = run_case("cut", *names_server({**told, "address": proxy.address, "socket": proxy.address}), f"cuts={cuts}")
        made = proxy.made
    assert ran.code == 0, ran.output
    assert made > cuts, "not all connections were cut"
    assert_all_stored_once(store, ran.result["told"])


@pytest.mark.slow
def test_the_soak_counts_what_is_lost_and_doubled_on_the_real_server(godot: str) -> None:
    """`npc-server bench --only cuts` does this for an hour with a hundred people."""
    found = bench_cuts(Path(godot), PROJECT, minutes=0.5, cuts=4, people=10)
    assert found.cuts == 4
    assert found.events > 10 * 3
    assert (found.lost, found.doubled, found.out_of_order) == (0, 0, 0)
    assert found.lines == found.answered > 2


def assert_all_stored_once(store: Path, told: int) -> None:
    stored = [json.loads(line) for line in store.read_text().splitlines()]
    assert [event["seq"] for event in stored] == list(range(1, told + 1))
    texts = [event["event"]["perception"]["text"] for event in stored]
    assert texts == [f"Event number {i} happens" for i in range(told)]
