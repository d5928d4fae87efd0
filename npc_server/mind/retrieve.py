"""Retrieve: which memories a prompt shows. The score is in `memory/retrieval_score.py` (Generative Agents, section 4.1)."""

from __future__ import annotations

from collections.abc import Collection

from npc_server import clock
from npc_server.english.text import is_question
from npc_server.memory.retrieval_score import Weights
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, ScoredMemory


async def retrieve(mind: Mind, focal: str, now: GameTime, count: int | None = None, *, touch: bool = True) -> list[ScoredMemory]:
    """The memories with the highest scores for a focal point, the highest first.

    At most `count` are returned, or as many as a prompt may show if it is None. `touch` sets their last access to `now`, in the stream and
    in the draft of this thought.
    """
    query = (await mind.embedder.embed([focal]))[0]
    settings = mind.settings
    found = mind.stream.retrieve(
        query,
        now,
        count or most_shown(mind, settings.retrieval_count),
        Weights(settings.recency_weight, settings.importance_weight, settings.relevance_weight),
        settings.recency_decay,
        touch=touch,
    )
    if touch:
        mind.draft.touch([scored.memory.id for scored in found], now)
    return found


def most_shown(mind: Mind, count: int) -> int:
    """The most memories a prompt may show: `count`, or fewer if the model's file says that the model reads fewer lines better."""
    most = mind.engine.status().memories_shown
    return min(count, most) if most else count


async def for_prompt(mind: Mind, question: str, focal: str, now: GameTime, count: int | None = None) -> list[ScoredMemory]:
    """The memories for the prompt of a question. If no model would be asked the question, none are retrieved: embedding takes time."""
    return await retrieve(mind, focal, now, count and most_shown(mind, count)) if mind.asks(question) else []


async def on_topic(
    mind: Mind, question: str, topic: str, now: GameTime, count: int, *, without: Collection[int] = ()
) -> list[ScoredMemory]:
    """The memories about a topic for the prompt of a question, without the ids `without` and what the prompt shows anyway.

    The prompt shows the identity, so its seed memories are left out. Plans are left out unless `topic` is a question.
    """
    persona = mind.persona
    own = {*persona.identity_phrases, *map(persona.as_memory, persona.identity_phrases), persona.currently}
    count = most_shown(mind, count)
    found = await retrieve(mind, topic, now, 2 * count + len(without)) if mind.asks(question) else []
    dull = () if is_question(topic) else (MemoryKind.PLAN,)
    return [
        it
        for it in found
        if it.memory.kind not in dull and not (it.memory.kind is MemoryKind.SEED and it.memory.text in own) and it.memory.id not in without
    ][:count]


def as_lines(mind: Mind, found: list[ScoredMemory], now: GameTime) -> list[str]:
    """Each memory as a prompt shows it. See `memory_line`."""
    return [memory_line(mind, scored.memory, now) for scored in found]


def memory_line(mind: Mind, memory: Memory, now: GameTime) -> str:
    """A memory with how long ago it was made, and from whom it came if it is hearsay."""
    when = "always" if memory.source is MemorySource.KNOWN else clock.ago(memory.created, now)
    if memory.source is MemorySource.TOLD and memory.source_person:
        return f"({when}, {mind.name_of(memory.source_person)} said) {memory.text}"
    if memory.source is MemorySource.HEARD:
        return f"({when}, overheard) {memory.text}"
    return f"({when}) {memory.text}"
