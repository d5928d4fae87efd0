"""Undoes a thought that fails, so that every thought is stored as a whole or not at all.

The cause may be an event, or something that is unavailable for a moment. So the events of a failed thought are handled a second time,
together with new ones. After a second failure they count as handled, so that no event can stop a mind for ever.
"""

from __future__ import annotations

from dataclasses import dataclass

from npc_server import clock
from npc_server.agent import Agent, Wish
from npc_server.mind import restraints
from npc_server.mind import snapshot as of_mind
from npc_server.mind.doing import Doing
from npc_server.mind.snapshot import MindSnapshot
from npc_server.records import GameEvent, GameTime, MindEvent

RETRY_S = 5 * clock.MINUTE
"""Game seconds until a mind thinks again after a failed thought."""


@dataclass(frozen=True)
class AgentSnapshot:
    """The state of an agent before a thought or a talk."""

    mind: MindSnapshot
    doing: Doing
    wish: Wish | None
    decided: tuple[str, ...]
    outgoing: tuple[MindEvent, ...]
    next_wake: GameTime
    events: tuple[tuple[int, GameEvent], ...]
    """The waiting events that the thought will handle."""


def snapshot(agent: Agent) -> AgentSnapshot:
    """Takes a snapshot. Only the latest snapshot of an agent can be restored."""
    decided, outgoing, events = tuple(agent.decided), tuple(agent.outgoing), tuple(agent.mailbox)
    return AgentSnapshot(of_mind.snapshot(agent.mind), agent.doing, agent.wish, decided, outgoing, agent.next_wake, events)


def restore(agent: Agent, to: AgentSnapshot) -> None:
    """Restores the agent, except for its mailbox and the cost of its questions."""
    of_mind.restore(agent.mind, to.mind)
    agent.doing, agent.wish, agent.next_wake = to.doing, to.wish, to.next_wake
    agent.decided, agent.outgoing = list(to.decided), list(to.outgoing)


def break_off(agent: Agent, to: AgentSnapshot) -> None:
    """Undoes a thought because a player speaks to the NPC. What it was about is thought of again afterwards."""
    restore(agent, to)
    agent.mailbox = [*to.events, *agent.mailbox]


def roll_back(agent: Agent, to: AgentSnapshot, now: GameTime) -> list[int]:
    """Undoes a failed thought. The agent rests, then its events come again. Returns the numbers of events that are given up."""
    restore(agent, to)
    again = [(seq, event) for seq, event in to.events if seq not in agent.tried]
    given_up = [seq for seq, _ in to.events if seq in agent.tried]
    # What the game ordered holds all the same.
    agent.doing, _ = restraints.taken_in(agent.doing, [it for it in to.events if it not in again])
    agent.mailbox = [*again, *agent.mailbox]
    agent.tried = frozenset(seq for seq, _ in again)
    agent.mind.draft.events_done += given_up
    agent.rests_until = now + RETRY_S
    agent.next_wake = agent.rests_until if again else max(agent.next_wake, agent.rests_until)
    return given_up
