"""An agent as it stands in the save, but for its memories, its plan and what is kept of others: put together when it is written.

In play each part has one home: what it is about in `Agent.doing`, how it sees itself and what it lives through in `Mind`, what it may
spend in `Mind.budget`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from npc_server.mind.doing import Doing
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokensLeft
from npc_server.records import GameTime, Living


@dataclass(frozen=True)
class Kept(Doing):
    """The save's record of one agent. Its fields are the save's: another name needs a migration."""

    summary: str = ""
    currently: str = ""
    revised: GameTime = 0
    importance_since: int = 0
    living: tuple[Living, ...] = ()
    purse: TokensLeft | None = None
    """None where there is no limit."""


def kept(mind: Mind, doing: Doing) -> Kept:
    return Kept(
        **vars(doing),
        summary=mind.summary,
        currently=mind.currently,
        revised=mind.revised,
        importance_since=mind.importance_since,
        living=tuple(mind.living.values()),
        purse=mind.budget.left,
    )


def doing_of(it: Kept) -> Doing:
    """What it was about. A conversation that a crash broke off is over."""
    return Doing(**{part.name: getattr(it, part.name) for part in fields(Doing)} | {"talk": ""})
