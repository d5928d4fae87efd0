"""Rating memories by their kind where that tells all, else by their meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from npc_eval.model.scores import spearman
from npc_eval.topics import topic_of
from npc_server.config import EngineSettings
from npc_server.instinct import importance
from npc_server.llm.engine import Vectors
from npc_server.llm.start import open_embedder
from npc_server.mind.instinct import Weight
from npc_server.mind.mind import Mind
from npc_server.mind.places import Everyday, everyday_of
from npc_server.records import MemoryTopic
from npc_server.world.tree import Node, NodeKind, ObjectAction, World
from tests.in_the_box import EMBEDDER, needs_embedder

MakeMind = Callable[..., Mind]
RUNS, RUNS_FOR = "Ada Bell is running along the pier", "Ada Bell is running for head of the guild"
PLAIN = MemoryTopic.OTHER


PUB = (
    Node("town", NodeKind.WORLD, "Town"),
    Node("town:pub", NodeKind.SECTOR, "the Drowned Bell"),
    Node("town:pub:bar", NodeKind.ARENA, "bar"),
)


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
    assert await importance.weigh(make_mind(), [RUNS, RUNS_FOR], [PLAIN, PLAIN]) == [Weight(2, is_sure=True), Weight(7)]


async def test_names_of_places_and_actions_do_not_make_a_memory_matter(make_mind: MakeMind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashed words have no meaning, so single words decide."""
    mind = make_mind()
    bed = Node("town:pub:bar:bed", NodeKind.OBJECT, "bed", actions=(ObjectAction("lie down"),))
    monkeypatch.setattr(mind.places, "everyday", lambda: everyday_of(World([*PUB, bed])))
    rated = {
        "Ada sang at the Drowned Bell": 3, "Ada drowned at the Drowned Bell": 9,
        "Ada Bell is lying down with a book": 2, "Ada Bell is lying about the book": 7,
    }  # fmt: skip
    assert {text: it.importance for text, it in zip(rated, await importance.weigh(mind, list(rated), [PLAIN] * 4), strict=True)} == rated


async def test_what_no_rule_is_sure_of_is_rated_by_its_meaning(make_mind: MakeMind, by_meaning: dict[str, int]) -> None:
    by_meaning["Nobody came home"] = 9
    assert await importance.weigh(make_mind(), ["Nobody came home"], [PLAIN]) == [Weight(9)]


async def test_what_the_kind_of_memory_tells_is_not_embedded(make_mind: MakeMind, monkeypatch: pytest.MonkeyPatch) -> None:
    mind = make_mind()

    async def embed(texts: Sequence[str]) -> Vectors:
        raise AssertionError(texts)

    monkeypatch.setattr(mind.tools.embedder, "embed", embed)
    found = await importance.weigh(mind, ["The lamp is on", "Mara's plan"], [PLAIN, MemoryTopic.PLAN])
    assert found == [Weight(1, is_sure=True), Weight(5, is_sure=True)]


async def test_of_a_line_the_words_are_rated_and_not_who_said_them(make_mind: MakeMind, by_meaning: dict[str, int]) -> None:
    by_meaning |= {"They found his boat.": 8, "Good evening, all.": 1}
    said = [f'Tobin Hale said: "{words}"' for words in by_meaning]
    found = await importance.weigh(make_mind(), [*said, 'Tobin Hale said: ""'], [MemoryTopic.SAID] * 3)
    assert found == [Weight(8), Weight(1, is_sure=True), Weight(3)]


@pytest.mark.parametrize(
    ("topic", "expected"),
    [(MemoryTopic.PLAN, 5), (MemoryTopic.FAILED, 4), (MemoryTopic.MET, 3), (MemoryTopic.SMALL_TALK, 3), (MemoryTopic.SIGHT, 2)],
)
async def test_what_the_mind_wrote_itself_is_rated_by_its_topic(make_mind: MakeMind, topic: MemoryTopic, expected: int) -> None:
    assert await importance.weigh(make_mind(), ["Ada hat heute keine Zeit"], [topic]) == [Weight(expected, is_sure=True)]


async def test_what_belongs_to_every_day_in_a_town_is_sure(make_mind: MakeMind, by_meaning: dict[str, int]) -> None:
    mind = make_mind()
    made = "The workbench in the work floor of Hale's workshop is covered in shavings"
    fire = "Biddy's bed in the bedroom of the Drowned Bell is on fire"
    assert await importance.weigh(mind, ["Tobin Hale is whittling a spoon", made, fire], [PLAIN] * 3) == [
        Weight(3),
        Weight(2, is_sure=True),
        Weight(3),
    ]
    assert "burning" not in mind.places.everyday().states
    whittling = Everyday(doings=frozenset({"whittl"}))
    assert importance._of_deed("Tobin Hale is whittling a spoon", whittling) == 2


@pytest.mark.model
@needs_embedder
@pytest.mark.parametrize(("name", "least"), [("importance", 0.72), ("importance_unseen", 0.72)])
async def test_by_meaning_memories_are_rated_as_a_hand_does_and_nothing_sure_changes_lives(
    make_mind: MakeMind, name: str, least: float
) -> None:
    """Nothing was fitted on these lists."""
    lines = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ", 1) for line in lines if line and not line.startswith("#")]
    hand, texts = [int(value) for value, _ in rows], [text for _, text in rows]
    embedder = await open_embedder(EngineSettings(reranker="none", models_folder=EMBEDDER.parent))
    mind = make_mind()
    mind.tools.embedder = embedder
    found = await importance.weigh(mind, texts, [topic_of(text) for text in texts])
    await embedder.close()
    assert spearman([float(it.importance) for it in found], [float(value) for value in hand]) > least
    sure = [(value, it.importance, text) for value, it, text in zip(hand, found, texts, strict=True) if it.is_sure]
    assert len(sure) > len(rows) / 5
    for value, importance_, text in sure:
        assert value < 6, text
        assert abs(value - importance_) <= 3, text


async def test_nothing_is_rated_where_there_is_nothing(make_mind: MakeMind) -> None:
    assert await importance.weigh(make_mind(), [], []) == []
