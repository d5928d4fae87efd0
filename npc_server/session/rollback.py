"""A thought is whole or nothing: what breaks leaves an agent as it was, and what it was about is thought of once more.

An event may be at fault, or a tool that is away for a moment. So the events of a thought that broke wait and are thought of again, whole,
with what came meanwhile. Those of a second broken thought count as taken in: no event can hold up a mind for ever.
"""

from __future__ import annotations

from dataclasses import dataclass

from npc_server import clock
from npc_server.agent import Agent, Wish
from npc_server.mind import snapshot as of_mind
from npc_server.mind.doing import Doing
from npc_server.mind.snapshot import MindSnapshot
from npc_server.records import GameEvent, GameTime, MindEvent

RETRY_S = 5 * clock.MINUTE
"""Game seconds until a mind whose thought broke thinks again."""


@dataclass(frozen=True)
class AgentSnapshot:
    """An agent before a thought or a talk, as it is stored or waits to be."""

    mind: MindSnapshot
    doing: Doing
    wish: Wish | None
    deeds: tuple[str, ...]
    outgoing: tuple[MindEvent, ...]
    next_wake: GameTime
    events: tuple[tuple[int, GameEvent], ...]
    """What a thought that begins now is about."""


def snapshot(agent: Agent) -> AgentSnapshot:
    """Of what is made for one agent only the last holds."""
    deeds, outgoing, events = tuple(agent.deeds), tuple(agent.outgoing), tuple(agent.mailbox)
    return AgentSnapshot(of_mind.snapshot(agent.mind), agent.doing, agent.wish, deeds, outgoing, agent.next_wake, events)


def restore(agent: Agent, to: AgentSnapshot) -> None:
    """The agent is as it was, but for what it asked of models, which is paid for, and for its mailbox."""
    of_mind.restore(agent.mind, to.mind)
    agent.doing, agent.wish, agent.next_wake = to.doing, to.wish, to.next_wake
    agent.deeds, agent.outgoing = list(to.deeds), list(to.outgoing)


def roll_back(agent: Agent, to: AgentSnapshot, now: GameTime) -> list[int]:
    """Undoes a thought. It rests for a while, then its events come again. Returns the numbers of those given up."""
    restore(agent, to)
    again = [(seq, event) for seq, event in to.events if seq not in agent.tried]
    given_up = [seq for seq, _ in to.events if seq in agent.tried]
    agent.mailbox = [*again, *agent.mailbox]
    agent.tried = frozenset(seq for seq, _ in again)
    agent.mind.draft.events_done += given_up
    agent.rests_until = now + RETRY_S
    agent.next_wake = agent.rests_until if again else max(agent.next_wake, agent.rests_until)
    return given_up
