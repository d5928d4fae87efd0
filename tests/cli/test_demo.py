from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from typer import Typer
from typer.testing import CliRunner

from npc_server.cli import demo as demo_command
from npc_server.cli import demo_view
from npc_server.cli.demo import demo as command
from npc_server.cli.demo_view import view
from npc_server.records import Action, Emotion, Feelings, Mood, Needs, Notice, NoticeLevel, Outcome, OutcomeStatus, Source, Speech, Thought
from npc_server.sandbox.populate import populated_town
from npc_server.sandbox.scene import Scene
from npc_server.sandbox.towns import find_cast
from tests.waiting import LIMIT_S

ENVIRONMENT = {"NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none", "DISPLAY": "", "WAYLAND_DISPLAY": ""}


def scene() -> Scene:
    """Nine in the morning in Millbrook: Mara serves and speaks, Tobin turns wood and thinks, Ines lies in bed."""
    cast = find_cast("millbrook")
    at = cast.town.start + 3 * 3600
    world = populated_town(cast, at)
    seen = Scene(world)
    for npc, sentence, address in (
        ("mara_voss", "Mara is serving customers", "millbrook:cafe:dining_room:counter"),
        ("tobin_hale", "Tobin is turning wood", "millbrook:workshop:work_floor:lathe"),
    ):
        action = Action(f"{npc}/1/0", npc, sentence, address, "🍽️", at, at + 3600, source=Source.MODEL)
        seen.on_event(action)
        world.act(action)
    while world.now < at + 300:
        world.advance(at + 300)
    seen.on_event(Speech("mara_voss", "Good morning!", world.now))
    seen.on_event(Thought("tobin_hale", "the sign must be ready", Source.MODEL, world.now))
    return seen


def drawn(width: int, height: int, colour: bool = True) -> list[str]:
    console = Console(
        width=width, height=height, force_terminal=True, color_system="truecolor" if colour else None, file=StringIO(), legacy_windows=False
    )
    lines = console.render_lines(demo_view.render(scene(), width, height), console.options.update(height=height))
    return ["".join(segment.text for segment in line) for line in lines]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (200, 50), (60, 20)])
def test_screen_has_exactly_the_terminals_size_and_shows_everybody(width: int, height: int) -> None:
    lines = drawn(width, height)
    assert len(lines) == height
    assert {cell_len(line) for line in lines} == {width}
    text = "\n".join(lines)
    for words in ("Millbrook", "Monday 4 May, 09:05", "Ines Calder", "Mara Voss", "Tobin Hale", "is serving customers", "Good morning!"):
        assert words in text, words


def test_map_shows_each_person_by_initial_and_the_buildings_by_name() -> None:
    text = "\n".join(line[:47] for line in drawn(80, 24)[1:17])
    for letter in "IMT":
        assert letter in text
    for name in ("Mara's house", "Kettle Café", "Calder's", "Hale's"):
        assert name in text


def test_walls_show_without_colours() -> None:
    text = "\n".join(line[:47] for line in drawn(80, 24, colour=False)[1:17])
    assert "█" in text
    assert "▄" in text


def test_people_on_one_spot_stand_side_by_side() -> None:
    seen = scene()
    bodies = list(seen.world.bodies.values())
    bodies[1].cell = bodies[0].cell
    assert len(demo_view.TownMap(seen)._initials()) == 3


def test_screen_too_narrow_for_the_map_still_lists_the_people() -> None:
    text = "\n".join(drawn(50, 18))
    assert "Mara Voss" in text
    assert "▀" not in text


def test_scene_shows_mood_and_lowest_need() -> None:
    seen = scene()
    assert seen.feeling(seen.people["mara_voss"]) == ""
    happy = Feelings("mara_voss", Needs(food=4.2), Mood(Emotion.HAPPY, 4.0, seen.world.now), seen.world.now)
    seen.on_event(happy)
    assert seen.feeling(seen.people["mara_voss"]) == "happy, food 4"
    seen.on_event(replace(happy, mood=Mood()))
    assert seen.feeling(seen.people["mara_voss"]) == "food 4"
    printed = StringIO()
    console = Console(width=100, height=30, force_terminal=True, file=printed, legacy_windows=False)
    console.print(demo_view.render(seen, 100, 30))
    assert "food 4" in printed.getvalue()


def test_header_tells_who_thinks_with_model_and_shares() -> None:
    seen = scene()
    seen.model, seen.model_answers, seen.chosen_answers, seen.policy_answers, seen.instinct_answers = "qwen3-1.7b", 37, 10, 3, 50
    assert demo_view._header(seen, 110).plain.endswith("qwen3-1.7b 37 %, chosen 10 %, policies 3 %, instinct 50 % ")
    seen.model, seen.model_answers, seen.chosen_answers, seen.policy_answers, seen.instinct_answers = "", 0, 0, 0, 0
    assert demo_view._header(seen, 110).plain.endswith("no model 0 %, chosen 0 %, policies 0 %, instinct 0 % ")


def test_scene_tells_failures_and_notices_in_plain_words() -> None:
    seen = scene()
    seen.on_outcome(Outcome("ines_calder", "x", OutcomeStatus.FAILED, "the bathroom is occupied"), seen.world.now)
    seen.on_event(Notice(NoticeLevel.ERROR, "DISK_FULL", "The disk is full."))
    assert [text for _, _, text in seen.lines][-2:] == ["Ines Calder could not: the bathroom is occupied", "error: The disk is full."]


def test_without_a_terminal_each_line_is_printed_once() -> None:
    out = StringIO()
    seen = scene()
    with view(seen, Console(file=out, width=200)) as draw:
        draw()
        draw()
        seen.on_event(Speech("mara_voss", "More tea?", seen.world.now))
        draw()
    lines = out.getvalue().splitlines()
    assert lines[0] == "Monday 4 May"
    assert len(lines) == 5
    assert lines[-1] == "09:05  Mara Voss: “More tea?”"


# ---- the command


def run(*arguments: str) -> Any:
    app = Typer(pretty_exceptions_enable=False)
    app.command()(command)
    return CliRunner().invoke(app, ["--terminal", "--model", "none", *arguments], env=ENVIRONMENT)


@pytest.mark.parametrize("pace", [("--fast",), ("--speed", "20000")])
def test_demo_plays_prints_lines_saves_and_goes_on_from_there(tmp_path: Path, pace: tuple[str, ...]) -> None:
    save = tmp_path / "town.npcsave"
    first = run("--save", str(save), "--days", "0.05", *pace)
    assert first.exit_code == 0, first.output
    assert "Mara is" in first.stdout
    assert f"Monday 4 May, 07:12. The save is {save}" in first.stdout
    with closing(sqlite3.connect(save)) as db:
        assert db.execute("SELECT value FROM meta WHERE key = 'game'").fetchall() == [('"npc-server demo"',)]
    again = run("--save", str(save), "--days", "0.05", *pace)
    assert again.exit_code == 0, again.output
    assert "Monday 4 May, 08:24" in again.stdout
    assert not list(tmp_path.glob("*.play.sqlite*"))


def test_only_the_first_start_tells_of_a_larger_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(demo_command, "tell_of_step_up", lambda engine: told.append(engine.model_name))
    for _ in range(2):
        assert run("--save", str(tmp_path / "town.npcsave"), "--days", "0.01", "--fast").exit_code == 0
    assert told == ["none"]


def test_the_first_start_in_godot_tells_of_a_larger_model(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(demo_command, "tell_of_step_up", lambda engine: told.append(engine.model_name))
    monkeypatch.setattr(demo_command, "why_not_in_godot", lambda *_, **__: "")
    monkeypatch.setattr(demo_command, "open_in_godot", lambda *_, **__: told.append("opened"))
    app = Typer()
    app.command()(command)
    for first in (True, False):
        monkeypatch.setattr(demo_command, "never_opened", lambda first=first: first)
        assert CliRunner().invoke(app, ["--model", "qwen3-1.7b"], env=ENVIRONMENT).exit_code == 0
    assert told == ["qwen3-1.7b", "opened", "opened"]


def test_what_only_the_terminal_can_do_is_done_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(demo_command, "why_not_in_godot", lambda *_, **__: "")
    monkeypatch.setattr(demo_command, "open_in_godot", lambda *_, **__: opened.append("Godot"))
    app = Typer()
    app.command()(command)
    given = ["--save", str(tmp_path / "town.npcsave"), "--days", "0.01", "--speed", "100000"]
    found = CliRunner().invoke(app, given, env=ENVIRONMENT)
    assert found.exit_code == 0
    assert "The town runs in the terminal: --speed, --days, --save work only there." in found.output
    assert not opened


def test_interrupted_demo_leaves_its_save_intact(tmp_path: Path) -> None:
    save = tmp_path / "town.npcsave"
    code = "import typer; from npc_server.cli.demo import demo; app = typer.Typer(); app.command()(demo); app()"
    command_line = [sys.executable, "-c", code, "--terminal", "--model", "none", "--save", str(save)]
    with subprocess.Popen(command_line, env={**os.environ, **ENVIRONMENT}, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        done = 0
        while done < 3:  # by then people have planned something
            line = process.stdout.readline()
            assert line, "the demo ended"
            done += "Mara is" in line
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(LIMIT_S) == 0
    assert "The save is" in rest
    with closing(sqlite3.connect(save)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT count(*) FROM memories WHERE kind = 'plan'").fetchone()[0] > 0
    assert not list(tmp_path.glob("*.play.sqlite*"))
