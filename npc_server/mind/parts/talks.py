"""Whom an NPC may talk with now, and what the model was shown of a talk."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from npc_server.mind.chat import Chat
from npc_server.mind.overheard import SaidLately


@dataclass(eq=False)
class Reading:
    """What the model reads ahead for a line. Nothing that is put back stops it."""

    task: asyncio.Task[None] | None = None

    @property
    def goes_on(self) -> bool:
        return self.task is not None and not self.task.done()


@dataclass
class TalkState:
    players: dict[str, frozenset[int]] = field(default_factory=dict)
    """Players who are near and free to talk, each with the plan steps of promises that have come to mind. See `mind.players`."""
    chat: Chat | None = None
    """What the model was shown of the talk that goes on, or of the last one. `lines.chat` grows it. A save does not hold it."""
    reading: Reading = field(default_factory=Reading)
    """What a talk begins with, read while a player comes near (`lines.read_ahead`)."""
    said_lately: SaidLately = field(default_factory=SaidLately)
    """Recent lines of the session, shared by all its minds."""
