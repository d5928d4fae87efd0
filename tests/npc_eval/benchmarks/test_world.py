from __future__ import annotations

from npc_eval.benchmarks.world import messages, world
from npc_server.v1 import npc_pb2 as pb


def test_bench_registers_a_world_and_registers_it_again() -> None:
    first, again = world(nodes=300)
    assert (first.what, again.what) == ("register", "register again")
    assert (first.nodes, first.calls) == (300, 1)
    assert first.longest_ack_ms > 0


def test_messages_of_the_bench_hold_every_node_once() -> None:
    addresses = [node.address for raw in messages("t", 20_500) for node in pb.RegisterWorldRequest.FromString(raw).nodes]
    assert len(addresses) == len(set(addresses)) == 20_500
