"""An agent's state as the save holds it, without memories, plan and relationships.

It is put together when a thought is written. In play, `Agent.doing` holds what the agent is doing, `Mind` how it sees itself and the plans
in progress, and `Mind.budget` the tokens it may spend.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from npc_server.mind.doing import Doing
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokensLeft
from npc_server.records import GameTime, Living


@dataclass(frozen=True)
class AgentState(Doing):
    """The state of one agent. Fields are columns of the save's JSON: renaming one needs a migration."""

    summary: str = ""
    currently: str = ""
    revised: GameTime = 0
    importance_since: int = 0
    living: tuple[Living, ...] = ()
    tokens_left: TokensLeft | None = None
    """None where there is no limit."""


def state_of(mind: Mind, doing: Doing) -> AgentState:
    return AgentState(
        **vars(doing),
        summary=mind.summary,
        currently=mind.currently,
        revised=mind.revised,
        importance_since=mind.importance_since,
        living=tuple(mind.living.values()),
        tokens_left=mind.budget.left,
    )


def doing_of(it: AgentState) -> Doing:
    """What the agent was doing. A talk that a crash interrupted is over."""
    return Doing(**{part.name: getattr(it, part.name) for part in fields(Doing)} | {"talk": ""})
