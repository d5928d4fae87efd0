"""Games on one machine know nothing of each other, and a game sees what was edited in its own files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.godot.conftest import PROJECT as PROJECT_FOLDER
from tests.godot.conftest import copy_addon, names_server, read_ready, user_folder, with_server_on_path
from tests.godot.display import display
from tests.godot.importing import import_project
from tests.godot.test_export import export, start_command, unpacked_folder
from tests.godot.test_quickstart import files_of_the_page
from tests.godot.test_real_server import NO_BODIES, NO_MODEL, SERVER
from tests.waiting import LIMIT_S

pytestmark = [pytest.mark.godot, pytest.mark.usefixtures("transport")]
SAVES_OWN = "npc/save/apply_changes=off"
"""The game plays the files of the save until it applies its own."""
SCRIPT = Path(__file__).with_name("small_game") / "game.gd"
PROJECT = """config_version=5

[application]
config/name="{name}"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.4")

[autoload]
NpcServer="*res://addons/npc/npc_server.gd"

[npc]
save/town="res://people/town.yaml"
save/personas="res://people/personas"
"""
SCENE = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://game.gd" id="1"]

[node name="Game" type="Node"]
script = ExtResource("1")
"""


class Game:
    """A project of its own, with Rosa in it under another name where one is given."""

    def __init__(self, godot: str, folder: Path, name: str, person: str = "rosa") -> None:
        self.folder, self.home = folder, folder.parent
        self.program = [godot]
        """Plays the game of the folder in which it starts."""
        files = files_of_the_page()
        people = folder / "people" / "personas"
        people.mkdir(parents=True)
        (folder / "people" / "town.yaml").write_text(files["people/town.yaml"])
        self.person = people / f"{person}.yaml"
        self.person.write_text(files["people/personas/rosa.yaml"].replace("Rosa", person.capitalize()))
        copy_addon(folder)
        shutil.copy(SCRIPT, folder / "game.gd")
        (folder / "main.tscn").write_text(SCENE)
        (folder / "project.godot").write_text(PROJECT.format(name=name))
        import_project(godot, folder, self._environment())

    def play(self, *arguments: str, screen: Mapping[str, str] | None = None, picture: Path | None = None) -> dict[str, Any]:
        """What came of it. On a `screen` there is a `picture` of it, too."""
        output = self._run("--", *arguments, screen=screen, picture=picture)
        assert "SCRIPT ERROR" not in output, output
        return read_result(output)

    def _environment(self) -> dict[str, str]:
        environment = {**os.environ, **user_folder(self.home), **NO_MODEL, **NO_BODIES, **with_server_on_path()}
        environment.pop("NPC_SERVER_COMMAND", None)
        return environment

    def _run(self, *arguments: str, screen: Mapping[str, str] | None = None, picture: Path | None = None) -> str:
        environment = {**self._environment(), **(screen or {}), "NPC_TEST_PICTURE": str(picture or "")}
        how = ["--audio-driver", "Dummy", "--rendering-driver", "opengl3"] if screen is not None else ["--headless"]
        command = [*self.program, *how, *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        return done.stdout + done.stderr


def read_result(output: str) -> dict[str, Any]:
    """What the game said it did, and the warnings that Godot printed."""
    found: dict[str, Any] = json.loads(next(line[7:] for line in output.splitlines() if line.startswith("RESULT ")))
    return {**found, "warnings": [line.removeprefix("WARNING: ") for line in output.splitlines() if line.startswith("WARNING: ")]}


@pytest.fixture
def by_hand(tmp_path: Path, children: list[subprocess.Popen[str]]) -> list[str]:
    """Arguments that name a server that somebody started for all games."""
    ready = tmp_path / "ready.json"
    line = [SERVER, "serve", "--port", "0", "--ready-file", str(ready), "--save-folder", str(tmp_path / "all")]
    children.append(subprocess.Popen(line, env={**os.environ, **NO_MODEL, **NO_BODIES}, text=True))
    return names_server(read_ready(ready))


def test_two_games_with_the_same_slot_have_their_own_people(godot: str, tmp_path: Path) -> None:
    """NPC_SCREENSHOT_GAMES names a folder to keep the pictures in."""
    pictures = Path(os.environ.get("NPC_SCREENSHOT_GAMES", tmp_path))
    harbor, mill = Game(godot, tmp_path / "harbor", "Harbor Tale"), Game(godot, tmp_path / "mill", "Mill Tale", "otto")
    assert harbor.play("say=I am afraid of the sea.")["people"] == ["rosa"]
    with display() as screen:
        other = mill.play("say=Hello!", screen=screen, picture=pictures / "mill.png")
        again = harbor.play("say=What am I afraid of?", screen=screen, picture=pictures / "harbor.png")
    assert (other["people"], other["failed"]) == (["otto"], [])
    assert all((pictures / name).stat().st_size > 2_000 for name in ("mill.png", "harbor.png"))
    assert (again["people"], again["failed"]) == (["rosa"], [])
    assert "afraid of the sea" in again["memories"]
    assert "afraid of the sea" not in other["memories"]


def test_a_save_of_another_game_is_refused_and_left_alone(godot: str, tmp_path: Path, by_hand: list[str]) -> None:
    harbor, mill = Game(godot, tmp_path / "harbor", "Harbor Tale"), Game(godot, tmp_path / "mill", "Mill Tale", "otto")
    harbor.play(*by_hand, "say=I am afraid of the sea.")
    for more in ("new_game=no", "new_game=yes"):
        refused = mill.play(*by_hand, more)
        assert refused["refused"][0] == ["default", "SAVE_OF_ANOTHER_GAME"]
        assert "Harbor Tale" in refused["failed"][0][1]
        assert "Mill Tale" in refused["failed"][0][1]
        assert refused["people"] == []
    assert "afraid of the sea" in harbor.play(*by_hand)["memories"]


def test_a_save_of_another_town_is_refused_until_a_new_game_is_begun(godot: str, tmp_path: Path) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    game.play("say=I am afraid of the sea.")
    town = game.folder / "people" / "town.yaml"
    town.write_text(town.read_text().replace("id: harbor", "id: port"))
    refused = game.play()
    assert refused["refused"] == [["default", "SAVE_OF_ANOTHER_TOWN"]]
    assert refused["people"] == []
    begun = game.play("new_game=yes")
    assert (begun["people"], begun["loaded"]) == (["rosa"], ["default"])
    assert "afraid of the sea" not in begun["memories"]
    assert game.play()["failed"] == []


@pytest.mark.parametrize("slot", ["default", "other"])
def test_a_new_game_can_be_begun_while_one_is_played(godot: str, tmp_path: Path, slot: str) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    game.play("say=I am afraid of the sea.")
    begun = game.play("say=I am afraid of dogs, too.", "again=yes", "anew=yes", f"slot={slot}")
    assert begun["same_server"], "a second start() ended what was played"
    assert (begun["anew"], begun["slot"], begun["loaded"], begun["failed"]) == (True, slot, [slot], [])
    assert "afraid of" not in begun["memories"]
    kept = game.play()["memories"]
    assert ("afraid of the sea" in kept) == (slot == "other")
    assert "afraid of dogs" not in kept, "what was not saved was dropped, and came back"


def rename_boat(game: Game) -> None:
    game.person.write_text(game.person.read_text().replace("Petrel", "Gannet"))


def test_a_persona_that_was_edited_between_two_games_is_played_and_nothing_is_forgotten(godot: str, tmp_path: Path) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    assert "Petrel" in game.play("say=I am afraid of the sea.")["memories"]
    rename_boat(game)
    played = game.play("until=applied", "say=What is your boat called?")
    assert "rosa.yaml" in played["applied"][0][0]
    assert "Gannet" in played["answer"]
    assert "afraid of the sea" in played["memories"]
    assert (played["warnings"], played["failed"]) == ([], [])
    assert game.play()["changes"] == []


def test_a_game_that_applies_no_changes_warns_once_which_there_are_and_what_applies_them(godot: str, tmp_path: Path) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    assert "Petrel" in game.play("say=What is your boat called?")["answer"]
    rename_boat(game)
    with (game.folder / "project.godot").open("a") as file:
        file.write("save/apply_changes=false\n")  # as the editor wrote it when the setting was a bool
    told = game.play("say=What is your boat called?")
    assert "rosa.yaml" in told["changes"][0][0]
    assert "Petrel" in told["answer"], "the save's people live on as they were until somebody takes the change over"
    (warning,) = told["warnings"]
    assert "personas/rosa.yaml: identity changed." in warning
    assert "npc/save/apply_changes" in warning
    applied = game.play(SAVES_OWN, "apply=yes", "say=What is your boat called?")
    assert "rosa.yaml" in applied["applied"][0][0]
    assert "Gannet" in applied["answer"]
    again = game.play("register=yes")
    assert (again["apply_changes"], again["warnings"]) == ("off", [])


def test_a_persona_that_is_edited_while_the_game_runs_is_told_and_applied(godot: str, tmp_path: Path) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    told = game.play(f"edit={game.person}", "until=applied")
    assert "rosa.yaml" in told["changes"][0][0]
    assert "age" in told["applied"][0][0]
    assert told["warnings"] == []


def test_a_persona_with_a_mistake_is_warned_of_with_line_and_fix(godot: str, tmp_path: Path) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    while_it_runs = game.play(f"edit={game.person}", "age=old")
    at_the_start = game.play("until=failed")
    for played, then in ((while_it_runs, "until the file is fixed"), (at_the_start, "No changed file is applied until this is fixed")):
        assert [reason for reason, _ in played["failed"]] == ["BAD_FILE"]
        (warning,) = played["warnings"]
        assert re.match(r"personas/rosa\.yaml:\d+: 'age' is 'old' where a whole number belongs\.", warning), warning
        assert then in warning
    unapplied = game.play(SAVES_OWN)["warnings"]
    assert ["npc/save/apply_changes" in warning and "'age' is 'old'" in warning for warning in unapplied] == [True]


def test_an_exported_game_plays_the_files_of_the_save(godot: str, tmp_path: Path) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    game.play()
    rename_boat(game)
    presets = re.sub('include_filter=".*"', 'include_filter="people/*"', (PROJECT_FOLDER / "export_presets.cfg").read_text())
    (game.folder / "export_presets.cfg").write_text(presets)
    exported = tmp_path / "game" / "harbor.x86_64"
    export(godot, game.folder, exported)
    game.folder, game.program = exported.parent, start_command(exported, unpacked_folder(godot))
    told = game.play("say=What is your boat called?")
    assert (told["applied"], "Petrel" in told["answer"]) == ([], True)
    assert ["npc/save/apply_changes" in warning for warning in told["warnings"]] == [True]
    applied = game.play("npc/save/apply_changes=on", "until=applied")
    assert "rosa.yaml" in applied["applied"][0][0]
