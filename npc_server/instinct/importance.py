"""Rates importance without a model (Generative Agents, section 4.1): by the kind of memory where that tells all, else by its meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npc_server.english.stems import stems_of
from npc_server.english.text import quoted
from npc_server.instinct import act
from npc_server.instinct.everyday_words import without_everyday
from npc_server.instinct.importance_head import ratings
from npc_server.mind.instinct import MUNDANE, Weight
from npc_server.mind.mind import Mind
from npc_server.mind.places import Everyday
from npc_server.records import MemoryTopic

EVERYDAY = 2
"""Up to this rating by meaning a memory is so surely mundane that no model is asked."""
OUT_OF_ORDINARY = 5
"""From this rating by meaning on, no kind of deed is sure to be everyday: `running for an office`."""
EMPTY, OF_EMPTY = "empty", 4
"""A state that its owner should notice, such as that of a refrigerator, and its importance."""
STATE_WORDS = 4
"""The most words in an object's state: `covered in shavings`."""
_OF_TOPIC = {
    MemoryTopic.PLAN: 5,
    MemoryTopic.FAILED: 4,
    MemoryTopic.MET: 3,
    MemoryTopic.SMALL_TALK: 3,
    MemoryTopic.OWN_DEEDS: 2,
    MemoryTopic.SIGHT: 2,
}
"""The importance of topics whose words do not matter. The reference code gives 5 to every plan, too."""
_THING = re.compile(
    r"^(?:(?:The|A|An)|[A-Z][\w-]*(?:['’]s|s['’])) [^.!?]{1,120}? (?:is|are) (?!(?!being\b)[a-z]+ing\b)([^.!?]{1,60})[.!?]?$"
)
_DOING = re.compile(r"^[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3} is ([a-z]+ing)\b")


async def weigh(mind: Mind, texts: Sequence[str], topics: Sequence[MemoryTopic]) -> list[Weight]:
    """Rates each memory from 1 to 10. Only what its kind does not tell is embedded, and deeds, which may mean more than their verb."""
    town = mind.places.everyday()
    found: dict[int, Weight] = {}
    open_: list[int] = []
    for i, (text, topic) in enumerate(zip(texts, topics, strict=True)):
        value = _OF_TOPIC.get(topic) or (_of_state(text, town) if topic is not MemoryTopic.SAID else None)
        if value is None:
            open_.append(i)
        else:
            found[i] = Weight(value, is_sure=True)
    meant = [quoted(texts[i]) if topics[i] is MemoryTopic.SAID else texts[i] for i in open_]
    words = [without_everyday(text, town) for text in meant]
    by_meaning = ratings(mind.tools.embedder.name, words, await mind.tools.embedder.embed(meant)) if meant else []
    for i, rating in zip(open_, by_meaning, strict=True):
        deed = _of_deed(texts[i], town) if topics[i] is MemoryTopic.OTHER and rating < OUT_OF_ORDINARY else None
        found[i] = Weight(rating, is_sure=rating <= EVERYDAY) if deed is None else Weight(deed, is_sure=True)
    return [found[i] for i in range(len(texts))]


def is_idle(text: str, topic: MemoryTopic) -> bool:
    """Returns whether nothing happens in the memory: it is a plan, or shows an object in an ordinary state."""
    return topic is MemoryTopic.PLAN or _state_in(text) in act.mundane_states()


def _of_state(text: str, town: Everyday) -> int | None:
    """The importance of an object in an everyday state, or of an empty one; None for anything else."""
    state = _state_in(text)
    if state in act.mundane_states():
        return MUNDANE
    if state == EMPTY:
        return OF_EMPTY
    return EVERYDAY if state in town.states else None


def _state_in(text: str) -> str:
    """The state of an object, in a sentence such as `The bed is made`; empty in any other."""
    thing = _THING.match(text.strip())
    state = thing[1].strip().lower() if thing else ""
    return state if len(state.split()) <= STATE_WORDS else ""


def _of_deed(text: str, town: Everyday) -> int | None:
    """The importance of what is done every day with the town's things; None for anything else."""
    doing = _DOING.match(text)
    return EVERYDAY if doing and stems_of(doing[1]) & (town.doings | act.everyday_verbs()) else None
