"""What an NPC is asked that one kind of memory answers: "What did I do just now?", "What did you sell me?"

Lines of `data/asked_after.json` stand for each topic of memory. The nearest of these, and of lines that ask for something else, says which
topic is meant. The memory is found by this topic and by who asks, not by its words. Who did not see what the asker did may have been told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from npc_server.data_files import read_json, read_toml
from npc_server.instinct import news
from npc_server.instinct.self_knowledge import as_told
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryTopic

SEARCHED = 200
"""Latest memories of who asks among which one of the topic is looked for."""
TOLD_BY_OTHERS = "told_by_others"
"""How what others said that the asker did is told."""


async def asked_after(mind: Mind, heard: str, asker: str) -> str:
    """What the asker did, or what was done for them; empty if the line asks for nothing of that kind, or nothing is remembered."""
    known = {topic: found for topic in _asked() if (found := _latest(mind, asker, topic)) is not None}
    heard_of = news.told_of(mind, asker) if MemoryTopic.PLAYER_DID not in known else None
    if not known and heard_of is None:
        return ""
    topics: list[MemoryTopic | None] = [topic for topic, lines in _asked().items() for _ in lines]
    others = _otherwise()
    topics += [None] * len(others)
    vectors = await mind.tools.embedder.embed([heard, *(line for lines in _asked().values() for line in lines), *others])
    near = vectors[1:] @ vectors[0]
    best = int(np.argmax(near))
    topic = topics[best]
    settings = _settings()
    if topic is None or near[best] < settings["least_cosine"]:
        return ""
    if topic is MemoryTopic.PLAYER_DID and heard_of is not None:
        by, what = mind.people.first_name_of(heard_of.source_person), as_told(mind, news.as_claim(mind, heard_of), asker)
        return str(settings["told"][TOLD_BY_OTHERS].format(by=by, what=what))
    if topic not in known:
        return ""
    told: str = settings["told"][topic.value].format(what=as_told(mind, known[topic].text, asker))
    return told


def _latest(mind: Mind, asker: str, topic: MemoryTopic) -> Memory | None:
    """The latest memory of a topic that is about the asker."""
    about = (it for it in mind.stream.about(asker, SEARCHED) if it.topic is topic)
    return max(about, key=lambda memory: memory.id, default=None)


@cache
def _asked() -> Mapping[MemoryTopic, Sequence[str]]:
    return {MemoryTopic(topic): lines for topic, lines in _lines().items() if topic != MemoryTopic.OTHER.value}


@cache
def _otherwise() -> Sequence[str]:
    """Lines that ask for something else, such as what the NPC itself did."""
    moment: Mapping[str, Sequence[str]] = read_json("moment.json")
    return [*_lines()[MemoryTopic.OTHER.value], *(line for lines in moment.values() for line in lines if "{" not in line)]


@cache
def _lines() -> Mapping[str, Sequence[str]]:
    data: Mapping[str, Sequence[str]] = read_json("asked_after.json")
    return data


@cache
def _settings() -> Mapping[str, Any]:
    data: Mapping[str, Any] = read_toml("instinct.toml")["asked_after"]
    return data
