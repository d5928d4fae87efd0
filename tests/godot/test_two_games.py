"""Games on one machine know nothing of each other, and a game sees what was edited in its own files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.godot.conftest import copy_addon, names_server, read_ready, user_folder, with_server_on_path
from tests.godot.display import display
from tests.godot.importing import import_project
from tests.godot.test_quickstart import files_of_the_page
from tests.godot.test_real_server import NO_BODIES, NO_MODEL, SERVER
from tests.waiting import LIMIT_S

pytestmark = [pytest.mark.godot, pytest.mark.usefixtures("transport")]
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
        self.godot, self.folder, self.home = godot, folder, folder.parent
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
        found: dict[str, Any] = json.loads(next(line[7:] for line in output.splitlines() if line.startswith("RESULT ")))
        return found

    def _environment(self) -> dict[str, str]:
        environment = {**os.environ, **user_folder(self.home), **NO_MODEL, **NO_BODIES, **with_server_on_path()}
        environment.pop("NPC_SERVER_COMMAND", None)
        return environment

    def _run(self, *arguments: str, screen: Mapping[str, str] | None = None, picture: Path | None = None) -> str:
        environment = {**self._environment(), **(screen or {}), "NPC_TEST_PICTURE": str(picture or "")}
        how = ["--audio-driver", "Dummy", "--rendering-driver", "opengl3"] if screen is not None else ["--headless"]
        command = [self.godot, *how, "--path", str(self.folder), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        return done.stdout + done.stderr


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


def test_a_persona_that_was_edited_between_two_games_is_told_and_taken_over(godot: str, tmp_path: Path) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    assert "Petrel" in game.play("say=What is your boat called?")["answer"]
    game.person.write_text(game.person.read_text().replace("Petrel", "Gannet"))
    told = game.play("say=What is your boat called?")
    assert "rosa.yaml" in told["changes"][0][0]
    assert "Petrel" in told["answer"], "the save's people live on as they were until somebody takes the change over"
    applied = game.play("apply=yes", "say=What is your boat called?")
    assert "rosa.yaml" in applied["applied"][0][0]
    assert "Gannet" in applied["answer"]
    assert game.play()["changes"] == []


def test_a_persona_that_is_edited_while_the_game_runs_is_told(godot: str, tmp_path: Path) -> None:
    game = Game(godot, tmp_path / "harbor", "Harbor Tale")
    told = game.play(f"edit={game.person}", "apply=yes")
    assert "rosa.yaml" in told["changes"][0][0]
    assert "age" in told["applied"][0][0]
