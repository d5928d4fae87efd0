"""How much a memory matters, without a model (Generative Agents, section 4.1): by rules where they are sure, else by its words."""

from __future__ import annotations

from npc_server.english.stems import words_of
from npc_server.instinct import deeds, importance_rules, poignancy
from npc_server.mind.instinct import MUNDANE, Weight
from npc_server.mind.places import Everyday
from npc_server.records import MemoryTopic

HEARSAY = 5
"""Of what somebody was heard to say."""


def weigh(text: str, everyday: Everyday, topic: MemoryTopic) -> Weight:
    """`everyday` is what belongs to every day in the town."""
    value, sure = importance_rules.by_rules(text, everyday, topic)
    if topic is MemoryTopic.SAID:
        return Weight(value if sure else _of_speech(text), value, sure)
    if sure and not importance_rules.is_state(text):
        return Weight(value, value, sure)
    by_words = poignancy.importance(text, topic)
    return Weight(by_words, value if sure else by_words, sure)


def is_idle(text: str, topic: MemoryTopic) -> bool:
    """Whether nothing happens in it: a plan, or a thing in a state that nobody remarks on."""
    return topic is MemoryTopic.PLAN or poignancy.importance(text, topic) == MUNDANE


def _of_speech(text: str) -> int:
    """What was heard matters for the few words of what is out of the ordinary alone: people speak of grave things lightly."""
    words = words_of(text)
    return next((level for level, known in deeds.heavy_words() if words & known), HEARSAY)
