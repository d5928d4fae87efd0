"""By meaning: the memory that answers a question put in quite other words, where the rules of `answering` find nothing.

Rules know words. Where question and memory share some, they judge better than a vector does: what is like a question and was refused leaves
open just what was asked. Where the two share none, rules are blind, and the memory whose vector is nearest is mostly the one that is meant.
"""

from __future__ import annotations

import numpy as np

from npc_server.cognition import courtesy
from npc_server.cognition.answer_kinds import holds
from npc_server.cognition.answering import may_tell, says_enough
from npc_server.cognition.asked import name_words
from npc_server.cognition.indirect import put_otherwise
from npc_server.cognition.levelled import levels, read
from npc_server.cognition.mind import Mind
from npc_server.cognition.question_parts import asked_of
from npc_server.cognition.wording import SPOKEN_OF
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.records import Memory, MemoryKind

NEAR, NEAR_OF_MANY = 0.15, 0.28
"""Least cosine of question and memory. On 58 questions in other words a right memory had 0.16 to 0.7 (all-MiniLM-L6-v2); among many
something is always near."""
MANY, STANDS_OUT = 30, 2.5
"""Among so many memories the nearest must also lie so many standard deviations above their mean."""
LOOKED_AT = 5000


async def by_meaning(mind: Mind, question: str, asker: str) -> Memory | None:
    """The memory nearest to a question, if it stands out, shares no telling word, is of whom is named and holds what is asked for."""
    if mind.embedder.name == HashedWordsEmbedder.name:
        return None  # near each other is there what shares words
    every, vectors = mind.stream.latest_vectors(LOOKED_AT, (MemoryKind.PLAN,))
    rows = [row for row, memory in enumerate(every) if may_tell(mind, memory, asker) and _tells_a_fact(memory)]
    if not rows:
        return None
    near = vectors[rows] @ (await mind.embedder.embed([question]))[0]
    best = int(np.argmax(near))
    least = max(NEAR_OF_MANY, float(near.mean() + STANDS_OUT * near.std())) if len(rows) >= MANY else NEAR
    memory = every[rows[best]]
    return memory if near[best] >= least and _may_answer(mind, question, asker, memory) else None


def _tells_a_fact(memory: Memory) -> bool:
    """What somebody was heard saying, in a talk's thousand words, is near any question; what was told in it is kept apart."""
    return says_enough(memory) and SPOKEN_OF not in memory.text and memory.predicate != "talked with"


def _may_answer(mind: Mind, question: str, asker: str, memory: Memory) -> bool:
    question = courtesy.without(question)
    me, known = mind.persona.name, name_words(mind.persona.name, mind.name_of(asker), *mind.names.values())
    asked = asked_of(put_otherwise(question), known)
    words = read(f"{memory.text} {mind.name_of(memory.subject)}")
    named = asked.names - name_words(me)
    shared = (levels(memory.text) & levels(question)) - levels(me) - asked.names
    return not shared and (not named or bool(named & {word.low for word in words})) and holds(asked, words, known)
