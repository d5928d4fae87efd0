"""Warnings about the files of a game that have no mistakes."""

from __future__ import annotations

import pytest

from npc_server.personas.schema import load_persona
from npc_server.records import Document
from npc_server.session.read_files import warnings_of
from npc_server.world.town import load_town
from tests.session.conftest import personas, town

ODO = "name: Odo Lind\nage: 50\nidentity: Odo Lind fishes\nhome: {}\n"


@pytest.mark.parametrize(("home", "is_shut_out"), [("mara_house:bedroom", True), ("mara_house:bedroom:bed", True), ("green:lawn", False)])
def test_somebody_whose_home_belongs_to_others_is_warned_of(home: str, is_shut_out: bool) -> None:
    place = load_town(town())
    odo = load_persona(Document("personas/odo_lind.yaml", ODO.format(home)), place.id)
    told = warnings_of(place, [odo], place.nodes())
    assert any(it.startswith("personas/odo_lind.yaml:4: Odo Lind cannot enter this home: ") for it in told) == is_shut_out
    assert any("is for mara_voss only. Choose another home, or add odo_lind to its 'owners'" in it for it in told) == is_shut_out


def test_nobody_of_millbrook_is_shut_out_of_their_home() -> None:
    place = load_town(town())
    people = [load_persona(document, place.id) for document in personas()]
    assert not [it for it in warnings_of(place, people, place.nodes()) if "cannot enter" in it]
