"""Answers about the asker: `Do you remember me?` and `What did I tell you?`"""

from __future__ import annotations

import re
from collections.abc import Iterator

from npc_server.english import polite_forms
from npc_server.english.normalize import terms_of
from npc_server.english.text import TALKED_WITH, quoted
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemoryTopic

LATEST = 5000
"""Newest memories that are searched."""
_KNOWS_ME = re.compile(
    r"^(do you (still )?(remember|know|recognise|recognize) me|who am i|have we met|do we know each other|what('s| is) my name|"
    r"do you (remember|know) (my name|who i am))\b"
)
_I_TOLD = re.compile(
    r"^(what did i (tell|say)|(do you )?(remember )?what i (told|said)|what have i (told|said)|did i (tell|say))( to)?( you)?"
    r"( (about|of|that) (?P<topic>.+))?$"
)
STRANGER = "I don't think we have met."
NOTHING = "Nothing that I remember."


def answer(mind: Mind, question: str, asker: str) -> str:
    """The answer to an asker who has a name; empty for every other question."""
    if not asker[:1].isupper() or asker in mind.names:
        return ""
    plain = polite_forms.plain_question(question)
    if _KNOWS_ME.search(plain):
        met = any(memory.source_person == asker or memory.object == asker for memory in _of(mind, asker))
        told = next(iter(_told(mind, asker, "")), "")
        return (f'You are {asker}. You told me: "{told}"' if told else f"You are {asker}.") if met else STRANGER
    asked = _I_TOLD.search(plain)
    if asked is None:
        return ""
    told = next(iter(_told(mind, asker, asked["topic"] or "")), "")
    return f'You told me: "{told}"' if told else NOTHING


def latest_told(mind: Mind, asker: str) -> str:
    """What weighs most of what the asker said in earlier talks, in their own words; empty if nothing is remembered."""
    return next(iter(_told(mind, asker, "")), "")


def _of(mind: Mind, asker: str) -> Iterator[Memory]:
    """Memories of earlier talks with the asker, without the question that is being answered."""
    latest = mind.stream.latest(LATEST, (MemoryKind.CONVERSATION,))
    newest = max((memory.created for memory in latest), default=0)
    return (
        m
        for m in latest
        if (m.source_person == asker or (m.predicate == TALKED_WITH and m.object == asker)) and not _is_just_asked(m, newest)
    )


def _is_just_asked(memory: Memory, newest: int) -> bool:
    return memory.created == newest and memory.topic is MemoryTopic.ASKED


def _told(mind: Mind, asker: str, topic: str) -> list[str]:
    """What the asker said on a topic, in their own words, the best match first; without a topic the most important first."""
    wanted = terms_of(topic)
    found: list[tuple[int, int, int, str]] = []
    for memory in _of(mind, asker):
        if memory.topic is not MemoryTopic.SAID or memory.source_person != asker:
            continue
        words = quoted(memory.text)
        shared = len(wanted & terms_of(words))
        if shared or not wanted:
            found.append((shared, memory.importance, memory.id, words))
    return [entry[3] for entry in sorted(found, reverse=True)]
