from __future__ import annotations

from dataclasses import replace

import pytest

from npc_server.clock import HOUR
from npc_server.errors import BadInput, UnknownName
from npc_server.world.town import load_town
from npc_server.world.tree import Node, NodeKind, World, lineage, parent, with_article
from tests.world.towns import document


@pytest.fixture
def world() -> World:
    return World(load_town(document()).nodes())


def test_parent_and_lineage_follow_the_address() -> None:
    assert parent("a:b:c") == "a:b"
    assert parent("a") == ""
    assert lineage("a:b:c") == ["a", "a:b", "a:b:c"]


def test_children_and_all_below_keep_the_files_order(world: World) -> None:
    assert [node.address for node in world.children("hamlet")] == ["hamlet:hut", "hamlet:yard"]
    assert [node.address for node in world.below("hamlet:hut")] == ["hamlet:hut:room", "hamlet:hut:room:bed"]


def test_object_is_described_with_the_places_it_is_in(world: World) -> None:
    assert world.describe("hamlet:hut:room:bed") == "the bed in the room of the hut"


def test_opening_hours_hold_from_opening_until_closing(world: World) -> None:
    yard = world.node("hamlet:yard")
    assert not yard.open_at(8 * HOUR - 1)
    assert yard.open_at(8 * HOUR)
    assert not yard.open_at(17 * HOUR)
    assert world.node("hamlet:hut").open_at(0)


def test_opening_hours_may_go_past_midnight() -> None:
    inn = Node("a:inn", NodeKind.SECTOR, "inn", hours=(20 * HOUR, 2 * HOUR))
    assert inn.open_at(23 * HOUR)
    assert inn.open_at(1 * HOUR)
    assert not inn.open_at(2 * HOUR)
    assert not inn.open_at(12 * HOUR)


def test_state_changes_only_to_one_the_object_has(world: World) -> None:
    world.set_state("hamlet:hut:room:bed", "slept in")
    assert world.node("hamlet:hut:room:bed").state == "slept in"
    with pytest.raises(BadInput, match="no state 'purple'"):
        world.set_state("hamlet:hut:room:bed", "purple")


def test_unknown_address_is_named_in_the_error(world: World) -> None:
    with pytest.raises(UnknownName, match="hamlet:inn"):
        world.node("hamlet:inn")


def test_merge_with_a_missing_parent_changes_nothing(world: World) -> None:
    before = [node.address for node in world]
    fresh = [Node("hamlet:hut:room:cup", NodeKind.OBJECT, "cup"), Node("hamlet:inn:bar", NodeKind.ARENA, "bar")]
    with pytest.raises(BadInput, match="hamlet:inn"):
        world.merge(fresh)
    assert [node.address for node in world] == before


def test_merge_replaces_a_node_in_its_place(world: World) -> None:
    world.merge([Node("hamlet:hut", NodeKind.SECTOR, "the burnt hut")])
    assert world.node("hamlet:hut").name == "the burnt hut"
    assert [node.address for node in world.children("hamlet")] == ["hamlet:hut", "hamlet:yard"]


def test_where_something_is_takes_the_word_of_the_place_around_it(world: World) -> None:
    on = [replace(node, preposition="on") if node.address == "hamlet:yard" else node for node in world]
    inner = next(node for node in world.children("hamlet:yard"))
    assert World(on).describe(inner.address) == f"the {inner.name} on the yard"
    assert world.describe(inner.address) == f"the {inner.name} in the yard"


def test_a_house_number_needs_no_article() -> None:
    assert with_article("4 Tanner's Row") == "4 Tanner's Row"
    assert with_article("stove") == "the stove"
