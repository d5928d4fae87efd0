"""Retrieve: which memories a prompt shows. Recency, importance and relevance are computed in `memory/stream.py` (GA, section 4.1)."""

from __future__ import annotations

from npc_server import clock
from npc_server.english.text import is_question
from npc_server.memory.stream import Weights
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, ScoredMemory


async def retrieve(mind: Mind, focal: str, now: GameTime, count: int | None = None, *, touch: bool = True) -> list[ScoredMemory]:
    """The best memories for a focal point, best first. With `touch`, their last access is set in the thought's transaction.

    Without `count`, as many as a prompt may show.
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
    """`count`, or fewer where the model's file says that it reads fewer lines better."""
    most = mind.engine.status().memories_shown
    return min(count, most) if most else count


async def for_prompt(mind: Mind, question: str, focal: str, now: GameTime, count: int | None = None) -> list[ScoredMemory]:
    """The memories for a question's prompt. Empty if no model is asked it: instinct needs none, and embedding takes time."""
    return await retrieve(mind, focal, now, count and most_shown(mind, count)) if mind.asks(question) else []


async def on_topic(mind: Mind, question: str, topic: str, now: GameTime, count: int) -> list[ScoredMemory]:
    """A few memories for a prompt, without what it shows anyway: the identity and, unless `topic` is a question, plans."""
    persona = mind.persona
    own = {*persona.identity_phrases, *map(persona.as_memory, persona.identity_phrases), persona.currently}
    count = most_shown(mind, count)
    found = await retrieve(mind, topic, now, 2 * count) if mind.asks(question) else []
    dull = () if is_question(topic) else (MemoryKind.PLAN,)
    return [it for it in found if it.memory.kind not in dull and not (it.memory.kind is MemoryKind.SEED and it.memory.text in own)][:count]


def as_lines(mind: Mind, found: list[ScoredMemory], now: GameTime) -> list[str]:
    """Memories as prompts show them: how long ago, and from whom if it is hearsay."""
    return [memory_line(mind, scored.memory, now) for scored in found]


def memory_line(mind: Mind, memory: Memory, now: GameTime) -> str:
    when = "always" if memory.source is MemorySource.KNOWN else clock.ago(memory.created, now)
    if memory.source is MemorySource.TOLD and memory.source_person:
        return f"({when}, {mind.name_of(memory.source_person)} said) {memory.text}"
    if memory.source is MemorySource.HEARD:
        return f"({when}, overheard) {memory.text}"
    return f"({when}) {memory.text}"
