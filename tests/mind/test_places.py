"""Which place suits an activity, and which action of an object it means."""

from __future__ import annotations

import pytest

from npc_server.config import EngineSettings
from npc_server.instinct.act import choose_place
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Vectors
from npc_server.llm.start import open_embedder
from npc_server.mind import places
from npc_server.mind.places import PlaceVectors
from npc_server.world.tree import Node, NodeKind, ObjectAction, World
from tests.counting import steps
from tests.in_the_box import EMBEDDER, needs_embedder

STOVE = Node(
    "town:hall:stove", NodeKind.OBJECT, "stove", actions=(ObjectAction("turn off"), ObjectAction("make tea"), ObjectAction("cook supper"))
)
TABLE = Node("town:hall:table", NodeKind.OBJECT, "table", actions=(ObjectAction("eat"),))
HALL = (Node("town", NodeKind.WORLD, "Town"), Node("town:hall", NodeKind.SECTOR, "hall"))


class Counting(HashedWordsEmbedder):
    """Counts the texts. While it is `silent`, there is no model."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.silent = False

    async def embed(self, texts: object) -> Vectors:
        assert isinstance(texts, list | tuple)
        self.texts += texts
        found = await super().embed(texts)
        return found * 0 if self.silent else found


def a_place(*nodes: Node) -> tuple[PlaceVectors, Counting]:
    embedder = Counting()
    return PlaceVectors(World((*HALL, *nodes)), embedder), embedder


def test_the_plans_own_place_is_chosen_then_one_in_it_then_the_first() -> None:
    inside = Node("town:hall:table:drawer", NodeKind.OBJECT, "drawer")
    assert choose_place([STOVE, TABLE], TABLE.address) == TABLE
    assert choose_place([STOVE, inside], TABLE.address) == inside
    assert choose_place([STOVE, TABLE], "town:moon") == STOVE
    assert choose_place([STOVE, TABLE], "") == STOVE


async def test_the_action_that_an_activity_means_is_done() -> None:
    vectors, _ = a_place(STOVE, TABLE)
    await vectors.learn(["cook a big supper"])
    assert vectors.action_for("cook a big supper", STOVE.actions) == STOVE.actions[2]


async def test_an_activity_that_is_near_no_action_means_none() -> None:
    vectors, _ = a_place(STOVE, TABLE)
    await vectors.learn(["whistle"])
    assert vectors.action_for("whistle", STOVE.actions) is None
    assert vectors.action_for("whistle", ()) is None


def test_before_it_is_learnt_an_activity_means_the_action_of_the_same_name() -> None:
    vectors, _ = a_place(STOVE)
    assert vectors.action_for("make tea", STOVE.actions) == STOVE.actions[1]
    assert vectors.action_for("make some tea", STOVE.actions) is None


async def test_an_action_that_comes_with_a_new_object_is_learnt() -> None:
    vectors, _ = a_place(STOVE)
    await vectors.learn(["dance a waltz"])
    floor = Node("town:hall:floor", NodeKind.OBJECT, "floor", actions=(ObjectAction("dance"),))
    vectors._world.merge([floor])
    assert vectors.action_for("dance a waltz", floor.actions) is None
    await vectors.learn(["dance a waltz"])
    assert vectors.action_for("dance a waltz", floor.actions) == floor.actions[0]


async def test_actions_are_embedded_once_and_again_where_there_was_no_model() -> None:
    vectors, embedder = a_place(STOVE)
    embedder.silent = True
    await vectors.learn(["cook"])
    embedder.silent = False
    embedder.texts.clear()
    await vectors.learn(["cook"])
    await vectors.learn(["cook"])
    assert sorted(embedder.texts) == ["cook", "cook", "cook supper", "make tea", "turn off"]
    assert vectors.action_for("cook", STOVE.actions) == STOVE.actions[2]


async def test_only_the_latest_activities_are_kept() -> None:
    vectors, _ = a_place(STOVE)
    await vectors.learn(["cook a supper", *(f"read book {i}" for i in range(places.ACTIVITIES_KEPT))])
    assert vectors.action_for("cook a supper", STOVE.actions) is None


async def test_an_action_is_found_in_few_steps() -> None:
    many = [Node(f"town:hall:thing_{i}", NodeKind.OBJECT, f"thing {i}", actions=(ObjectAction(f"use {i}"),)) for i in range(500)]
    vectors, _ = a_place(*many)
    await vectors.learn(["use 7"])
    assert steps(lambda: vectors.action_for("use 7 well", many[7].actions)) < 200


@pytest.mark.model
@needs_embedder
async def test_strange_things_are_used_by_what_they_mean() -> None:
    embedder = await open_embedder(EngineSettings(reranker="none", models_folder=EMBEDDER.parent))
    nutrimat = Node("town:hall:nutrimat", NodeKind.OBJECT, "nutrimat", actions=(ObjectAction("turn off"), ObjectAction("make a meal")))
    vectors = PlaceVectors(World((*HALL, nutrimat)), embedder)
    for activity, action in (("fry the eggs for supper", nutrimat.actions[1]), ("switch it off for the night", nutrimat.actions[0])):
        await vectors.learn([activity])
        assert vectors.action_for(activity, nutrimat.actions) == action
    await vectors.learn(["look at the stars"])
    assert vectors.action_for("look at the stars", nutrimat.actions) is None
    await embedder.close()
