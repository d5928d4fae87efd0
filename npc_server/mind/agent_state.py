"""An agent's state as the save holds it, without memories, plan and relationships.

It is put together when a thought is written. In play, `Agent.doing` holds what the agent is doing, `Mind` how it sees itself and the plans
in progress, and `Mind.budget` the tokens it may spend.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from npc_server.mind.doing import Doing, OwnDeed
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokensLeft
from npc_server.records import NEVER, GameTime, Living, Mood, Needs, TalkWish


@dataclass(frozen=True)
class AgentState(Doing):
    """The state of one agent. Fields are columns of the save's JSON: renaming one needs a migration."""

    summary: str = ""
    currently: str = ""
    revised: GameTime = NEVER
    needs: Needs = field(default_factory=Needs)
    needs_at: GameTime = 0
    mood: Mood = field(default_factory=Mood)
    importance_since: int = 0
    living: tuple[Living, ...] = ()
    deeds: tuple[OwnDeed, ...] = ()
    tokens_left: TokensLeft | None = None
    """None if there is no limit."""
    talk_wanted: tuple[TalkWish, ...] = ()
    grounds: tuple[int, ...] = ()
    outdated: tuple[str, ...] = ()


def state_of(mind: Mind, doing: Doing) -> AgentState:
    return AgentState(
        **vars(doing),
        summary=mind.identity.summary,
        currently=mind.identity.currently,
        revised=mind.identity.revised,
        needs=mind.feelings.needs,
        needs_at=mind.feelings.needs_at,
        mood=mind.feelings.mood,
        importance_since=mind.reflecting.importance_since,
        living=tuple(mind.lifestyle.living.values()),
        deeds=mind.lifestyle.deeds,
        tokens_left=mind.budget.left,
        talk_wanted=tuple(mind.relationships.talk_wanted.values()),
        grounds=mind.identity.grounds,
        outdated=mind.reflecting.outdated,
    )


def doing_of(it: AgentState) -> Doing:
    """What the agent was doing. A talk is over if the server crashed during it."""
    return Doing(**{part.name: getattr(it, part.name) for part in fields(Doing)} | {"talk": ""})
