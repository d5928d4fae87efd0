"""A persona file as the form of Godot's dock shows and writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import npc_server
from npc_server.documents import read_document
from npc_server.errors import BadInput
from npc_server.records import Document
from npc_server.session.person_form import FilledForm, filled, problems_of, values_of
from npc_server.world.town import load_town

MILLBROOK = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"
TOWN = load_town(read_document(MILLBROOK / "town.yaml"))
MARA = read_document(MILLBROOK / "personas" / "mara_voss.yaml")
TEXT = "name: Bea Lark\nage: old\nidentity: Bea Lark sings\nhome: mara_house:bedroom\n"


def wrong(values: dict[str, Any], text: str = TEXT) -> list[tuple[str, int, str]]:
    document = Document("bea.yaml", text)
    new, order = filled(document, FilledForm(values=values))
    found = problems_of(Document("bea.yaml", new), order, TOWN, MILLBROOK / "personas")
    return [(it["key"], it["row"], it["what"]) for it in found if not it["is_warning"]]


def test_the_form_shows_what_stands_in_the_file() -> None:
    told = values_of(MARA)
    assert (told["name"], told["age"], told["home"]) == ("Mara Voss", 34, "mara_house:bedroom:bed")
    assert told["routine"][9] == {
        "_row": 9,
        "at": "15:45",
        "do": "weed the flower bed on the green, as she does on Sundays",
        "where": "green:lawn:flower_bed",
        "more": "sun; 4 steps",
    }
    assert values_of(Document("bea.yaml", TEXT))["age"] is None


def test_what_the_form_does_not_change_stays_as_it_is() -> None:
    told = values_of(MARA)
    values = {key: told[key] for key in ("name", "age", "traits", "identity", "currently", "home", "work", "routine", "offers")}
    for item in values["routine"]:
        del item["more"]
    assert filled(MARA, FilledForm(values={**values, "voice": {"style": told["style"]}}))[0] == MARA.text


def test_a_routine_is_written_in_order_of_time_from_waking_on() -> None:
    rows = [{"at": at, "do": "rest", "where": "cafe"} for at in ("00:30", "x", "08:00", "07:00")]
    text, order = filled(Document("bea.yaml", TEXT), FilledForm(values={"wake": "07:00", "sleep": "02:00", "routine": rows}))
    assert [it["at"] for it in values_of(Document("bea.yaml", text))["routine"]] == ["07:00", "08:00", "00:30", "x"]
    assert order == [3, 2, 0, 1]


def test_mistakes_name_the_row_of_the_form_and_come_all_at_once() -> None:
    rows = [
        {"at": "09:00", "do": "bake", "where": "millbrook:cafe:kitchen:ofen"},
        {"at": "08:00", "do": "eat", "where": "cafe"},
        {"at": "9", "do": "rest", "where": "cafe"},
    ]
    offers = [{"name": "sell", "description": "sell bread", "parameters": [{"name": "item", "type": "choice", "options": []}]}]
    assert wrong({"home": "mara_hous", "routine": rows, "offers": offers}) == [
        ("age", -1, "'age' is 'old' where a whole number belongs."),
        ("routine", 2, "'9' is not a time of day."),
        ("offers", 0, "Parameter 'item' has no options."),
        ("home", -1, "There is no place or object 'mara_hous'."),
        ("routine", 0, "There is no place or object 'cafe:kitchen:ofen'."),
    ]


def test_a_file_that_the_form_could_not_give_back_is_refused() -> None:
    with pytest.raises(BadInput, match=r"The form cannot show 'routine' of bea\.yaml"):
        values_of(Document("bea.yaml", TEXT + "routine: [eat]\n"))
