"""Town files that are written from the places and objects of a scene."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import npc_server
from npc_server.errors import BadInput
from npc_server.records import Document
from npc_server.session.game_index import index
from npc_server.world.town import load_town
from npc_server.world.town_of_nodes import WrittenTown, read_nodes, town_of_nodes
from tests.world.towns import HAMLET

TOWNS = Path(npc_server.__file__).parent / "data" / "towns"
COOK = {"states": ["off", "on"], "actions": {"cook": {"needs": "off", "during": "on"}}}
CAFE = {
    "places": [
        {"address": "bay:cafe", "rect": [1, 1, 8, 6], "name": "the café", "hours": "08:00-17:00", "owners": ["ann"]},
        {"address": "bay:cafe:kitchen", "rect": [2, 2, 3, 4], "name": "kitchen", "capacity": 2},
        {"address": "bay:cafe:shop", "rect": [6, 2, 2, 4], "name": "shop"},
        {"address": "bay:pier", "rect": [12, 1, 4, 4], "open": True},
    ],
    "objects": [
        {"address": "bay:cafe:kitchen:stove", "at": [2.5, 2.5], "name": "stove", **COOK},
        {"address": "bay:cafe:shop:stove_2", "at": [6.5, 2.5], "name": "stove", **COOK},
        {"address": "bay:cafe:shop:shelf", "at": [7.5, 2.5], "name": "shelf"},
    ],
}


def write(nodes: dict[str, Any], text: str = "") -> WrittenTown:
    return town_of_nodes(read_nodes(json.dumps(nodes)), Document("town.yaml", text) if text else None)


def nodes_of(folder: Path, text: str) -> dict[str, Any]:
    """The nodes that the addon makes of a town file: what stands in the index, with positions in the middle of cells."""
    file = folder / "town.yaml"
    file.write_text(text, encoding="utf-8")
    rows = index(file, None)["town"]["nodes"]
    places = [row for row in rows if row["kind"] != "object"]
    things = [{**row, "at": [row["at"][0] + 0.5, row["at"][1] + 0.5]} for row in rows if row["kind"] == "object"]
    return {"places": places, "objects": things}


def test_a_scene_becomes_a_town_without_mistakes_and_with_doors() -> None:
    written = write(CAFE)
    town = load_town(Document("town.yaml", written.text))
    assert town.id == "bay"
    cafe, pier = town.places
    assert (cafe.name, cafe.hours, cafe.owners) == ("the café", (8 * 3600, 17 * 3600), ("ann",))
    assert len(cafe.doors) == 2
    assert pier.open
    assert [room.address for room in pier.rooms] == ["bay:pier:inside"]
    stove, second, _ = town.things()
    assert stove.kind == second.kind == "stove"
    assert stove.actions == second.actions
    assert (stove.actions[0].name, stove.actions[0].during) == ("cook", "on")
    assert any("gets a door" in note for note in written.notes)


@pytest.mark.parametrize("town", ["millbrook", "alderwick", "household"])
def test_nodes_of_a_town_file_change_no_byte_of_it(tmp_path: Path, town: str) -> None:
    text = (TOWNS / town / "town.yaml").read_text(encoding="utf-8")
    written = write(nodes_of(tmp_path, text), text)
    assert written.text == text
    assert not written.notes


@pytest.mark.parametrize("town", ["millbrook", "alderwick"])
def test_nodes_of_a_new_town_file_are_those_it_was_written_from(tmp_path: Path, town: str) -> None:
    first = nodes_of(tmp_path, (TOWNS / town / "town.yaml").read_text(encoding="utf-8"))
    written = write(first)
    assert load_town(Document("town.yaml", written.text))
    second = nodes_of(tmp_path, written.text)
    for kind in ("places", "objects"):
        assert [_bare(row) for row in second[kind]] == [_bare(row) for row in first[kind]]


def _bare(row: dict[str, Any]) -> dict[str, Any]:
    return {key: it for key, it in row.items() if key not in ("line", "stand")}


def test_a_file_keeps_its_comments_and_what_no_node_stands_for(tmp_path: Path) -> None:
    text = "# Our hamlet.\n" + HAMLET + "knowledge:\n  - The well is deep.  # and cold\n"
    nodes = nodes_of(tmp_path, text)
    next(row for row in nodes["places"] if row["address"] == "hamlet:hut")["hours"] = "09:00-12:00"
    written = write(nodes, text)
    assert written.text.startswith("# Our hamlet.\n")
    assert "# and cold" in written.text
    before, after = load_town(Document("town.yaml", text)), load_town(Document("town.yaml", written.text))
    assert after.places[0].hours == (9 * 3600, 12 * 3600)
    assert after.knowledge == before.knowledge
    assert after.places[0].doors == before.places[0].doors


def test_what_no_file_can_hold_is_told() -> None:
    nodes = {
        "places": [
            {"address": "bay:cafe", "rect": [0.4, 0, 6, 6]},
            {"address": "bay:cafe:Back Room", "rect": [1, 1, 2, 2]},
            {"address": "by:shop", "rect": [9, 9, 2, 2]},
        ],
        "objects": [
            {"address": "bay:cafe:stool", "at": [1.5, 1.5]},
            {"address": "bay:hill:top:tree", "at": [20.5, 1.5]},
            {"address": "bay:hill:top:stone", "at": [20.5, 1.5]},
        ],
    }
    written = write(nodes)
    told = "\n".join(written.notes)
    assert "'bay:cafe' does not end at whole cells. The file says [0, 0, 6, 6]." in told
    assert "'bay:cafe:Back Room' is left out, because of 'Back Room'." in told
    assert "'by:shop' is not in the town 'bay'" in told
    assert "'bay:cafe:stool' is left out. An object has an address town:place:room:object." in told
    assert "'bay:hill:top:stone' moves from cell [20, 1] to" in told
    assert load_town(Document("town.yaml", written.text))


def test_a_scene_without_addresses_and_nodes_that_are_none_are_told() -> None:
    with pytest.raises(BadInput, match="no place or object with an address"):
        write({})
    with pytest.raises(BadInput, match="cannot be read"):
        read_nodes("[]")
