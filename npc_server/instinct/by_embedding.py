"""The memory nearest to a question by its embedding, for questions that share no word with their answer.

Where question and memory share words, the rules of `answering` judge better than a vector does. Where they share none, the rules find
nothing, and the nearest vector is mostly right.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from npc_server.english.answer_match import name_words
from npc_server.english.answer_types import has_answer
from npc_server.english.normalize import terms_of, tokenize
from npc_server.english.text import TALKED_WITH
from npc_server.instinct.answering import (
    MEMORIES_SEARCHED,
    Question,
    asks_whether_heard,
    can_be_paraphrased,
    is_hypothetical,
    may_tell,
    parse,
)
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.memory.vectors import Vector
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemorySource, MemoryTopic

LEAST_COSINE, LEAST_COSINE_OF_MANY = 0.15, 0.28
"""Least cosine of question and memory. On 58 paraphrased questions the right memory had 0.16 to 0.7 (all-MiniLM-L6-v2). Among many
memories, one is always near, so more is asked of it."""
MANY, STANDS_OUT = 30, 2.5
"""From so many memories on, the nearest must also lie so many standard deviations above their mean."""
NearestMemory = Callable[[], Memory | None]
"""Finds the nearest memory when called, and keeps it."""


def no_memory() -> Memory | None:
    return None


async def nearest_memory(mind: Mind, question: str, asker: str) -> NearestMemory:
    """A function that returns the memory nearest to a question, or None.

    The memory must stand out, share no content word, be about the people named, and hold the answer type. It is searched for only when
    the function is called, since the rules mostly know the answer.
    """
    apart = parse(mind, question, asker)
    if is_hypothetical(apart) or asks_whether_heard(apart) or mind.embedder.name == HashedWordsEmbedder.name:
        return no_memory  # with hashed words, near texts are those that share words
    vector = (await mind.embedder.embed([question]))[0]
    return cache(lambda: _nearest(mind, apart, asker, vector))


def _nearest(mind: Mind, question: Question, asker: str, vector: Vector) -> Memory | None:
    every, vectors = mind.stream.latest_vectors(MEMORIES_SEARCHED, (MemoryKind.PLAN,))
    rows = [row for row, memory in enumerate(every) if may_tell(mind, memory, asker) and _tells_a_fact(memory)]
    if not rows:
        return None
    near = (vectors @ vector)[rows]
    best = int(np.argmax(near))
    memory = every[rows[best]]
    # Memories from a persona's file are general, and near to many questions.
    least = LEAST_COSINE_OF_MANY if len(rows) >= MANY or memory.source is MemorySource.KNOWN else LEAST_COSINE
    if len(rows) >= MANY:
        least = max(least, float(near.mean() + STANDS_OUT * near.std()))
    return memory if near[best] >= least and _may_answer(mind, question, memory) else None


def _tells_a_fact(memory: Memory) -> bool:
    """Whether it is no line of a conversation: those are near any question, and what was told in them is stored as claims."""
    return can_be_paraphrased(memory) and memory.topic is not MemoryTopic.SAID and memory.predicate != TALKED_WITH


def _may_answer(mind: Mind, question: Question, memory: Memory) -> bool:
    me, asked = mind.persona.name, question.asked
    words = tokenize(f"{memory.text} {mind.name_of(memory.subject)}")
    named = asked.names - name_words(me)
    shared = (terms_of(memory.text) & terms_of(question.text)) - terms_of(me) - asked.names
    return not shared and (not named or bool(named & {word.lower for word in words})) and has_answer(asked, words, question.names)
