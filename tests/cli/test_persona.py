"""`npc-server persona`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import npc_server
from npc_server.cli.persona import app
from npc_server.errors import BadInput, FileProblem
from npc_server.personas.schema import json_schema

TOWN = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"
GOOD = "name: Ada\nage: 1\nidentity: a\nhome: mara_house:bedroom\n"


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_check_finds_the_people_of_a_folder_good_in_their_town() -> None:
    result = CliRunner().invoke(app, ["check", str(TOWN / "personas"), "--town", str(TOWN / "town.yaml")])
    assert result.exit_code == 0, result.output
    assert result.output == "Ines Calder, Mara Voss, Tobin Hale: good.\n"


def test_check_tells_every_mistake_of_every_file_and_ends_with_1(tmp_path: Path) -> None:
    wrong = write(tmp_path, "wrong.yaml", "name: A\nage: x\nidentity: a\nhome: b\n")
    lost = write(tmp_path, "lost.yaml", GOOD.replace("bedroom", "bedrom") + "hair: red\n")
    result = CliRunner().invoke(app, ["check", wrong, lost, "--town", str(TOWN / "town.yaml")])
    assert result.exit_code == 1
    assert f"{wrong}:2: 'age' is 'x' where a whole number belongs." in result.output
    assert f"{lost}:4: There is no place or object 'mara_house:bedrom'. Did you mean 'mara_house:bedroom'?" in result.output
    assert f"warning: {lost}:5: Key 'hair' is not known." in result.output
    assert f"{wrong}:4: There is no place or object 'b'." in result.output
    assert "3 mistakes." in result.output


def test_two_people_of_one_name_are_a_warning(tmp_path: Path) -> None:
    first, second = write(tmp_path, "ada.yaml", GOOD), write(tmp_path, "lovelace.yaml", GOOD)
    result = CliRunner().invoke(app, ["check", first, second])
    assert result.exit_code == 0
    assert f"warning: {second}:1: 2 people are named 'Ada': ada, lovelace." in result.output


def test_warnings_are_no_mistakes(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", write(tmp_path, "ada.yaml", GOOD + "hair: red\nrelations: [{who: bob, is: friend}]\n")])
    assert result.exit_code == 0
    assert "There is nobody with id 'bob'." in result.output


def test_schema_prints_the_json_schema() -> None:
    assert CliRunner().invoke(app, ["schema"]).output == json_schema()


def test_show_prints_a_day_in_pieces() -> None:
    result = CliRunner().invoke(app, ["show", str(TOWN / "personas" / "mara_voss.yaml"), "--town", str(TOWN / "town.yaml"), "--day", "sun"])
    assert result.exit_code == 0, result.output
    assert "  15:45  weed the flower bed on the green, as she does on Sundays\n" in result.output
    assert "    06:05  shower  [millbrook:mara_house:bathroom:shower]\n" in result.output


def test_show_of_an_unknown_day_and_of_a_broken_file_is_told(tmp_path: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["show", write(tmp_path, "ada.yaml", GOOD), "--day", "someday"]).exit_code == 2
    with pytest.raises(FileProblem, match=r"b\.yaml: The file is empty"):
        runner.invoke(app, ["show", write(tmp_path, "b.yaml", "")], catch_exceptions=False)


def test_check_cannot_be_made_to_steer_the_terminal(tmp_path: Path) -> None:
    named = write(tmp_path, "n.yaml", GOOD.replace("name: Ada", 'name: "Ada\\e]0;owned\\a\\u202e"'))
    keyed = write(tmp_path, "k\u202e.yaml", GOOD + '"\\e[31mhair": red\n? \u202ehair\n: red\n')
    result = CliRunner().invoke(app, ["check", named, keyed])
    assert result.exit_code == 1
    assert f"{named}:1: A text holds U+001B, which steers terminals or the direction of reading. Delete it." in result.output
    assert "k\\u202e.yaml:5: A text holds U+001B" in result.output
    assert not any(steering in result.output for steering in "\x1b\x07\u202e")


@pytest.fixture
def mods(tmp_path: Path) -> Path:
    folder = tmp_path / "mods"
    (folder / "rain" / "personas").mkdir(parents=True)
    write(folder / "rain" / "personas", "mara_voss.yaml", "age: 60\nadd:\n  secrets: [Mara fears the river.]\n")
    return folder


def test_check_tells_what_mods_change(mods: Path) -> None:
    game = ["check", str(TOWN / "personas"), "--town", str(TOWN / "town.yaml"), "--mods", str(mods)]
    result = CliRunner().invoke(app, game)
    assert result.exit_code == 0, result.output
    assert "mara_voss.yaml: age and secrets changed. (mods/rain/personas/mara_voss.yaml)\n" in result.output
    write(mods / "rain" / "personas", "mara_voss.yaml", "age: 60\nhome: mara_hause:bedroom\n")
    result = CliRunner().invoke(app, game)
    assert result.exit_code == 1
    assert "mods/rain/personas/mara_voss.yaml:2: There is no place or object 'mara_hause:bedroom'." in result.output


def test_show_shows_a_person_as_mods_change_it(mods: Path) -> None:
    write(mods / "rain" / "personas", "odo.yaml", "age: 3\n")
    result = CliRunner().invoke(app, ["show", str(TOWN / "personas" / "mara_voss.yaml"), "--mods", str(mods)])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("Changed by mods/rain/personas/mara_voss.yaml\n\nMara Voss (mara_voss), 60: ")
    assert "  - Mara fears the river. (a secret)" in result.output
    assert "Greetings: Morning, love. " in result.output


def test_check_tells_that_a_file_is_of_a_mod(mods: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(mods / "rain" / "personas")])
    assert result.exit_code == 1
    assert "This is a file of a mod. Check it with the game's files: npc-server persona check PERSONAS --mods FOLDER." in result.output


def test_what_is_no_folder_of_mods_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["show", str(TOWN / "personas" / "mara_voss.yaml"), "--mods", str(tmp_path / "no")])
    assert isinstance(result.exception, BadInput)
    assert str(result.exception).startswith(f"{str(tmp_path / 'no')!r} is no folder. Name the folder of mods, which has files such as")


def test_a_folder_without_persona_files_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert isinstance(result.exception, BadInput)
    assert str(result.exception).startswith(f"There is no persona file in {tmp_path}.")
