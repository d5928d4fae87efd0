"""The order of memories and places in prompts, by the server's own retrieval.

In play the best fit comes first. A model that was trained on shuffled lines cannot know that.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from models.nano.draw import Draw
from models.nano.facts import FactMemory
from npc_server.config import MindSettings
from npc_server.instinct import act
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.memory.retrieval_score import Weights
from npc_server.memory.stream import MemoryStream
from npc_server.memory.topics import topic_of
from npc_server.memory.vectors import Vectors
from npc_server.mind.places import PlaceVectors, shortlist
from npc_server.records import Address, GameTime, Memory, MemoryKind
from npc_server.world.tree import Node, World

T = TypeVar("T")
_EMBEDDER = HashedWordsEmbedder()
_SETTINGS = MindSettings()
MEMORIES, PLACES = 3, 6
"""How many of each a prompt shows this model, as its file tells the server. The best fit is mostly among the first, and the model
reads a few lines far better than many."""
USUAL = 4
"""Importance of a memory, unless another is drawn."""
ALIKE = 0.5
"""Share of the samples whose memories have equal importance, so that relevance decides their order."""


def retrieved(draw: Draw, kept: Sequence[FactMemory], focal: str, now: GameTime, count: int = MEMORIES) -> list[FactMemory]:
    """The `count` memories that would be retrieved for a focal point, best first."""
    if not kept:
        return []
    alike = draw.chance(ALIKE)
    vectors = _finished(_EMBEDDER.embed([focal, *(item.text for item in kept)]))
    stream = stream_of(kept, [USUAL if alike else draw.number(1, 8) for _ in kept], vectors[1:])
    weights = Weights(_SETTINGS.recency_weight, _SETTINGS.importance_weight, _SETTINGS.relevance_weight)
    found = stream.retrieve(vectors[0], now, count, weights, _SETTINGS.recency_decay, touch=False)
    return [kept[scored.memory.id - 1] for scored in found]


def stream_of(kept: Sequence[FactMemory], importance: Sequence[int] = (), vectors: Vectors | None = None) -> MemoryStream:
    """A stream of the memories, with ids from 1. Instinct searches it; with vectors it can be retrieved from."""
    stream = MemoryStream("me")
    for number, item in enumerate(kept, start=1):
        about = item.fact.people[0] if item.fact and item.fact.people else ""
        stream.add(
            Memory(
                "me",
                number,
                MemoryKind.OBSERVATION,
                item.text,
                item.then,
                item.then,
                importance[number - 1] if importance else USUAL,
                about,
                source=item.source,
                source_person=item.person,
                topic=topic_of(item.text),
            ),
            None if vectors is None else vectors[number - 1],
        )
    return stream


def with_those(found: Sequence[T], wanted: Sequence[T]) -> list[T]:
    """What was found, with all wanted items in it. They replace the last of the others."""
    missing = [item for item in wanted if item not in found]
    others = [item for item in found if item not in wanted]
    gone = others[max(0, len(others) - len(missing)) :]
    return [*(item for item in found if item not in gone), *missing]


def offered(world: World, nodes: Sequence[Node], activity: str, here: Address = "") -> list[Node]:
    """The best places for an activity, the one that instinct would take first."""
    addresses = [node.address for node in nodes]
    best = _finished(shortlist(world, PlaceVectors(world, _EMBEDDER), addresses, activity, here, "", len(nodes)))
    found = [world.node(address) for address in best]
    taken = act.choose_place(found, activity, "", {node.address: node.state for node in found}).address
    return sorted(found, key=lambda node: node.address != taken)[:PLACES]


def _finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits. Raises RuntimeError if it does."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("the embedder waited for something; ranking needs one that answers at once")
