"""NpcServer in a real Godot against the stand-in: what a real server cannot be made to say or to keep to itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.godot.conftest import PROJECT, RunCase, user_folder
from tests.waiting import LIMIT_S, wait_until

pytestmark = pytest.mark.godot


@pytest.mark.journey
def test_what_is_called_before_the_server_is_ready_is_kept_and_every_answer_becomes_a_signal(
    run_case: RunCase, fake_command: str, tmp_path: Path
) -> None:
    store = tmp_path / "events.jsonl"
    ran = run_case("play", env={"NPC_SERVER_COMMAND": f"{fake_command} --store {store}"})
    assert ran.code == 0, ran.output
    heard = ran.result
    assert "failed" not in heard
    assert heard["actions"][0] == ["npc_1", "Somebody is looking at Zoë", "model", 600]
    assert heard["approaches"] == [["npc_1", "Zoë", "Zoë!", "the bell"]], "once, although the server sent it twice"
    assert heard["speeches"] == [["npc_1", "Ça va, Zoë? 🙂", ["tobin"]]]
    assert heard["thoughts"] == [["npc_1", "hm", "instinct"]]
    assert heard["model"] == "qwen3-1.7b"
    assert heard["decisions"] == {"model": 3, "chosen": 0, "policy": 0, "instinct": 1}, "two actions and a line, and a thought"
    assert heard["feelings"] == [["npc_1", "happy", "food", 2.5]]
    assert heard["queries"] == [["npc_1", "q1", ["a:b", "a:c"]]]
    assert heard["notices"] == [["warning", "MODEL_MISSING"]]
    assert heard["calls"] == [["npc_1", "give", {"item": "bread"}]]
    assert heard["pieces"] == ["Good", "Good day,", "Good day, Zoë."]
    assert heard["answers"] == [["Good day, Zoë.", True]]
    # The save waits for what was told before it was asked for; the game's answer to the call may come after that.
    assert heard["stored_before_save"] in (2, 3)
    (answered,) = [
        event["event"]["game_action_result"]
        for event in map(json.loads, store.read_text().splitlines())
        if "game_action_result" in event["event"]
    ]
    assert answered == {"npc_id": "npc_1", "call_id": "c1", "reason": "there is no bread"}
    assert (heard["saved"], heard["loaded"]) == (["evening"], ["evening"])
    assert (heard["time_at_start"], heard["time_after_load"]) == (1_000_000, 777_000)


@pytest.mark.journey
def test_an_answer_can_be_awaited_and_a_failed_line_ends_the_wait(run_case: RunCase, fake_command: str, tmp_path: Path) -> None:
    ran = run_case("replies", env={"NPC_SERVER_COMMAND": f"{fake_command} --store {tmp_path / 'events.jsonl'}"})
    assert ran.code == 0, ran.output
    assert ran.result["texts"] == ["Good day, Zoë.", "Good day, Yan."], "two lines to one person are mixed up"
    assert ran.result["actions"] == [{"call_id": "c2", "name": "wave", "arguments": {"times": 2}}]
    assert ran.result["ended"]
    assert ran.result["lost"] == ["CONNECTION_LOST", "Hm", ["CONNECTION_LOST"]]
    assert ran.result["torn"] == "CONNECTION_LOST", "whichever call notices a loss first must say so"
    assert ran.result["refused"] == ["UNKNOWN_NAME", "nobody"]
    assert ran.result["late"] == "STOPPED"
    assert "Traceback" not in ran.output, "the bridge ends with noise"


@pytest.mark.journey
def test_server_killed_in_mid_game_loses_and_doubles_nothing(run_case: RunCase, fake_command: str, tmp_path: Path) -> None:
    store = tmp_path / "events.jsonl"
    ran = run_case("killed", "total=400", "kills=3", env={"NPC_SERVER_COMMAND": f"{fake_command} --store {store}"})
    # `serve` comes after the command's own words, so the stand-in gets its options first.
    assert ran.code == 0, ran.output
    events = [json.loads(line) for line in store.read_text().splitlines()]
    assert [event["seq"] for event in events] == list(range(1, 401))
    assert [event["event"]["perception"]["text"] for event in events] == [f"Event number {i} happens" for i in range(400)]
    assert len(ran.result["losses"]) == 3
    assert ran.result["connections"] == 4


@pytest.mark.journey
def test_server_that_falls_silent_is_left_and_found_again_without_a_stalled_frame(
    run_case: RunCase, fake_command: str, tmp_path: Path
) -> None:
    command = f"{fake_command} --silent-after 5 --store {tmp_path / 'events.jsonl'}"
    ran = run_case("silent", env={"NPC_SERVER_COMMAND": command})
    assert ran.code == 0, ran.output
    assert "has not answered" in ran.result["losses"][0]
    assert ran.result["connections"] == 2


def test_frames_go_on_while_the_save_is_never_opened(run_case: RunCase, fake_command: str) -> None:
    ran = run_case("fails", "opens=never", env={"NPC_SERVER_COMMAND": f"{fake_command} --silent"})
    assert ran.code == 0, ran.output
    assert ran.result["state"] == "OPENING"
    assert ran.result["errors"] == []
    assert ran.result["frames"] > 60


@pytest.mark.journey
def test_missing_server_ends_in_a_signal_and_is_tried_again(run_case: RunCase, transport: str) -> None:
    ran = run_case("fails", "address=127.0.0.1:9", "token=x")
    assert ran.code == 0, ran.output
    assert ran.result["errors"][0]["reason"] == "NO_SERVER"
    port = {"socket": 10, "native": 9}[transport]
    assert f"127.0.0.1:{port}" in ran.result["errors"][0]["message"], "the socket's port follows the other"
    assert ran.result["state"] == "WAITING"


def test_missing_program_ends_in_a_signal_that_names_it(run_case: RunCase) -> None:
    ran = run_case("fails", env={"NPC_SERVER_COMMAND": "no-such-program-at-all"})
    assert ran.code == 0, ran.output
    message = ran.result["errors"][0]["message"]
    assert "no-such-program-at-all" in message
    assert "NPC_SERVER_COMMAND" in message
    assert ran.result["line"] == "NO_SERVER", "who said something waits for ever"
    assert ran.result["state"] == "WAITING"


def test_pauses_between_attempts_grow_and_what_must_be_mended_is_not_tried_again(run_case: RunCase) -> None:
    ran = run_case("pauses")
    assert ran.code == 0, ran.output
    pauses = ran.result["pauses"]
    assert pauses[:4] == [0.25, 0.5, 1, 2]
    assert pauses[-3:] == [30, 30, 30]
    assert ran.result["after"] == 0.25


def spoiled_project(folder: Path, spoil: str) -> Path:
    """The demo with a native library that lacks something, or that names a Python of another machine."""
    project = folder / "project"
    shutil.copytree(PROJECT, project)
    spoiled = project / "addons" / "npc" / "bin" / spoil
    if spoil.endswith(".path"):
        spoiled.write_text("home=/no/such/python\n")
    elif spoiled.is_dir():
        shutil.rmtree(spoiled)
        (project / ".godot" / "extension_list.cfg").unlink()
    else:
        spoiled.unlink()
    return project


@pytest.mark.parametrize("spoil", ["", "npc_bridge.path", "python/npc_bridge.zip"])
@pytest.mark.parametrize("transport", ["auto"], indirect=True)
def test_the_socket_takes_the_place_of_a_native_library_that_is_missing_or_does_not_start(
    run_case: RunCase, fake_command: str, tmp_path: Path, spoil: str
) -> None:
    project = spoiled_project(tmp_path, spoil)
    ran = run_case("play", project=project, env={"NPC_SERVER_COMMAND": f"{fake_command} --store {tmp_path / 'events.jsonl'}"})
    assert ran.code == 0, ran.output
    assert ran.result["answers"] == [["Good day, Zoë.", True]]
    assert "failed" not in ran.result
    if not spoil:
        assert "ERROR" not in ran.output, ran.output
        assert "xtension" not in ran.output, "Godot looks for a library that nobody has built"


@pytest.mark.parametrize(
    ("spoil", "reason", "part"),
    [
        ("libnpc_bridge.so", "BRIDGE_MISSING", "docs/addon.md"),
        ("npc_bridge.path", "BRIDGE_PYTHON", "/no/such/python"),
        ("python/npc_bridge.zip", "BRIDGE_STOPPED", "printed above"),
    ],
)
@pytest.mark.parametrize("transport", ["native"], indirect=True)
def test_bridge_that_is_not_whole_ends_in_a_signal_that_says_so(
    run_case: RunCase, tmp_path: Path, spoil: str, reason: str, part: str
) -> None:
    project = spoiled_project(tmp_path, spoil)
    ran = run_case("fails", "address=127.0.0.1:9", "token=x", project=project)
    assert ran.code == 0, ran.output
    assert [error["reason"] for error in ran.result["errors"]] == [reason]
    assert part in ran.result["errors"][0]["message"]
    assert ran.result["state"] == "STOPPED"
    assert ran.result["frames"] > 20


def test_ctrl_c_ends_the_game_and_not_only_its_bridge(
    godot: str, fake_command: str, tmp_path: Path, children: list[subprocess.Popen[str]]
) -> None:
    store = tmp_path / "events.jsonl"
    command = [godot, "--headless", "--path", str(PROJECT), "res://tests/run.tscn", "--", "silent"]
    env = {**os.environ, **user_folder(tmp_path), "NPC_SERVER_COMMAND": f"{fake_command} --silent-after 5 --store {store}"}
    # A shell that runs the tests in the background lets them ignore SIGINT, and children inherit that.
    obeys = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    game = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, preexec_fn=obeys)
    children.append(game)
    wait_until(store.exists)  # the bridge is at work
    game.send_signal(signal.SIGINT)
    output, _ = game.communicate(timeout=LIMIT_S)
    assert game.returncode == -signal.SIGINT, output
    assert "Traceback" not in output, output


def test_the_clock_runs_and_is_written_in_a_year_before_1970(run_case: RunCase) -> None:
    ran = run_case("early_years", "--no-server")
    assert ran.code == 0, ran.output
    assert (ran.result["clock"], ran.result["date"]) == ("06:00", "Sunday, 3 June")


def test_the_clock_stands_while_the_tree_is_paused_unless_the_game_wants_otherwise(run_case: RunCase, fake_command: str) -> None:
    ran = run_case("pause", env={"NPC_SERVER_COMMAND": fake_command})
    assert ran.code == 0, ran.output
    assert (ran.result["paused"], ran.result["standing"], ran.result["answered"]) == (0, 0, True)
    assert all(ran.result[key] > 0 for key in ("runs", "wanted", "fast")), ran.result


@pytest.mark.journey
def test_menus_manage_slots_before_play_lines_are_answered_in_order_and_talks_end(run_case: RunCase, fake_command: str) -> None:
    ran = run_case("calls", env={"NPC_SERVER_COMMAND": fake_command})
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert (ran.result["slots"], ran.result["left"], ran.result["menu"]) == (["evening", "morning"], ["evening"], "IDLE")
    assert ran.result["order"] == list(range(20))
    assert (ran.result["after_goodbye"], ran.result["near"], ran.result["ended"]) == (0, 1, True)
