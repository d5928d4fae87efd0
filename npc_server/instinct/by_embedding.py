"""By meaning: the memory that answers a question put in quite other words, where the rules of `answering` find nothing.

Rules know words. Where question and memory share some, they judge better than a vector does: what is like a question and was refused leaves
open just what was asked. Where the two share none, rules are blind, and the memory whose vector is nearest is mostly the one that is meant.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from npc_server.english.answer_match import name_words
from npc_server.english.answer_types import holds
from npc_server.english.normalize import levels, read
from npc_server.english.text import TALKED_WITH
from npc_server.instinct.answering import LATEST, Question, asks_whether_heard, may_tell, says_enough, supposes, taken_apart
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.memory.vectors import Vector
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemorySource, MemoryTopic

NEAR, NEAR_OF_MANY = 0.15, 0.28
"""Least cosine of question and memory. On 58 questions in other words a right memory had 0.16 to 0.7 (all-MiniLM-L6-v2); among many
something is always near."""
MANY, STANDS_OUT = 30, 2.5
"""Among so many memories the nearest must also lie so many standard deviations above their mean."""
Meant = Callable[[], Memory | None]
"""What a question may mean, looked for when it is called, and then kept."""


def nothing() -> Memory | None:
    return None


async def by_meaning(mind: Mind, question: str, asker: str) -> Meant:
    """The memory nearest to a question, if it stands out, shares no telling word, is of whom is named and holds what is asked for.

    It passes over the whole memory only where it is called: mostly rules know the answer.
    """
    apart = taken_apart(mind, question, asker)
    if supposes(apart) or asks_whether_heard(apart) or mind.embedder.name == HashedWordsEmbedder.name:
        return nothing  # for hashed words, what is near shares words
    vector = (await mind.embedder.embed([question]))[0]
    return cache(lambda: _nearest(mind, apart, asker, vector))


def _nearest(mind: Mind, question: Question, asker: str, vector: Vector) -> Memory | None:
    every, vectors = mind.stream.latest_vectors(LATEST, (MemoryKind.PLAN,))
    rows = [row for row, memory in enumerate(every) if may_tell(mind, memory, asker) and _tells_a_fact(memory)]
    if not rows:
        return None
    near = (vectors @ vector)[rows]
    best = int(np.argmax(near))
    memory = every[rows[best]]
    # What a persona's file tells is of a whole life, and near to much.
    least = NEAR_OF_MANY if len(rows) >= MANY or memory.source is MemorySource.KNOWN else NEAR
    if len(rows) >= MANY:
        least = max(least, float(near.mean() + STANDS_OUT * near.std()))
    return memory if near[best] >= least and _may_answer(mind, question, memory) else None


def _tells_a_fact(memory: Memory) -> bool:
    """What somebody was heard saying, in a talk's thousand words, is near any question; what was told in it is kept apart."""
    return says_enough(memory) and memory.topic is not MemoryTopic.SAID and memory.predicate != TALKED_WITH


def _may_answer(mind: Mind, question: Question, memory: Memory) -> bool:
    me, asked = mind.persona.name, question.asked
    words = read(f"{memory.text} {mind.name_of(memory.subject)}")
    named = asked.names - name_words(me)
    shared = (levels(memory.text) & levels(question.text)) - levels(me) - asked.names
    return not shared and (not named or bool(named & {word.low for word in words})) and holds(asked, words, question.names)
