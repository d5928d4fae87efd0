"""What an agent is doing: its action, the step behind it, its talk, and whom it told what."""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.records import Action, Address, GameTime, Social

TALKED_KEPT = 50
TOLD_KEPT = 300
EXCHANGES_KEPT = 20
CALLED_KEPT = 50
"""How many entries `talked`, `told`, `exchanges` and `called` keep; the oldest go first."""


@dataclass(frozen=True)
class Exchange:
    """What was stored of one line said to the NPC and its answer, so that both can be undone."""

    speaker: str
    memories: tuple[int, ...]
    steps: tuple[int, ...] = ()
    told: tuple[int, ...] = ()
    """Ids of older memories that this answer told the speaker for the first time."""
    summaries: tuple[Social, ...] = ()
    """Social Memory as it was before it included these memories."""


@dataclass(frozen=True)
class Doing:
    """What a thought needs to go on, besides its mind."""

    address: Address = ""
    action: Action | None = None
    step: int = 0
    """Id of the plan step behind the action; 0 for none."""
    actions: int = 0
    """How many actions it has begun. The next id counts on from it."""
    attempt: int = 0
    avoid: tuple[Address, ...] = ()
    """Addresses that failed for this step."""
    talk: str = ""
    """Id of the talk the NPC is in; empty for none."""
    talked: tuple[tuple[str, GameTime], ...] = ()
    """Whom it talked with and when, newest last."""
    told: tuple[tuple[str, int], ...] = ()
    """Pairs of a person and a memory that the person was told, newest last."""
    exchanges: tuple[Exchange, ...] = ()
    """Lines that players said to it, newest last."""
    called: tuple[tuple[str, str], ...] = ()
    """Id and name of the game's actions that it chose in dialogue, newest last. The game answers by id."""
