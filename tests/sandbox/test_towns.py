from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from npc_server.errors import FileProblem, UnknownName
from npc_server.sandbox.populate import bed_of
from npc_server.sandbox.towns import find_cast, shipped

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
