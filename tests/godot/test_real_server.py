"""The addon and the real server, without a model: the town lives by instinct, and nothing that was told is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from npc_eval.benchmarks.frames import bench_bridge
from tests.godot.conftest import PROJECT, RunCase, names_server, read_ready, saves_of, user_folder

pytestmark = pytest.mark.godot
SERVER = str(Path(sys.executable).parent / "npc-server")
NO_MODEL = {"NPC_SERVER_ENGINE__MODEL": "none", "NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"}
REAL = {"NPC_SERVER_COMMAND": SERVER, **NO_MODEL}
NO_BODIES = {"NPC_SERVER_MIND__PATH_WAIT_S": "0.05"}
"""For a game that answers no path queries, because it has no bodies: nobody waits for an answer that never comes."""
WITHOUT_BODIES = {**REAL, **NO_BODIES}
PEOPLE = {"ines_calder", "mara_voss", "tobin_hale"}


def told(folder: Path) -> list[tuple[int, int, str]]:
    """Epoch, number and body of every event in the save's working copy or, when that is gone, in its slot."""
    saves = sorted(saves_of(folder).glob("millbrook*"))
    files = [file for file in saves if file.name.endswith(".play.sqlite")] or [file for file in saves if file.suffix == ".npcsave"]
    db = sqlite3.connect(files[0])
    try:
        return db.execute("SELECT epoch, seq, body FROM inbox ORDER BY epoch, seq").fetchall()
    finally:
        db.close()


@pytest.mark.journey
def test_three_people_get_things_to_do_go_there_and_do_them(run_case: RunCase) -> None:
    ran = run_case("live", "scale=240", "arrivals=2", "stored=20", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["errors"] == []
    assert ran.result["failures"] == []
    assert set(ran.result["arrivals"]) == PEOPLE
    assert {npc for npc, _, _, _ in ran.result["actions"]} == PEOPLE
    assert {source for _, _, _, source in ran.result["actions"]} == {"instinct"}


def test_fire_is_put_out_bathroom_is_waited_for_and_nobody_is_in_the_shop_after_five(run_case: RunCase) -> None:
    ran = run_case("rules", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["errors"] == []
    assert ran.result["most_in_bathrooms"] == 1, "somebody went into an occupied bathroom"
    address, state, deeds = ran.result["fires"]
    assert state in ("off", "cold", "on", "hot"), address
    assert deeds >= 1, f"nobody decided to put out the fire at {address}"
    # His own mind may call Tobin away at the stroke of five; else he is told why he must go. (test_agent has this without a mind.)
    said = {reason for npc, address, reason in ran.result["failures"] if npc == "tobin_hale" and address.startswith("millbrook:shop")}
    assert said <= {"Calder's shop is closed until 08:00"}


def test_the_day_goes_on_while_no_scene_is_open_and_bodies_are_where_their_people_are(run_case: RunCase) -> None:
    ran = run_case("away", "--no-server", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["errors"] == []
    assert ran.result["people"] == 3
    assert ran.result["appeared"] > 0, "nobody was busy when a scene was opened"


def test_real_server_killed_in_mid_game_loses_and_doubles_nothing(run_case: RunCase, tmp_path: Path) -> None:
    ran = run_case("killed", "total=300", "kills=3", "npc=mara_voss", "place=millbrook:mara_house:bedroom", env=WITHOUT_BODIES)
    assert ran.code == 0, ran.output
    assert len(ran.result["losses"]) == 3
    assert ran.result["last"] == 300
    rows = told(tmp_path)
    assert len({epoch for epoch, _, _ in rows}) == 1, "the game went on in another epoch"
    assert [seq for _, seq, _ in rows] == list(range(1, 301))
    for i, (_, _, body) in enumerate(rows):
        assert f"Event number {i} happens" in body


@pytest.mark.journey
def test_bad_token_ends_in_a_signal_and_is_not_tried_again(
    run_case: RunCase, tmp_path: Path, children: list[subprocess.Popen[str]]
) -> None:
    ready = tmp_path / "ready.json"
    env = {**user_folder(tmp_path), **NO_MODEL, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    children.append(subprocess.Popen([SERVER, "serve", "--port", "0", "--ready-file", str(ready)], env=env, text=True))
    told = {**read_ready(ready), "token": "not-the-token"}
    ran = run_case("fails", *names_server(told))
    assert ran.code == 0, ran.output
    assert [(error["code"], error["reason"]) for error in ran.result["errors"]] == [("UNAUTHENTICATED", "BAD_TOKEN")]
    assert "ready file" in ran.result["errors"][0]["message"]
    assert ran.result["state"] == "STOPPED"


def test_a_server_that_ends_before_it_is_ready_says_why_in_its_own_words(run_case: RunCase) -> None:
    ran = run_case("fails", env={**REAL, "NPC_SERVER_ENGINE__CONTEXT_TOKENS": "a lot"})
    assert ran.code == 0, ran.output
    assert [error["reason"] for error in ran.result["errors"]] == ["SERVER_NOT_STARTED"]
    assert "'a lot'" in ran.result["errors"][0]["message"]
    assert ran.result["state"] == "STOPPED"


def test_a_town_file_that_is_not_there_ends_in_a_signal_that_names_it(run_case: RunCase, tmp_path: Path) -> None:
    ran = run_case("fails", f"npc/save/town={tmp_path / 'nowhere.yaml'}", env=REAL)
    assert ran.code == 0, ran.output
    assert [error["reason"] for error in ran.result["errors"]] == ["NO_TOWN"]
    assert "nowhere.yaml" in ran.result["errors"][0]["message"]


def test_wrong_persona_ends_in_a_signal_that_names_file_and_line(run_case: RunCase, tmp_path: Path) -> None:
    people = tmp_path / "people"
    people.mkdir()
    (people / "mara.yaml").write_text("id: mara_voss\nname: Mara Voss\nage: very old\n")
    ran = run_case("fails", f"npc/save/personas={people}", env=REAL)
    assert ran.code == 0, ran.output
    assert [error["code"] for error in ran.result["errors"]] == ["INVALID_ARGUMENT"]
    assert "mara.yaml:3" in ran.result["errors"][0]["message"]
    assert ran.result["state"] == "STOPPED"


def test_wrong_policy_ends_in_a_signal_that_names_file_and_line(run_case: RunCase, tmp_path: Path) -> None:
    file = tmp_path / "habits.yaml"
    file.write_text("policies:\n  - activity: tend the garden\n    steps: many\n")
    ran = run_case("fails", f"npc/save/policies={file}", env=REAL)
    assert ran.code == 0, ran.output
    assert [error["code"] for error in ran.result["errors"]] == ["INVALID_ARGUMENT"]
    assert "habits.yaml:3" in ran.result["errors"][0]["message"]


def test_a_new_save_begins_with_the_policies_that_the_project_names(run_case: RunCase, tmp_path: Path) -> None:
    file = tmp_path / "habits.yaml"
    file.write_text("policies:\n  - activity: rest\n    steps: [{do: sitting, where: 'green:lawn:bench', action: sit, minutes: 15}]\n")
    ran = run_case("saves", f"npc/save/policies={file}", env=WITHOUT_BODIES)
    assert ran.code == 0, ran.output
    assert ran.result["errors"] == []
    db = sqlite3.connect(next(saves_of(tmp_path).glob("evening.npcsave")))
    try:
        assert db.execute("SELECT activity, worked FROM policies").fetchall() == [("rest", 1)]
    finally:
        db.close()


def test_no_persona_at_all_ends_in_a_signal_that_names_the_folder(run_case: RunCase, tmp_path: Path) -> None:
    ran = run_case("fails", f"npc/save/personas={tmp_path / 'nobody'}", env=REAL)
    assert ran.code == 0, ran.output
    assert [error["reason"] for error in ran.result["errors"]] == ["NO_PERSONAS"]
    assert str(tmp_path / "nobody") in ran.result["errors"][0]["message"]


@pytest.mark.journey
def test_loading_a_save_goes_back_in_time_and_play_goes_on(run_case: RunCase, tmp_path: Path) -> None:
    ran = run_case("saves", env=WITHOUT_BODIES)
    assert ran.code == 0, ran.output
    assert ran.result["errors"] == []
    assert (ran.result["saved"], ran.result["loaded"]) == (["evening"], ["evening"])
    assert ran.result["time"] == 600, "the minds' time did not go back to the save"
    assert ran.result["seq"] == 1, "numbers did not start again with the new epoch"
    assert ran.result["slots"] == ["evening", "millbrook"]
    texts = [body for _, _, body in told(tmp_path)]
    assert not any("After number" in text for text in texts), "the abandoned time is still in the save"


def test_frozen_server_is_found_again_with_its_session_and_loses_nothing(run_case: RunCase, tmp_path: Path) -> None:
    ran = run_case("frozen", env=WITHOUT_BODIES)
    assert ran.code == 0, ran.output
    assert ran.result["same_server"]
    assert [seq for _, seq, _ in told(tmp_path)] == list(range(1, 61))


def test_a_line_said_just_before_the_end_is_remembered(run_case: RunCase, tmp_path: Path) -> None:
    ran = run_case("last_words", env=WITHOUT_BODIES)
    assert ran.code == 0, ran.output
    heard = [body for _, _, body in told(tmp_path)]
    db = sqlite3.connect(next(file for file in saves_of(tmp_path).glob("millbrook*") if file.suffix in (".npcsave", ".sqlite")))
    try:
        remembered = [text for (text,) in db.execute("SELECT text FROM memories WHERE npc = 'mara_voss'")]
    finally:
        db.close()
    assert any("buried the gold" in text for text in [*heard, *remembered])


def test_a_game_plants_knowledge_takes_it_away_and_keeps_somebody_out_of_a_scene(run_case: RunCase) -> None:
    ran = run_case("mending", env=WITHOUT_BODIES)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert set(ran.result["people"]) == PEOPLE
    assert (ran.result["after_quest"], ran.result["after_load"], ran.result["ghosts"]) == (0, 1, 0)
    assert ran.result["twice"] == "UNKNOWN_NAME"
    assert ran.result["history"][-1] in ("game", "modder")
    assert ran.result["failures"] == ["UNKNOWN_NAME"]


def test_what_messages_cost_can_be_measured(godot: str, transport: str) -> None:
    bench = bench_bridge(Path(godot), PROJECT, agents=5, frames=60, transport=transport)
    assert [row.name for row in bench.rows] == ["idle", "as_played", "all_at_once"]
    assert all(0 < row.median_us <= row.p99_us <= row.worst_us for row in bench.rows)
    assert bench.events >= 5 * 12
