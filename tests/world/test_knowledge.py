"""What one NPC may use: what it knows, may enter and believes to be open."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.clock import HOUR
from npc_server.world.knowledge import Knowledge, Seen, may_enter, open_at, usable
from npc_server.world.tree import Node, NodeKind, World

OWNERS = st.sampled_from([(), ("ann",), ("ben",), ("ann", "ben")])
HOURS = st.sampled_from([None, (8 * HOUR, 17 * HOUR), (20 * HOUR, 2 * HOUR)])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    nodes = [Node("t", NodeKind.WORLD, "T")]
    for place in "ab":
        nodes.append(Node(f"t:{place}", NodeKind.SECTOR, place, owners=draw(OWNERS), hours=draw(HOURS)))
        for room in "xy":
            nodes.append(Node(f"t:{place}:{room}", NodeKind.ARENA, room, owners=draw(OWNERS), hours=draw(HOURS)))
            nodes.append(Node(f"t:{place}:{room}:o", NodeKind.OBJECT, "thing", owners=draw(OWNERS), hours=draw(HOURS)))
    return World(draw(st.permutations(nodes)))


@settings(max_examples=100, deadline=None)
@given(world=worlds(), known=st.frozensets(st.integers(0, 10)), hour=st.integers(0, 23))
def test_usable_is_what_is_known_open_and_not_private_all_the_way_up(world: World, known: frozenset[int], hour: int) -> None:
    knows = Knowledge(Seen(node.address, "", 0) for i, node in enumerate(world) if i in known)
    at = hour * HOUR
    expected = [
        node.address
        for node in world
        if node.kind in (NodeKind.ARENA, NodeKind.OBJECT)
        and node.address in knows
        and may_enter(world, node.address, "ann")
        and open_at(world, node.address, at)
    ]
    assert usable(world, knows, "ann", at) == expected
