"""Editing and deleting in the dock "Minds", in a real editor and with the mouse."""

from __future__ import annotations

from typing import Any

import pytest

from npc_server.documents import load_yaml
from npc_server.records import Document
from tests.godot.test_minds_dock import NO_MODEL, drive, make_project

pytestmark = [pytest.mark.godot, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def seen(godot: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("edits")
    found = drive(godot, make_project(folder, "edits.gd"), "edits", **NO_MODEL)
    found["trash"] = sorted(path.name for path in (folder / "data" / "Trash" / "files").glob("*"))
    return found


def values(text: str) -> Any:
    return load_yaml(Document("f.yaml", text)).value


def test_the_form_shows_a_person_of_the_project(seen: dict[str, Any]) -> None:
    assert seen["form of mara"] == ["Edit Mara Voss", 34, False]
    assert seen["day of mara"] == [17, "15:45", "sun; 4 steps"]


def test_mistakes_of_a_day_stand_at_their_rows(seen: dict[str, Any]) -> None:
    time, place, problem = seen["mistakes of the day"]
    assert time == ["'25:00' is not a time of day. Write hours and minutes, e.g. '06:30'."]
    assert place == ["There is no place or object 'cafe:kitchen:ofen'. Did you mean 'cafe:kitchen:oven'?"]
    assert (problem, seen["ok with mistakes"]) == ("2 mistakes on the page Routine.", True)


def test_a_day_is_edited_and_all_else_in_the_file_stays(seen: dict[str, Any]) -> None:
    before, after, problems = seen["day saved"]
    old, new = before.splitlines(), after.splitlines()
    come = [row for row in new if row not in old]
    assert come == ['  - at: "08:05"', '  - at: "20:30"', "    do: count the spoons"]
    assert {row for row in old if row.lstrip().startswith("#")} <= set(new)
    gone = values(before)["routine"][15]
    assert gone not in values(after)["routine"]
    assert values(after)["routine"][3] == {**values(before)["routine"][3], "at": "08:05"}
    assert problems == []
    assert seen["day undone"]


def test_tab_leads_from_field_to_field(seen: dict[str, Any]) -> None:
    assert seen["focus of the new entry"]
    assert seen["tab order"] == ["count the spoons", "mara_house:kitchen:table"]
    assert seen["tab leaves the lines"]


def test_an_offer_is_added_with_its_values(seen: dict[str, Any]) -> None:
    (mistake,) = seen["mistakes of the offer"]
    assert mistake.startswith("Id 'Sell Bread' is not lower-case letters")
    text, problems = seen["offers saved"]
    assert values(text)["offers"] == [
        {
            "name": "sell_bread",
            "description": "sell bread; a loaf costs 3 crowns",
            "parameters": [
                {"name": "item", "type": "choice", "options": ["rye loaf", "honey cake"]},
                {"name": "count", "type": "integer", "low": 1, "high": 6},
            ],
            "words": ["bread", "for sale"],
            "says": ["There you are, love."],
        }
    ]
    assert problems == []


def test_a_new_person_has_a_day_at_once(seen: dict[str, Any]) -> None:
    text, _ = seen["shopkeeper"]
    assert text.startswith('name: "Nora Pike"\n')
    assert values(text)["routine"] == [{"at": "08:00", "do": "sell buttons", "where": "lane:square"}]


def test_a_deleted_person_is_in_the_trash_and_undo_brings_it_back(seen: dict[str, Any]) -> None:
    for reference in ("the relations of Mara Voss", "owner of 'tobin_house'"):
        assert reference in seen["question"]
    assert seen["kept"]
    is_there, said = seen["deleted"]
    assert (is_there, said) == (False, "tobin_hale.yaml is in the trash. Undo brings it back.")
    assert seen["trash"] == ["tobin_hale.yaml"]
    assert seen["back"]


def test_a_deleted_place_takes_its_nodes_and_undo_brings_both_back(seen: dict[str, Any]) -> None:
    assert seen["delete without a choice"]
    question, nodes = seen["place question"]
    assert question.startswith("Delete the Kettle Café ('cafe') from res://people/town.yaml?")
    assert "Mara Voss: work" in question
    assert nodes == "Delete its node in the open scene, too"
    assert seen["place deleted"] == [True, True]
    assert seen["place back"] == [True, True, 0]
