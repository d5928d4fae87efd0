"""Samples for training: prompts and replies made with the server's own templates and reply types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from models.nano.people import Someone
from npc_server.llm.reply import ReplyType
from npc_server.mind import identity, retrieve
from npc_server.prompts.budget import Rendered
from npc_server.prompts.load import NANO, Prompts, Trusted
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource

FURTHER = ("dialogue", "question", "draft", "format")
"""Sections of a prompt that a further question repeats."""


@dataclass(frozen=True)
class Turn:
    """A prompt and the wanted reply."""

    user: str
    reply: str
    expect: tuple[str, ...] = ()
    """Any of these shows that a reply is right; empty when the whole reply counts, or the NPC cannot know."""
    kind: str = ""
    type: ReplyType[Any] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Sample:
    """One prompt with its reply, and perhaps further questions about it, which need no second prompt in training."""

    question: str
    system: str
    turns: tuple[Turn, ...]
    about: Mapping[str, Any] = field(default_factory=dict)
    """Values for tests: memories, who speaks, what is offered."""


@cache
def prompts() -> Prompts:
    return Prompts()


def rendered(me: Someone, now: GameTime, question: str, reply: ReplyType[Any], values: Mapping[str, object]) -> Rendered:
    values = {**identity.values_of(me.mind, now), "format": Trusted(reply.format_text()), **values}
    return prompts().render(question, values, NANO)


def turn(full: Rendered, first: bool, reply: ReplyType[Any], value: object, expect: tuple[str, ...] = (), kind: str = "") -> Turn:
    """A prompt with its reply; for a further question only the sections that change. Raises ReplyUnreadable for a wrong reply."""
    text = reply.write(value)
    reply.parse(text)
    return Turn(full.part("user") if first else _further(full), text, expect, kind, reply)


def _further(full: Rendered) -> str:
    return "\n\n".join(section.text for section in full.sections if section.part == "user" and section.name in FURTHER)


def memory_line(me: Someone, text: str, now: GameTime, then: GameTime, source: MemorySource = MemorySource.SEEN, person: str = "") -> str:
    """A memory as prompts show it."""
    kind = MemoryKind.CONVERSATION if source is MemorySource.TOLD else MemoryKind.OBSERVATION
    memory = Memory("me", 1, kind, text, then, then, 5, source=source, source_person=person)
    return retrieve.memory_line(me.mind, memory, now)
