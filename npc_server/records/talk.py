"""What is said."""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.records.basics import Address, GameTime, NpcId


@dataclass(frozen=True)
class Line:
    """Something said in a conversation. `speaker` is an NPC id or a player's name."""

    speaker: str
    text: str
    at: GameTime
    claims: tuple[str, ...] | None = None
    """What it tells as news, in the third person; None where that is not known (instinct knows what it passes on)."""


@dataclass(frozen=True)
class Talk:
    """A conversation so far: who takes part, where, and the lines in order."""

    id: str
    people: tuple[str, ...]
    place: Address
    started: GameTime
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Speech:
    npc: NpcId
    text: str
    at: GameTime
    to: tuple[str, ...] = ()
    partial: bool = False
    conversation: str = ""
