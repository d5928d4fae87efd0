"""The routines of a game's people, as Godot reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import npc_server
from npc_server import clock
from npc_server.cli.persona import app
from npc_server.documents import read_document
from npc_server.errors import FileProblem
from npc_server.instinct.routine_file import MONDAY, routine_file
from npc_server.personas import routine
from npc_server.personas.schema import Persona, load_persona
from npc_server.records import Document
from npc_server.world.town import load_town

FOLDER = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"
TOWN = load_town(read_document(FOLDER / "town.yaml"))
OWL = """
name: Olga Uhl
age: 40
identity: Olga watches the stars.
home: mara_house:bedroom:bed
wake: "14:00"
sleep: "05:00"
routine:
  - {at: "15:00", do: cook porridge, where: "mara_house:kitchen:stove", for: 30}
  - {at: "22:00", do: count the stars, where: "green:lawn", days: [sat]}
  - {at: "01:00", do: write, where: "mara_house:kitchen:table"}
voice:
  greetings: [Evening., {say: Mind the stove., where: mara_house:kitchen, from: "22:00", to: "02:00"}]
"""


def person(text: str = OWL) -> Persona:
    return load_persona(Document("olga.yaml", text), TOWN.id)


def written(*people: Persona) -> Any:
    return json.loads(routine_file(people, TOWN))


@pytest.mark.parametrize("weekday", range(7))
def test_the_rows_of_each_day_leave_no_gap_and_say_what_the_routine_says(weekday: int) -> None:
    olga = person()
    own = written(olga)["people"]["olga"]
    rows = sorted((row for row in own["rows"] if weekday in row["days"]), key=lambda row: int(row["from"]))
    assert [row["from"] for row in rows] == [olga.wake, *(row["to"] for row in rows[:-1])]
    assert rows[-1]["to"] == olga.wake + clock.DAY
    day = MONDAY + weekday * clock.DAY
    assert [row["from"] for row in rows[:-1]] == [stretch.start - day for stretch in routine.routine(olga, day)]
    assert rows[-1]["steps"][0]["sentence"] == "Olga is sleeping"
    assert any("stars" in row["steps"][0]["sentence"] for row in rows) == (weekday == 5)


def test_a_row_that_comes_on_several_days_stands_once() -> None:
    rows = written(person())["people"]["olga"]["rows"]
    assert [row["days"] for row in rows if "porridge" in row["steps"][0]["sentence"]] == [[0, 1, 2, 3, 4, 5, 6]]


def test_a_step_uses_the_object_as_its_words_say() -> None:
    (cooking,) = [row for row in written(person())["people"]["olga"]["rows"] if "porridge" in row["steps"][0]["sentence"]]
    (step,) = cooking["steps"]
    stove = next(node for node in TOWN.nodes() if node.address == step["address"])
    action = next(action for action in stove.actions if action.name == step["object_action"])
    assert "cook" in action.name
    assert (step["object_state"], step["object_state_after"]) == (action.during, action.after or stove.resting_state())
    assert (step["sentence"], step["minutes"]) == ("Olga is cooking porridge", 30)


def test_a_greeting_keeps_its_place_and_hours() -> None:
    assert written(person())["people"]["olga"]["greetings"] == [
        {"say": "Evening.", "where": "", "from": 0, "to": clock.DAY},
        {"say": "Mind the stove.", "where": "millbrook:mara_house:kitchen", "from": 22 * clock.HOUR, "to": 2 * clock.HOUR},
    ]


def test_the_command_writes_the_file_of_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "npc" / "routines.json"
    words = ["routines", str(FOLDER / "personas"), "--town", str(FOLDER / "town.yaml"), "--out", str(out)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    found = json.loads(out.read_text(encoding="utf-8"))
    assert (found["format"], found["town"], found["start_s"]) == (1, "millbrook", TOWN.start)
    assert set(found["people"]) == {"ines_calder", "mara_voss", "tobin_hale"}


def test_the_command_leaves_an_old_file_alone_when_a_persona_is_wrong(tmp_path: Path) -> None:
    wrong, out = tmp_path / "wrong.yaml", tmp_path / "routines.json"
    wrong.write_text("name: A\nage: x\n", encoding="utf-8")
    out.write_text("old", encoding="utf-8")
    result = CliRunner().invoke(app, ["routines", str(wrong), "--town", str(FOLDER / "town.yaml"), "--out", str(out)])
    assert isinstance(result.exception, FileProblem)
    assert out.read_text(encoding="utf-8") == "old"
