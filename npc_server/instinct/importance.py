"""How much a memory matters, without a model (Generative Agents, section 4.1): by rules where they are sure, else by its words."""

from __future__ import annotations

from npc_server.english.stems import words_of
from npc_server.instinct import deeds, importance_rules, poignancy
from npc_server.mind.instinct import Weight
from npc_server.mind.places import Everyday
from npc_server.records import MemoryTopic

MUNDANE = 1
HEARSAY = 5
"""Of what somebody was heard to say."""


def weigh(text: str, everyday: Everyday, topic: MemoryTopic) -> Weight:
    """`everyday` is what belongs to every day in the town."""
    value, sure = importance_rules.by_rules(text, everyday, topic)
    by_words, is_speech = poignancy.importance(text, topic), topic is MemoryTopic.SAID
    is_idle = topic is MemoryTopic.PLAN or by_words == MUNDANE
    if sure and not importance_rules.is_state(text):
        return Weight(value, value, True, is_idle)
    # Small talk, plans and what failed go by the rules that are sure of them, all else by its words.
    alone = _of_speech(text) if is_speech else by_words
    return Weight(alone, value if sure or is_speech else by_words, sure, is_idle)


def _of_speech(text: str) -> int:
    """What was heard matters for the few words of what is out of the ordinary alone: people speak of grave things lightly."""
    words = words_of(text)
    return next((level for level, known in deeds.heavy_words() if words & known), HEARSAY)
