"""A town file without one of its places."""

from __future__ import annotations

from pathlib import Path

import pytest

import npc_server
from npc_server.documents import read_document
from npc_server.errors import BadInput
from npc_server.session.checked_files import read_personas
from npc_server.session.town_without import named_in, without
from npc_server.world.town import load_town
from tests.world.towns import HAMLET, document

MILLBROOK = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"
TOWN = read_document(MILLBROOK / "town.yaml")


@pytest.mark.parametrize("address", ["cafe:kitchen:oven", "millbrook:cafe:kitchen:oven", "shop", "green:lawn"])
def test_what_an_address_names_goes_with_all_in_it_and_the_rest_stays_as_it_is(address: str) -> None:
    text, problems = without(TOWN, address)
    gone = f"millbrook:{address.removeprefix('millbrook:')}"
    before = [node.address for node in load_town(TOWN).nodes()]
    after = [node.address for node in load_town(document(text)).nodes()]
    assert after == [it for it in before if it != gone and not it.startswith(f"{gone}:")]
    assert problems == []
    rows = iter(TOWN.text.splitlines())
    assert all(row in rows for row in text.splitlines())


def test_whoever_names_the_place_is_told() -> None:
    people, _ = read_personas([MILLBROOK / "personas"])
    told = named_in(people, TOWN, "shop")
    assert "Ines Calder: work" in told
    assert any(it.startswith("Tobin Hale: routine (") for it in told)
    assert not named_in(people, TOWN, "nowhere")
    story = "stories: [{id: swim, kind: party, starter: ann, whisper: Swim., about: [swim], where: 'yard:grass'}]\n"
    assert named_in([], document(HAMLET + story), "hamlet:yard") == ["the story 'swim' of the town"]


def test_mistakes_that_would_follow_are_told() -> None:
    (problem,) = without(document(), "hut:room")[1]
    assert "at least 1 belong there" in problem["what"]


@pytest.mark.parametrize("address", ["hut:attic", "hut:room:bed:pillow", "hamlet", ""])
def test_an_address_that_is_not_there_is_refused(address: str) -> None:
    with pytest.raises(BadInput, match="has no"):
        without(document(), address)
