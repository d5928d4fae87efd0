"""How well a thing suits an activity."""

from __future__ import annotations

from npc_server.instinct.act import choose_place
from npc_server.instinct.object_fit import best_action, object_fit
from npc_server.world.tree import Node, NodeKind, ObjectAction
from tests.counting import steps


def thing(name: str, *actions: str, state: str = "") -> Node:
    return Node(f"town:hall:{name.replace(' ', '_')}", NodeKind.OBJECT, name, state=state, actions=tuple(map(ObjectAction, actions)))


def chosen(activity: str, *offered: Node) -> str:
    return choose_place(offered, activity, "", {}).address.rpartition(":")[2]


def test_what_a_thing_is_for_decides_where_no_action_says_so() -> None:
    assert chosen("fry the eggs", thing("table", "eat"), thing("hen house", "collect eggs"), thing("stove", "cook")) == "stove"
    assert chosen("fry the eggs", thing("bed"), thing("stove")) == "stove"


def test_an_action_whose_verb_is_meant_goes_before_the_lexicon() -> None:
    assert chosen("fry the eggs", thing("stove"), thing("hot rock", "fry things")) == "hot_rock"


def test_an_action_tells_what_a_strange_thing_is_for() -> None:
    assert chosen("fry the eggs", thing("bed", "sleep"), thing("nutrimat", "make a meal")) == "nutrimat"


def test_the_action_of_the_use_that_is_meant_is_done() -> None:
    action = best_action(thing("stove", "turn off", "make tea", "cook"), "fry the eggs", "")
    assert action is not None
    assert action.name == "cook"


def test_an_action_its_state_forbids_is_not_done() -> None:
    stove = Node("town:hall:stove", NodeKind.OBJECT, "stove", state="burning", actions=(ObjectAction("cook", needs="off"),))
    assert best_action(stove, "cook supper", "burning") is None


def test_a_circumstance_is_not_what_is_done() -> None:
    assert chosen("exercise before breakfast", thing("table", "eat"), thing("treadmill", "run")) == "treadmill"


def test_of_things_that_suit_alike_the_first_is_chosen() -> None:
    assert chosen("whistle", thing("table"), thing("bench")) == "table"
    assert object_fit(thing("table"), "whistle", "").score == 0.0


def test_a_place_is_chosen_among_twenty_in_few_steps() -> None:
    offered = [thing(f"{name} {i}", "sit", "read a book") for i in range(5) for name in ("stove", "bench", "desk", "bed")]
    chosen("fry the eggs", *offered)
    found = steps(lambda: choose_place(offered, "fry the eggs for seven", "", {}))
    assert found < 20_000  # some 8,000
