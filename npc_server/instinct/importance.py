"""Rates importance without a model (Generative Agents, section 4.1), by rules when they are sure, and else by words (`poignancy`)."""

from __future__ import annotations

from npc_server.english.stems import stems_of
from npc_server.instinct import act, importance_rules, poignancy
from npc_server.mind.instinct import MUNDANE, Weight
from npc_server.mind.places import Everyday
from npc_server.records import MemoryTopic

HEARSAY = 5
"""The importance of a line that the NPC heard, when no word in it counts more."""


def weigh(text: str, everyday: Everyday, topic: MemoryTopic) -> Weight:
    """Rates a memory from 1 to 10. `everyday` holds the town's everyday objects and activities."""
    value, sure = importance_rules.by_rules(text, everyday, topic)
    if topic is MemoryTopic.SAID:
        return Weight(value if sure else _of_speech(text), value, sure)
    if sure and not importance_rules.is_state(text):
        return Weight(value, value, sure)
    by_words = poignancy.importance(text, topic)
    return Weight(by_words, value if sure else by_words, sure)


def is_idle(text: str, topic: MemoryTopic) -> bool:
    """Returns whether nothing happens in the memory: it is a plan, or shows an object in an ordinary state."""
    return topic is MemoryTopic.PLAN or poignancy.importance(text, topic) == MUNDANE


def _of_speech(text: str) -> int:
    """Rates a line by its most important word, because people may speak lightly of grave things."""
    words = stems_of(text)
    return next((level for level, known in act.important_words() if words & known), HEARSAY)
