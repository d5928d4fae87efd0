"""Rating memories by rules where they are sure, else by meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from npc_server.instinct import importance
from npc_server.llm.engine import Vectors
from npc_server.mind.instinct import Weight
from npc_server.mind.mind import Mind
from npc_server.records import MemoryTopic

MakeMind = Callable[..., Mind]
RUNS, RUNS_FOR = "Ada Bell is running along the pier", "Ada Bell is running for head of the guild"
PLAIN = MemoryTopic.OTHER


@pytest.fixture
def by_meaning(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """What the weights make of a text. All others are 3."""
    known: dict[str, int] = {}

    def ratings(embedder: str, texts: Sequence[str], vectors: Vectors) -> list[int]:
        return [known.get(text, 3) for text in texts]

    monkeypatch.setattr(importance, "ratings", ratings)
    return known


async def test_a_deed_that_means_more_than_its_verb_is_not_everyday(make_mind: MakeMind, by_meaning: dict[str, int]) -> None:
    by_meaning[RUNS_FOR] = 7
    assert await importance.weigh(make_mind(), [RUNS, RUNS_FOR], [PLAIN, PLAIN]) == [Weight(2, 2, True), Weight(7, 7)]


async def test_what_no_rule_is_sure_of_is_rated_by_its_meaning(make_mind: MakeMind, by_meaning: dict[str, int]) -> None:
    by_meaning["Nobody came home"] = 9
    assert await importance.weigh(make_mind(), ["Nobody came home"], [PLAIN]) == [Weight(9, 9)]


async def test_what_rules_are_sure_of_and_what_is_said_is_not_embedded(make_mind: MakeMind, monkeypatch: pytest.MonkeyPatch) -> None:
    mind = make_mind()

    async def embed(texts: Sequence[str]) -> Vectors:
        raise AssertionError(texts)

    monkeypatch.setattr(mind.embedder, "embed", embed)
    said = 'Tobin Hale said: "The well rope wants replacing before autumn."'
    found = await importance.weigh(mind, ["The lamp is on", "Mara's plan", said], [PLAIN, MemoryTopic.PLAN, MemoryTopic.SAID])
    assert found == [Weight(1, 1, True), Weight(5, 5, True), Weight(5, 2)]


async def test_nothing_is_rated_where_there_is_nothing(make_mind: MakeMind) -> None:
    assert await importance.weigh(make_mind(), [], []) == []
