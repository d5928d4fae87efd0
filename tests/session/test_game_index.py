"""What tools read of a game's files."""

from __future__ import annotations

from pathlib import Path

import npc_server
from npc_server.session.game_index import index
from tests.world.towns import HAMLET

TOWN = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"
GOOD = "name: Ada Finch\nage: 40\ntraits: [shy]\nidentity: Ada Finch mends clocks.\nhome: hut:room:bed\n"


def test_index_lists_people_and_the_town_with_lines() -> None:
    found = index(TOWN / "town.yaml", TOWN / "personas")
    assert [person["id"] for person in found["people"]] == ["ines_calder", "mara_voss", "tobin_hale"]
    assert found["people"][1]["home"] == "millbrook:mara_house:bedroom:bed"
    assert not found["problems"]
    lines = (TOWN / "town.yaml").read_text(encoding="utf-8").splitlines()
    for node in found["town"]["nodes"][1:]:
        assert node["address"].split(":")[-1] in lines[node["line"] - 1], node


def test_people_stand_beside_an_object_and_not_in_it() -> None:
    found = index(TOWN / "town.yaml", None)
    for node in found["town"]["nodes"]:
        if node["kind"] == "object":
            assert abs(node["at"][0] - node["stand"][0]) + abs(node["at"][1] - node["stand"][1]) == 1, node


def test_ground_of_a_town_is_open_as_are_its_squares_and_no_house_is() -> None:
    found = index(TOWN / "town.yaml", None)
    is_open = {node["address"]: node["open"] for node in found["town"]["nodes"] if node["kind"] != "object"}
    assert (is_open["millbrook"], is_open["millbrook:cafe"]) == (True, False)


def test_broken_files_are_listed_with_their_mistakes(tmp_path: Path) -> None:
    people = tmp_path / "personas"
    people.mkdir()
    (people / "ada.yaml").write_text(GOOD.replace("age: 40", "age: old") + "hair: red\n", encoding="utf-8")
    (people / "bea.yaml").write_text(GOOD.replace("Ada", "Bea").replace("bed", "bet"), encoding="utf-8")
    (people / "cyd.yaml").write_text(GOOD.replace("Ada", "Cyd") + "hair: red\n", encoding="utf-8")
    (tmp_path / "town.yaml").write_text(HAMLET, encoding="utf-8")
    found = index(tmp_path / "town.yaml", people)
    assert {(person["id"], person["name"]) for person in found["people"]} == {
        ("ada", "Ada Finch"),
        ("bea", "Bea Finch"),
        ("cyd", "Cyd Finch"),
    }
    told = [(Path(it["file"]).name, it["line"], it["is_warning"]) for it in found["problems"]]
    assert ("ada.yaml", 2, False) in told
    assert ("bea.yaml", 5, False) in told
    assert ("cyd.yaml", 6, True) in told
    assert all(it["fix"] for it in found["problems"])


def test_somebody_whose_file_is_broken_is_not_absent(tmp_path: Path) -> None:
    (tmp_path / "ada.yaml").write_text(GOOD.replace("age: 40", "age: old"), encoding="utf-8")
    (tmp_path / "bea.yaml").write_text(GOOD.replace("Ada", "Bea") + "relations: [{who: ada, is: sister}]\n", encoding="utf-8")
    assert [Path(it["file"]).name for it in index(None, tmp_path)["problems"]] == ["ada.yaml"]


def test_a_broken_town_leaves_the_people(tmp_path: Path) -> None:
    (tmp_path / "ada.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "town.yml").write_text(HAMLET.replace("doors: [[3, 5]]", "doors: [[9, 8]]"), encoding="utf-8")
    folder = tmp_path / "personas"
    folder.mkdir()
    (tmp_path / "ada.yaml").rename(folder / "ada.yaml")
    found = index(tmp_path / "town.yml", folder)
    assert found["town"] is None
    assert [person["id"] for person in found["people"]] == ["ada"]
    assert [Path(it["file"]).name for it in found["problems"]] == ["town.yml"]


def test_index_says_who_is_named_where() -> None:
    found = index(TOWN / "town.yaml", TOWN / "personas")
    lines = (TOWN / "town.yaml").read_text(encoding="utf-8").splitlines()
    owners = [it for it in found["town"]["people"] if it["id"] == "tobin_hale"]
    assert "owner of 'tobin_house'" in [it["what"] for it in owners]
    assert all("tobin_hale" in lines[it["line"] - 1] for it in owners)
    (ines,) = [it for it in found["people"] if it["id"] == "ines_calder"]
    assert "mara_voss" in ines["relations"]
