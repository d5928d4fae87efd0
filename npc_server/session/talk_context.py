"""What conversations need of a session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from npc_server import clock
from npc_server.agent import Agent
from npc_server.config import MindSettings
from npc_server.mind import appointments, restraints
from npc_server.mind.offers import Call
from npc_server.mind.places import room_of
from npc_server.personas import routine
from npc_server.records import GameAction, GameTime, Line, MindEvent, NpcId, Source, Speech, Talk

T = TypeVar("T")

LISTENS_S = 2 * clock.MINUTE
"""Game seconds an NPC waits for a player's next line before it goes on with its day."""
HURRY_S = 10 * 60
"""Game seconds before an appointment in which an NPC has no time to talk."""


@dataclass
class TalkContext:
    """Everybody of a session, and the way out for what they say. Those in `busy` talk and do nothing else."""

    agents: dict[NpcId, Agent]
    settings: MindSettings
    now: Callable[[], GameTime]
    put: Callable[[Sequence[MindEvent]], object]
    write: Callable[[Agent], Awaitable[None]]
    busy: set[NpcId] = field(default_factory=set)
    players_talking: list[str] = field(default_factory=list)
    """Players who say something now, or to whom somebody comes up now; once for each time."""
    calls: dict[NpcId, asyncio.Event] = field(default_factory=dict)
    """For each NPC that talks with other NPCs: set when a player speaks to one of them. All of a talk share one."""

    @contextmanager
    def player_talks(self, player: str) -> Iterator[None]:
        """Within it nobody comes up to the player."""
        self.players_talking.append(player)
        try:
            yield
        finally:
            self.players_talking.remove(player)

    may_break_off: bool = True
    """Whether a player's line ends a talk at once. Not in lockstep: the tasks for it would let chance decide whose line comes first."""

    def call(self, npc: NpcId) -> None:
        """A player speaks to an NPC that talks with others: their talk ends, and this NPC remembers it by instinct, at once."""
        self.agents[npc].mind.budget.is_called = True
        self.calls[npc].set()

    def hush(self, npc: NpcId) -> None:
        """Ends the talk that an NPC is in with others, at once; what was said is remembered. Does nothing if there is none."""
        if self.may_break_off and npc in self.calls and not self.is_called(npc):
            self.call(npc)

    def is_called(self, npc: NpcId) -> bool:
        return self.agents[npc].mind.budget.is_called

    def let_go(self, npc: NpcId) -> None:
        """An NPC for which a player waits is free as soon as it has remembered a talk; the others may take longer."""
        if self.is_called(npc):
            self.agents[npc].mind.budget.is_called = False
            self.calls.pop(npc, None)
            self.busy.discard(npc)

    async def unless_called(self, members: Sequence[Agent], work: Coroutine[Any, Any, T]) -> T | None:
        """What comes of `work`; None if a player speaks to one of the members before it is done. Then it is broken off."""
        event = next((self.calls[member.npc] for member in members if member.npc in self.calls), None)
        if event is None or not self.may_break_off:
            return await work
        task, called = asyncio.ensure_future(work), asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait({task, called}, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() and not event.is_set() else None
        finally:
            for one in (task, called):
                one.cancel()
            await asyncio.gather(task, called, return_exceptions=True)

    def room(self, npc: NpcId) -> str:
        agent = self.agents[npc]
        return room_of(agent.mind.world, agent.doing.address)

    def present(self, talk: Talk) -> list[NpcId]:
        """Who is awake in the room of a talk, may notice it, and takes no part in it."""
        if not talk.place:
            return []
        others = [npc for npc in self.agents if npc not in talk.people and self.room(npc) == talk.place and not self.asleep(npc)]
        return [npc for npc in others if not self.unaware(npc)]

    def silent(self, npc: NpcId) -> bool:
        """Whether a scripted scene keeps them from speaking."""
        agent = self.agents[npc]
        return restraints.is_silent(agent.doing, agent.mailbox, self.now())

    def unaware(self, npc: NpcId) -> bool:
        """Whether a scripted scene keeps them from taking notice."""
        agent = self.agents[npc]
        return restraints.is_unaware(agent.doing, agent.mailbox, self.now())

    def asleep(self, npc: NpcId) -> bool:
        return routine.is_asleep_at(self.agents[npc].mind.persona, self.now())

    def hurried(self, npc: NpcId) -> bool:
        """Whether an appointment of theirs is about to begin."""
        now = self.now()
        return any(step.start <= now + HURRY_S and now < step.start for step in appointments.coming(self.agents[npc].mind, now))

    def say_aloud(self, talk: Talk, line: Line, partial: bool = False, source: Source = Source.MODEL) -> None:
        if not partial:
            self.agents[line.speaker].mind.talks.said_lately.note(line)
        to = tuple(person for person in talk.people if person != line.speaker)
        self.put([Speech(line.speaker, line.text, line.at, to, partial, talk.id, source)])

    def choose(self, npc: NpcId, talk: Talk, line: int, call: Call) -> GameAction:
        """The game's action that was chosen with a line of a talk. The NPC knows of it. The game is told when that is stored."""
        chosen = GameAction(npc, f"{talk.id}/{call.name}/{line}", call.name, call.arguments)
        self.agents[npc].note_called(chosen, next((person for person in talk.people if person != npc), ""))
        return chosen
