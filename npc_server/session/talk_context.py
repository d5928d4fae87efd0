"""What conversations need of a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from npc_server.agent import Agent
from npc_server.config import MindSettings
from npc_server.mind import appointments
from npc_server.mind.offers import Call
from npc_server.mind.places import room_of
from npc_server.personas import routine
from npc_server.records import GameAction, GameTime, Line, MindEvent, NpcId, Speech, Talk

HURRY_S = 10 * 60
"""Game seconds before an appointment in which one has no time to talk."""


@dataclass
class TalkContext:
    """Everybody of a session, and the way out for what they say. `busy` are those who talk: they do nothing else."""

    agents: dict[NpcId, Agent]
    settings: MindSettings
    now: Callable[[], GameTime]
    put: Callable[[Sequence[MindEvent]], object]
    write: Callable[[Agent], Awaitable[None]]
    busy: set[NpcId] = field(default_factory=set)

    def room(self, npc: NpcId) -> str:
        agent = self.agents[npc]
        return room_of(agent.mind.world, agent.doing.address)

    def asleep(self, npc: NpcId) -> bool:
        return routine.is_asleep_at(self.agents[npc].mind.persona, self.now())

    def hurried(self, npc: NpcId) -> bool:
        """Whether an appointment of theirs is about to begin, or on."""
        now = self.now()
        return any(step.start <= now + HURRY_S and now < step.start for step in appointments.coming(self.agents[npc].mind, now))

    def say_aloud(self, talk: Talk, line: Line, partial: bool = False) -> None:
        if not partial:
            self.agents[line.speaker].mind.said_lately.note(line.speaker, line.text, line.claims)
        to = tuple(person for person in talk.people if person != line.speaker)
        self.put([Speech(line.speaker, line.text, line.at, to, partial, talk.id)])

    def choose(self, npc: NpcId, talk: Talk, line: int, call: Call) -> GameAction:
        """An action of the game's that was chosen with a line of a talk. Who chose it knows of it; the game is told when that is stored."""
        chosen = GameAction(npc, f"{talk.id}/{call.name}/{line}", call.name, call.arguments)
        self.agents[npc].note_called(chosen)
        return chosen
