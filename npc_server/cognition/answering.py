"""Answering: what is remembered about a question, looked up without a model. Who remembers nothing says so."""

from __future__ import annotations

import re

from npc_server import clock
from npc_server.cognition.mind import Mind
from npc_server.cognition.places import words_of
from npc_server.cognition.wording import ended
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource


def answer(mind: Mind, question: str, asker: str, now: GameTime) -> str:
    """What is remembered about a question, in plain words; empty when nothing fits: an NPC does not make things up."""
    if _WHO_ARE_YOU.search(question):
        return f"I am {mind.persona.name}. {ended(next(iter(mind.persona.identity_phrases), ''))}".strip()
    memory = recall(mind, question, asker)
    if memory is None:
        return ""
    said = f"{mind.first_name_of(memory.source_person)} told me: " if memory.source is MemorySource.TOLD and memory.source_person else ""
    when = "" if memory.source is MemorySource.KNOWN else f" That was {clock.ago(memory.created, now)}."
    return said + ended(memory.text) + when


def recall(mind: Mind, question: str, asker: str) -> Memory | None:
    """The memory that shares most telling words with the question, the most important, newest of equals.

    At least half of them, and of those that are nobody's name: to have seen Tobin is not to know what he carves.
    """
    wanted = words_of(question) - _ASKING - words_of(mind.persona.name)
    if not wanted:
        return None
    needed = wanted - words_of(" ".join(mind.names.values())) or wanted
    best: tuple[int, int, int] | None = None
    found: Memory | None = None
    for memory in mind.stream.latest(5000):
        if memory.kind is MemoryKind.PLAN or memory.source_person == asker:
            continue
        words = words_of(f"{memory.text} {mind.name_of(memory.subject)}")
        score = (len(wanted & words), memory.importance, memory.id)
        if len(needed & words) * 2 >= len(needed) and (best is None or score > best):
            best, found = score, memory
    return found


_WHO_ARE_YOU = re.compile(r"\bwho (are you|you are)\b|\b(your name|introduce yourself)\b", re.IGNORECASE)
_ASKING = frozenset(
    words_of(
        "who what where when why how do does did you your are is was were will would can could have has had know hear heard tell me "
        "i we us any think about there that this please say said ever"
    )
)
