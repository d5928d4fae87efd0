"""Retrieve: which memories a prompt shows. The score is in `memory/retrieval_score.py` (Generative Agents, section 4.1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from npc_server import clock
from npc_server.english.text import ON_THE_WAY, THERE, clipped, is_question
from npc_server.memory.retrieval_score import Weights
from npc_server.mind.instinct import WORTH_ASKING
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import has_changed
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, ScoredMemory

LINES_SHOWN = 3
"""Lines that somebody said, among the memories of a prompt that shows few of them."""
SAME_MATTER = 0.8
"""Cosine above which two lines that somebody said are about the same matter."""
WIDER = 4
"""How many times as many memories are looked through as a prompt shows."""
_BARE = (MemoryTopic.SMALL_TALK, MemoryTopic.MET, MemoryTopic.SIGHT)
_LINES = (MemoryTopic.SAID, MemoryTopic.ASKED, MemoryTopic.ANSWERED)


async def retrieve(mind: Mind, focal: str, now: GameTime, count: int | None = None, *, touch: bool = True) -> list[ScoredMemory]:
    """The memories with the highest scores for a focal point, the highest first.

    At most `count` are returned, or as many as a prompt may show if it is None. `touch` sets their last access to `now`, in the stream and
    in the draft of this thought.
    """
    query = (await mind.tools.embedder.embed([focal]))[0]
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
    most = mind.tools.engine.status().memories_shown
    return min(count, most) if most else count


async def for_prompt(mind: Mind, question: str, focal: str, now: GameTime, count: int | None = None) -> list[ScoredMemory]:
    """The memories for the prompt of a question. If no model would be asked the question, none are retrieved: embedding takes time."""
    if not mind.answerer.asks(question):
        return []
    found = await retrieve(mind, focal, now, count and most_shown(mind, count))
    return found if mind.answerer.reference else [scored for scored in found if not is_in_identity(mind, scored.memory)]


async def on_topic(
    mind: Mind, question: str, topic: str, now: GameTime, count: int, *, without: Collection[int] = (), few_lines: bool = False
) -> list[ScoredMemory]:
    """The memories about a topic for the prompt of a question, without the ids `without` and what the prompt shows anyway.

    The prompt shows the identity, so its seed memories are left out. Plans, passers-by and what tells nothing are left out unless `topic`
    is a question. Then what tells nothing comes last. With `few_lines`, few of them are lines that somebody said; see `in_order`.
    """
    if not mind.answerer.asks(question):
        return []
    count = most_shown(mind, count)
    found = await retrieve(mind, topic, now, WIDER * count + len(without), touch=False)
    dull = () if is_question(topic) else (MemoryKind.PLAN,)
    fit = [it for it in found if it.memory.kind not in dull and not is_in_identity(mind, it.memory) and it.memory.id not in without]
    fit = [it for it in fit if it.memory.object != ON_THE_WAY or not (dull or few_lines)]
    empty = [] if dull else [it for it in fit if tells_nothing(it.memory)]
    fit = [*(it for it in fit if not tells_nothing(it.memory)), *empty]
    shown = in_order(mind, fit, count) if few_lines else fit[:count]
    touched = [it.memory.id for it in shown]
    mind.stream.touch(touched, now)
    mind.draft.touch(touched, now)
    return shown


def tells_nothing(memory: Memory) -> bool:
    """Whether a memory only says that somebody was there, or that a talk took place: nothing that a prompt's few lines are for."""
    is_bare = memory.topic in _BARE or memory.object in (ON_THE_WAY, THERE)
    return is_bare and memory.importance < WORTH_ASKING


def is_in_identity(mind: Mind, memory: Memory) -> bool:
    """Whether it is what the persona's file says of the NPC. Every prompt begins with that."""
    persona = mind.persona
    if memory.kind is not MemoryKind.SEED:
        return False
    phrases = (*persona.identity_phrases, *persona.secrets)
    return memory.text == persona.currently or any(memory.text in (phrase, persona.as_memory(phrase)) for phrase in phrases)


def in_order(mind: Mind, found: Sequence[ScoredMemory], count: int) -> list[ScoredMemory]:
    """At most `count` of the memories: own conclusions first, then others as they are scored, then lines that somebody said.

    Of those lines there are at most `LINES_SHOWN`, one for each matter, in the order in which they were said. A short prompt drops the
    last memories first.
    """
    lines: list[ScoredMemory] = []
    for it in found:
        if _is_line(it.memory) and len(lines) < LINES_SHOWN and not _is_told(mind, it, lines):
            lines.append(it)
    kept = [it for it in found if it in lines or not _is_line(it.memory)][:count]
    own = [it for it in kept if it.memory.kind is MemoryKind.REFLECTION]
    said = sorted((it for it in kept if it in lines), key=lambda it: (it.memory.created, it.memory.id))
    return [*own, *(it for it in kept if it not in own and it not in said), *said]


def _is_line(memory: Memory) -> bool:
    return memory.topic in _LINES or memory.source is MemorySource.HEARD


def _is_told(mind: Mind, line: ScoredMemory, chosen: Sequence[ScoredMemory]) -> bool:
    """Whether a line is about the same matter as one of those that are chosen."""
    if not chosen:
        return False
    rows = mind.stream.vectors([line.memory.id, *(it.memory.id for it in chosen)])
    return bool((rows[1:] @ rows[0] > SAME_MATTER).any())


def as_lines(mind: Mind, found: list[ScoredMemory], now: GameTime, most: int = 0) -> list[str]:
    """Each memory as a prompt shows it, in at most `most` characters (0 for any length). See `memory_line`."""
    lines = [memory_line(mind, scored.memory, now) for scored in found]
    return [clipped(line, most) for line in lines] if most else lines


def memory_line(mind: Mind, memory: Memory, now: GameTime) -> str:
    """A memory with how long ago it was made, from whom it came if it is hearsay, and whether it is a secret."""
    when = "always" if memory.source is MemorySource.KNOWN and memory.kind is MemoryKind.SEED else clock.ago(memory.created, now)
    if has_changed(mind, memory):
        when += ", over by now"
    if is_kept_back(mind, memory):
        return f"({when}, you keep this to yourself) {memory.text}"
    if memory.source is MemorySource.TOLD and memory.source_person and not is_attributed(mind, memory):
        return f"({when}, {mind.people.name_of(memory.source_person)} said) {memory.text}"
    if memory.source is MemorySource.HEARD:
        return f"({when}, overheard) {memory.text}"
    return f"({when}) {memory.text}"


def is_attributed(mind: Mind, memory: Memory) -> bool:
    """Whether a memory itself says who told it: `Ines said that the mill is sold`."""
    teller = memory.source_person
    return memory.text.startswith((f"{mind.people.name_of(teller)} said ", f"{mind.people.first_name_of(teller)} said "))


def is_kept_back(mind: Mind, memory: Memory) -> bool:
    """Whether a memory is a secret of the persona's, or is concluded from one."""
    if memory.kind is MemoryKind.SEED:
        return mind.persona.keeps_back(memory.text)
    grounds = [mind.stream.get(number) for number in memory.evidence if number in mind.stream and number < memory.id]
    return any(is_kept_back(mind, ground) for ground in grounds)
