"""Questions put in quite other words than the memories have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from npc_server.cognition.interview import interview
from npc_server.english.text import words_in
from npc_server.instinct.by_embedding import MANY, nearest_memory
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.memory.vectors import Vectors
from npc_server.mind.mind import Mind
from npc_server.records import MemoryKind, MemorySource, Source
from tests.instinct.test_answering import knows
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
SENSES = ("sleep bed room rents traveller tired night saloon", "mends nets work living trade", "rain storm weather wet")
"""Words of one line are of one meaning."""
ROOM = "Old Wenna rents her attic above the saloon"


class Meanings:
    """An embedder that knows what a few words mean, and nothing of others."""

    name, dimensions = "meanings/4", len(SENSES) + 1

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.full((len(texts), self.dimensions), 0.01, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for i, sense in enumerate(SENSES):
                row[i] += len(set(words_in(text)) & set(sense.split()))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        pass


@pytest.fixture
def mind(make_mind: MakeMind) -> Mind:
    found = make_mind()
    found.embedder = Meanings()
    return found


async def meant(mind: Mind, question: str) -> str:
    memory = (await nearest_memory(mind, question, "ines_calder"))()
    return memory.text if memory else ""


async def test_a_question_that_shares_no_word_finds_the_memory_that_means_the_same(mind: Mind) -> None:
    await knows(mind, ROOM, "It will rain on Sunday")
    question = "Where could a tired traveller find a bed?"
    assert await meant(mind, question) == ROOM
    answer, _ = await interview(mind.aside(), question, MORNING)
    assert (answer.value, answer.source) == (f"{ROOM}.", Source.INSTINCT)


@pytest.mark.parametrize(
    "question",
    [
        "Where do you sleep above the saloon?",  # shares a word: the rules know better
        "Where does Tobin find a bed?",  # is of somebody else
        "When could a tired traveller find a bed?",  # asks for an hour
        "Who invented the computer?",  # is near nothing
    ],
)
async def test_what_rules_can_judge_what_is_of_others_and_what_does_not_hold_what_is_asked_for_is_not_meant(
    mind: Mind, question: str
) -> None:
    await knows(mind, ROOM, "It will rain on Sunday")
    assert await meant(mind, question) == ""


async def test_plans_sights_of_a_moment_and_what_the_asker_told_are_not_meant(mind: Mind) -> None:
    await knows(mind, ROOM, kind=MemoryKind.PLAN)
    await knows(mind, ROOM, kind=MemoryKind.CONVERSATION, source=MemorySource.TOLD, source_person="ines_calder")
    assert await meant(mind, "Where could a tired traveller find a bed?") == ""


async def test_among_many_memories_it_must_stand_out(mind: Mind) -> None:
    question = "Where could a tired traveller find a bed?"
    await knows(mind, *(f"Room number {i} is above the saloon" for i in range(MANY)), ROOM)
    assert await meant(mind, question) == ""
    await knows(mind, *(f"The weather was wet {i} days ago" for i in range(12 * MANY)))
    assert await meant(mind, question) != ""


async def test_what_one_would_do_if_something_happened_is_not_meant_by_any_memory(mind: Mind) -> None:
    await knows(mind, ROOM)
    assert await meant(mind, "Where could a tired traveller find a bed?") == ROOM
    assert await meant(mind, "What would you do if a traveller could find no bed?") == ""


async def test_hashed_words_know_no_meaning(mind: Mind) -> None:
    mind.embedder = HashedWordsEmbedder()
    await knows(mind, "The traveller's bedroom")
    assert await meant(mind, "Where could travellers find bedding?") == ""


async def test_what_a_personas_file_tells_has_to_be_nearer(mind: Mind) -> None:
    question, near = (
        "Where could one find a bed?",
        "Wenna mends nets; Wenna lets the attic over the mill with a room, to work there, for her living, by trade",
    )
    for kind, source, found in (
        (MemoryKind.OBSERVATION, MemorySource.SEEN, near),
        (MemoryKind.SEED, MemorySource.KNOWN, ""),
    ):
        own = mind.aside()
        own.stream = type(mind.stream)(mind.npc)
        await own.remember([near], kind=kind, at=MORNING - 60, importance=[4], source=source)
        assert await meant(own, question) == found


async def test_what_one_is_asked_to_have_heard_of_is_looked_for_by_words_alone(mind: Mind) -> None:
    await knows(mind, ROOM)
    assert await meant(mind, "Where could a tired traveller find a bed?") == ROOM
    assert await meant(mind, "Have you heard of a bed?") == ""
