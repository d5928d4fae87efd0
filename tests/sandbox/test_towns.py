from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from npc_server.errors import FileProblem, UnknownName
from npc_server.sandbox.populate import bed_of
from npc_server.sandbox.towns import cast_with, find_cast, shipped

MILLBROOK = Path("npc_server/data/towns/millbrook")


def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MILLBROOK, tmp_path / "mine"))


def test_town_is_found_by_name_by_file_and_by_folder(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    by_name = find_cast("millbrook")
    assert "millbrook" in shipped()
    assert find_cast(str(folder)).town == find_cast(str(folder / "town.yaml")).town == by_name.town


def test_people_are_those_beside_the_town_file_or_those_asked_for(tmp_path: Path) -> None:
    assert [persona.id for persona in find_cast("millbrook").people] == ["ines_calder", "mara_voss", "tobin_hale"]
    cast = find_cast("millbrook", ["tobin_hale"])
    assert [persona.id for persona in cast.people] == ["tobin_hale"]
    assert len(cast.persona_files) == 1


def test_town_without_people_says_where_they_go(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    shutil.rmtree(folder / "personas")
    with pytest.raises(UnknownName, match="Nobody lives in Millbrook"):
        find_cast(str(folder))


def test_broken_persona_file_is_named(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    (folder / "personas" / "zoe.yaml").write_text("name: [Zoe\n")
    with pytest.raises(FileProblem, match=r"zoe\.yaml"):
        find_cast(str(folder))


def test_everybody_begins_at_their_own_bed() -> None:
    cast = find_cast("millbrook")
    assert [bed_of(cast.town, persona) for persona in cast.people] == [
        "millbrook:ines_house:bedroom:bed",
        "millbrook:mara_house:bedroom:bed",
        "millbrook:tobin_house:bedroom:bed",
    ]


def test_a_person_whose_home_is_in_another_town_sleeps_in_a_bed_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "ada.yaml"
    path.write_text("name: Ada Finch\nage: 40\nidentity: Ada mends clocks.\nhome: ada_house:bedroom:bed\n", encoding="utf-8")
    cast, npc = cast_with("millbrook", str(path))
    ada = next(person for person in cast.people if person.id == npc)
    assert bed_of(cast.town, ada) == ada.home
    assert ada.home in {node.address for node in cast.town.nodes()}
    assert cast.persona_files[-1].name == str(path)
    bed = ada.home.removeprefix("millbrook:")
    assert cast.told == (
        f"Millbrook has no 'ada_house:bedroom:bed', which Ada's file names for the home. Here Ada sleeps at {bed!r}."
    )  # fmt: skip
    path.write_text(path.read_text(encoding="utf-8").replace("ada_house", "ines_house"), encoding="utf-8")
    assert cast_with("millbrook", str(path))[0].told == ""


def test_somebody_of_another_town_is_named_with_the_town() -> None:
    with pytest.raises(UnknownName, match="--town alderwick"):
        cast_with("millbrook", "Agnes Rook")
    with pytest.raises(UnknownName, match="Choose among ines_calder"):
        cast_with("millbrook", "agnes_x")
