"""A player's mods in a real game: folders in user://npc_mods, whose files change characters and bring new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.godot.test_two_games import SAVES_OWN, Game

pytestmark = [pytest.mark.godot, pytest.mark.usefixtures("transport")]
WALRUS = "identity: Rosa Lind sells fish on the quay; Rosa's boat is called the Walrus\n"
OTTO = "name: Otto Lind\nage: 50\nidentity: Otto Lind mends nets\nhome: quay:market\n"


@pytest.fixture
def game(godot: str, tmp_path: Path) -> Game:
    return Game(godot, tmp_path / "harbor", "Harbor Tale")


def put(game: Game, file: str, text: str) -> Path:
    """A file of a mod, as a player puts it into the folder of mods."""
    path = game.home / "data" / "godot" / "app_userdata" / "Harbor Tale" / "npc_mods" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_new_game_is_played_with_the_mods_of_the_player(game: Game) -> None:
    put(game, "rain/personas/rosa.yaml", WALRUS)
    put(game, "rain/personas/otto.yaml", OTTO)
    put(game, "wrong/personas/rosa.yaml", "age: old\n")
    played = game.play("until=applied", "say=What is your boat called?")
    assert sorted(played["people"]) == ["otto", "rosa"]
    assert "Walrus" in played["answer"]
    assert "Petrel" not in played["memories"]
    (told,) = played["changes"]
    wrong = "mods/wrong/personas/rosa.yaml:1: 'age' is 'old' where a whole number belongs."
    assert told[0].startswith(wrong)
    assert played["failed"] == []
    (warning,) = played["warnings"]
    assert warning.startswith(wrong)
    assert "Play goes on as in the save until this file of a mod is fixed." in warning


def test_a_mod_counts_in_an_old_game_once_it_is_applied(game: Game) -> None:
    assert "Petrel" in game.play("say=What is your boat called?")["answer"]
    put(game, "rain/personas/rosa.yaml", WALRUS)
    told = game.play(SAVES_OWN, "apply=yes", "say=What is your boat called?")
    assert told["changes"] == [["personas/rosa.yaml: identity changed."]]
    assert told["applied"] == told["changes"]
    assert "Walrus" in told["answer"]


def test_a_mod_that_is_edited_while_the_game_runs_is_told(game: Game) -> None:
    file = put(game, "rain/personas/rosa.yaml", "age: 52\n")
    told = game.play(SAVES_OWN, f"edit={file}", "apply=yes")
    assert told["changes"][0][0].startswith("personas/rosa.yaml: age changed.")
    assert told["applied"] == [["personas/rosa.yaml: age changed."]]
