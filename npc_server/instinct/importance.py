"""Importance without a model (Generative Agents, section 4.1): by rules where they are sure, else by words (`poignancy`)."""

from __future__ import annotations

from npc_server.english.stems import stems_of
from npc_server.instinct import act, importance_rules, poignancy
from npc_server.mind.instinct import MUNDANE, Weight
from npc_server.mind.places import Everyday
from npc_server.records import MemoryTopic

HEARSAY = 5
"""Importance of what somebody was heard to say."""


def weigh(text: str, everyday: Everyday, topic: MemoryTopic) -> Weight:
    """Rates a memory from 1 to 10. `everyday` are the objects and doings of every day in the town."""
    value, sure = importance_rules.by_rules(text, everyday, topic)
    if topic is MemoryTopic.SAID:
        return Weight(value if sure else _of_speech(text), value, sure)
    if sure and not importance_rules.is_state(text):
        return Weight(value, value, sure)
    by_words = poignancy.importance(text, topic)
    return Weight(by_words, value if sure else by_words, sure)


def is_idle(text: str, topic: MemoryTopic) -> bool:
    """Whether nothing happens in it: a plan, or an object in an ordinary state."""
    return topic is MemoryTopic.PLAN or poignancy.importance(text, topic) == MUNDANE


def _of_speech(text: str) -> int:
    """Rates a line by the most important words alone, since people speak of grave things lightly."""
    words = stems_of(text)
    return next((level for level, known in act.important_words() if words & known), HEARSAY)
