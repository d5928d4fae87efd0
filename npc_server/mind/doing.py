"""What an agent is about."""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.records import Action, Address, GameTime, Social

TALKED_KEPT = 50
TOLD_KEPT = 300
EXCHANGES_KEPT = 20
CALLED_KEPT = 50
"""Most entries of `talked`, `told`, `exchanges` and `called`; the oldest go."""


@dataclass(frozen=True)
class Exchange:
    """What was stored of one line said to the NPC and its answer, so that it can be taken back."""

    speaker: str
    memories: tuple[int, ...]
    steps: tuple[int, ...] = ()
    told: tuple[int, ...] = ()
    """Ids of older memories that the answer passed on for the first time."""
    summaries: tuple[Social, ...] = ()
    """Social Memory as it was before it took these memories in."""


@dataclass(frozen=True)
class Doing:
    """All that a thought goes on from, besides what its mind holds."""

    address: Address = ""
    action: Action | None = None
    step: int = 0
    """Id of the plan's step behind the action; 0 for none."""
    actions: int = 0
    """How many actions it has begun; numbers the next one."""
    attempt: int = 0
    avoid: tuple[Address, ...] = ()
    """Addresses that failed for this step."""
    talk: str = ""
    """Id of the conversation the NPC is in; empty for none."""
    talked: tuple[tuple[str, GameTime], ...] = ()
    """With whom it talked last and when, newest last."""
    told: tuple[tuple[str, int], ...] = ()
    """Whom it told which memory, newest last."""
    exchanges: tuple[Exchange, ...] = ()
    """Lines said to it from outside the world, newest last."""
    called: tuple[tuple[str, str], ...] = ()
    """Id and name of the actions of the game's own that it chose in talk, newest last: the game answers by the id."""
