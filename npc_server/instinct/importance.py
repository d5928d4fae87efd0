"""Rates importance without a model (Generative Agents, section 4.1): by rules where they are sure, else by meaning (`importance_head`)."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.english.stems import stems_of
from npc_server.instinct import act, importance_rules
from npc_server.instinct.importance_head import ratings
from npc_server.mind.instinct import Weight
from npc_server.mind.mind import Mind
from npc_server.records import MemoryTopic

HEARSAY = 5
"""The importance of a line that the NPC heard, when no word in it counts more."""
OUT_OF_ORDINARY = 6
"""From this rating by meaning on, no rule is sure that a deed is everyday: `running for an office`."""


async def weigh(mind: Mind, texts: Sequence[str], topics: Sequence[MemoryTopic]) -> list[Weight]:
    """Rates each memory from 1 to 10. What rules are sure of is not embedded, except for deeds."""
    everyday = mind.places.everyday()
    found: dict[int, Weight] = {}
    open_: list[tuple[int, int, bool]] = []
    for i, (text, topic) in enumerate(zip(texts, topics, strict=True)):
        value, sure = importance_rules.by_rules(text, everyday, topic)
        if topic is MemoryTopic.SAID:
            found[i] = Weight(value if sure else _of_speech(text), value, sure)
        elif sure and not (topic is MemoryTopic.OTHER and importance_rules.is_deed(text)):
            found[i] = Weight(value, value, True)
        else:
            open_.append((i, value, sure))
    meant = [texts[i] for i, _, _ in open_]
    by_meaning = ratings(mind.embedder.name, meant, await mind.embedder.embed(meant)) if meant else []
    for (i, value, sure), rating in zip(open_, by_meaning, strict=True):
        sure = sure and rating < OUT_OF_ORDINARY
        found[i] = Weight(value, value, True) if sure else Weight(rating, rating)
    return [found[i] for i in range(len(texts))]


def is_idle(text: str, topic: MemoryTopic) -> bool:
    """Returns whether nothing happens in the memory: it is a plan, or shows an object in an ordinary state."""
    return topic is MemoryTopic.PLAN or importance_rules.is_ordinary_state(text)


def _of_speech(text: str) -> int:
    """Rates a line by its most important word, because people may speak lightly of grave things."""
    words = stems_of(text)
    return next((level for level, known in act.important_words() if words & known), HEARSAY)
