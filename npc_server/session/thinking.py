"""The thoughts and conversations of a session: when each begins, and that what it changed is stored before the game hears of it.

In lockstep everybody due thinks at once, then those who want to talk do, and then all have settled; else whoever is
due thinks. What fails in one mind stops neither the others nor the game.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any, TypeVar

import structlog

from npc_server.agent import Agent
from npc_server.config import MindSettings
from npc_server.errors import BadInput, NpcServerError, SaveError
from npc_server.llm.deadline import Deadline, current_deadline, under_deadline
from npc_server.llm.lockstep import WaveEngine
from npc_server.memory.draft import Draft
from npc_server.memory.store import Store
from npc_server.records import GameTime, MindEvent, Notice, NoticeLevel, NpcId, Settled
from npc_server.session import approach, rollback, talks
from npc_server.session.dialogue import Dialogues
from npc_server.session.rollback import RETRY_S, AgentSnapshot
from npc_server.session.talk_context import TalkContext

log = structlog.get_logger()
T = TypeVar("T")

ATTENTION_POLL_S = 0.02
"""Wall seconds between two checks whether an NPC has finished talking."""


class Thinking:
    """Runs the thoughts and talks of one epoch. Loading a save ends it, and the next epoch gets its own."""

    def __init__(
        self,
        agents: dict[NpcId, Agent],
        settings: MindSettings,
        waves: WaveEngine,
        store: Store,
        epoch: int,
        now: Callable[[], GameTime],
        put: Callable[[Sequence[MindEvent]], object],
    ) -> None:
        self._agents = agents
        self._waves = waves
        self._store = store
        self._epoch = epoch
        self._now = now
        self._put = put
        self._context = TalkContext(agents, settings, now, put, self._write_part)
        self.dialogues = Dialogues(self._context)
        self._thoughts: dict[NpcId, asyncio.Task[None]] = {}
        self._talks: set[asyncio.Task[None]] = set()
        self._deadlines: dict[NpcId, Deadline] = {}
        """For each NPC, the deadline of the thought or talk that it is in."""
        self._before: dict[NpcId, AgentSnapshot] = {}
        """For each NPC that thinks or talks, its state before that, or when it was last stored."""
        self._breakable: dict[NpcId, asyncio.Future[None]] = {}
        """For each NPC, the part of its thought that a player's line may break off. Storing it may not be broken off."""
        self._broken_off: set[NpcId] = set()
        """The NPCs whose thought a player's line has just broken off."""
        self._awaited = Counter[NpcId]()
        """How many callers wait for the attention of each NPC. Until they have it, it begins no new thought or talk."""
        self._refused: set[NpcId] = set()
        """The NPCs whose draft holds what could not be stored."""
        self._asides: set[asyncio.Task[Any]] = set()
        """Tasks of players: lines, whispers, undone lines, interviews."""
        self._settling: asyncio.Task[None] | None = None
        self._lockstep = False
        self._started = False
        self._stopped: Callable[[], NpcServerError] | None = None
        self._may_write = asyncio.Event()
        self._may_write.set()

    def tick(self, seq: int, lockstep: bool) -> None:
        """The clock moved. In lockstep, `Settled` for `seq` follows when everybody has decided."""
        self._lockstep, self._started = lockstep, True
        self._context.may_break_off = not lockstep
        if lockstep:
            self._wake_all()
            self._settling = asyncio.create_task(self._settle(seq, self._settling), name=f"settle {seq}")

    @property
    def at_work(self) -> int:
        """How many people think or talk now."""
        return len(self._thoughts.keys() | self._context.busy)

    def heard(self) -> None:
        """Something happened to somebody. In lockstep it waits for the clock."""
        if not self._lockstep:
            self._wake_all()

    async def stop(self, why: Callable[[], NpcServerError]) -> None:
        """Drops every thought in flight, with all it had in mind. What it cost stays in the ledger of the save that was played.

        A line of a player that is not answered yet is broken off, too; whoever waits for it, or comes later, gets `why`.
        """
        self._stopped = why
        self._may_write.set()
        tasks = [*self._thoughts.values(), *self._talks, *self._asides, *([self._settling] if self._settling else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for agent in self._agents.values():
            await self._drop(agent)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Within it nothing is stored and so nothing is told: minds think on and wait. They go on if it fails; else `stop` follows."""
        self._may_write.clear()
        try:
            yield
        except BaseException:
            self._may_write.set()
            raise

    async def attend(self, agent: Agent, work: Callable[[Agent], Awaitable[T]]) -> T:
        """What comes of `work` with an agent that neither thinks nor talks; until it is over, it does neither. One caller after the other.

        A thought of the agent is broken off and comes again later. A talk with other NPCs ends.
        A caller that goes away ends it, and so does `stop`, while it can still be stored.
        """
        return await self.until_stopped(self._attended(agent, work))

    async def until_stopped(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of `work`; `stop` ends it, and then this raises what `stop` was given."""
        if self._stopped is not None:
            work.close()
            raise self._stopped()
        task = asyncio.create_task(work)
        self._asides.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if self._stopped is not None:
                raise self._stopped() from None
            raise
        finally:
            self._asides.discard(task)

    async def _attended(self, agent: Agent, work: Callable[[Agent], Awaitable[T]]) -> T:
        async with self.attention_of(agent, at_once=True):
            return await work(agent)

    @asynccontextmanager
    async def attention_of(self, agent: Agent, *, at_once: bool = False) -> AsyncIterator[None]:
        """Until the end of the block the agent neither thinks nor talks. Raises what `stop` was given.

        With `at_once`, its thought or talk is broken off. Else it is waited for, and its questions go before all others meanwhile. What
        takes longer than the caller's deadline goes on by instinct from then on.
        """
        npc, busy, mine = agent.npc, self._context.busy, current_deadline()
        with agent.mind.budget.of_player():
            with self._awaits(npc):
                while npc in busy or npc in self._thoughts:
                    if at_once:
                        self._break_off(npc)
                    if npc in self._deadlines:
                        self._deadlines[npc].end_at(mine.until)
                    thought = self._thoughts.get(npc)
                    await (asyncio.wait([thought]) if thought is not None else asyncio.sleep(ATTENTION_POLL_S))
            if self._stopped is not None:
                raise self._stopped()
            busy.add(npc)
            self._before.pop(npc, None)  # of a talk that it has left
            try:
                yield
            finally:
                busy.discard(npc)

    @contextmanager
    def _awaits(self, npc: NpcId) -> Iterator[None]:
        """Within it somebody waits for the attention of the NPC. However much comes in, it thinks about that later."""
        self._awaited[npc] += 1
        try:
            yield
        finally:
            self._awaited[npc] -= 1

    def _is_awaited(self, npc: NpcId) -> bool:
        """In lockstep nothing comes in between two clocks, so nobody has to wait long."""
        return not self._lockstep and self._awaited[npc] > 0

    def _break_off(self, npc: NpcId) -> None:
        """Ends what the NPC thinks or talks about with others, unless that is being stored."""
        if npc in self._breakable and npc not in self._broken_off:
            self._broken_off.add(npc)
            self._breakable[npc].cancel()
        else:
            self._context.hush(npc)

    @asynccontextmanager
    async def attention_of_all(self, agents: Sequence[Agent] | None = None) -> AsyncIterator[None]:
        """Works as `attention_of`, for these or for everybody at once."""
        async with AsyncExitStack() as held:
            waits = [held.enter_async_context(self.attention_of(agent)) for agent in (self._agents.values() if agents is None else agents)]
            for result in await asyncio.gather(*waits, return_exceptions=True):
                if isinstance(result, BaseException):
                    raise result
            yield

    def _under_deadline(self, *npcs: NpcId) -> AbstractContextManager[Deadline]:
        """Sets a deadline for a thought or talk of these NPCs. A player who waits for one of them may move it forward."""
        mine = Deadline()
        self._deadlines.update(dict.fromkeys(npcs, mine))
        return under_deadline(mine)

    def _wake_all(self) -> None:
        if not self._started or self._stopped is not None:
            return
        for npc, agent in self._agents.items():
            is_free = npc not in self._thoughts and npc not in self._context.busy and not self._is_awaited(npc)
            if is_free and agent.due(self._now()):
                self._thoughts[npc] = asyncio.create_task(self._think(agent, self._lockstep), name=f"mind of {npc}")

    async def _think(self, agent: Agent, lockstep: bool) -> None:
        npc = agent.npc
        try:
            async with self._waves.task() if lockstep else nullcontext():
                with self._under_deadline(npc):
                    while agent.due(self._now()) and not self._is_awaited(npc) and await self._one_thought(agent, lockstep):
                        pass
        except NpcServerError as error:
            # The save cannot be written: say so, and keep living; what was acknowledged is on disk.
            log.error("thought_not_stored", npc=npc, reason=error.reason, error=str(error))
            self._put([Notice(NoticeLevel.ERROR, error.reason, str(error))])
            agent.next_wake = self._now() + RETRY_S
        finally:
            self._before.pop(npc, None)
            if self._thoughts.get(npc) is asyncio.current_task():
                del self._thoughts[npc]
        if not lockstep:
            self._start_talks(lockstep)

    async def _write(self, agent: Agent) -> None:
        """Stores what a thought changed, then tells the game.

        A draft that could not be written stays, and goes with the next one. But what no file can hold is given up the second time, when
        its thought or line was taken back: it would hold up all that comes after it.
        """
        await self._may_write.wait()
        if draft := agent.mind.draft:
            writing = asyncio.ensure_future(self._store.do(partial(draft.write, npc=agent.npc, epoch=self._epoch)))
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                # It may be on its way to the disk: written twice, it would break the next one.
                with suppress(Exception):
                    await writing
                    agent.mind.draft = Draft()
                raise
            except BadInput:
                if agent.npc in self._refused:
                    await self._drop(agent)
                self._refused ^= {agent.npc}
                raise
            self._refused.discard(agent.npc)
            agent.mind.lifestyle.policies.stored(agent.npc, draft.policies)
        agent.mind.draft = Draft()
        outgoing, agent.outgoing = agent.outgoing, []
        self._put(outgoing)

    async def _write_part(self, agent: Agent) -> None:
        """The same for a part of a talk. What comes after it and breaks leaves it alone."""
        try:
            await self._write(agent)
        except NpcServerError:
            self._is_whole(agent)
            raise
        self._is_whole(agent)

    def _is_whole(self, agent: Agent) -> None:
        """What breaks from here on goes back to here."""
        if agent.npc in self._before:
            self._before[agent.npc] = rollback.snapshot(agent)

    async def _drop(self, agent: Agent, taken_in: Sequence[int] = ()) -> None:
        """Gives a draft up. What it cost stays in the ledger, and these events count as taken in, if that at least can be stored."""
        left, agent.mind.draft = agent.mind.draft.dropped(), Draft()
        left.events_done += taken_in
        if left:
            try:
                await self._store.do(partial(left.write, npc=agent.npc, epoch=self._epoch))
            except Exception as error:  # noqa: BLE001  the draft is given up because something broke; no cost is worth breaking more
                log.warning("cost_not_stored", npc=agent.npc, error=str(error))

    def _start_talks(self, lockstep: bool) -> None:
        """Brings together those who want to talk and can."""
        if self._stopped is not None:
            return
        taken = self._thoughts.keys() | {npc for npc in self._agents if self._is_awaited(npc)}
        visits = approach.visits(self._context, taken)
        self._context.busy.update(member.npc for visit in visits for member in visit.members)
        for meeting in [*visits, *talks.meetings(self._context, taken)]:
            names = [member.npc for member in meeting.members]
            self._context.busy.update(names)
            self._talks.add(asyncio.create_task(self._talk(meeting, lockstep), name=f"talk of {', '.join(names)}"))

    async def _talk(self, meeting: talks.Meeting, lockstep: bool) -> None:
        names = [member.npc for member in meeting.members]
        self._context.calls.update(dict.fromkeys(names, asyncio.Event()))
        for agent in meeting.members:
            agent.mind.budget.talking = True
            self._before[agent.npc] = rollback.snapshot(agent)
        try:
            async with self._waves.task() if lockstep else nullcontext():
                with self._under_deadline(*names):
                    await approach.hold(self._context, meeting)
        except NpcServerError as error:
            log.error("talk_not_stored", people=names, reason=error.reason, error=str(error))
            self._put([Notice(NoticeLevel.ERROR, error.reason, str(error))])
            self._undo_talk(meeting)
        except Exception:  # As for thoughts.
            log.exception("talk_broke", people=names, now=self._now())
            self._put([Notice(NoticeLevel.ERROR, "THOUGHT_BROKE", "A conversation broke; see the server's log.")])
            self._undo_talk(meeting)
        finally:
            for agent in meeting.members:
                agent.mind.budget.talking = False
            for agent in self._in_talk(meeting):
                self._before.pop(agent.npc, None)
                agent.mind.budget.is_called = False
                if agent.doing.talk:
                    agent.end_talk([], self._now(), self._now())
                del self._context.calls[agent.npc]
                self._context.busy.discard(agent.npc)
            approach.over(self._context, meeting)
            self._talks.discard(asyncio.current_task())
        if not lockstep:
            self._wake_all()

    def _in_talk(self, meeting: talks.Meeting) -> list[Agent]:
        """The members that no player has called away."""
        return [agent for agent in meeting.members if agent.npc in self._context.calls]

    def _undo_talk(self, meeting: talks.Meeting) -> None:
        """Each of them remembers all of it or nothing."""
        for agent in self._in_talk(meeting):
            rollback.restore(agent, self._before[agent.npc])

    async def _one_thought(self, agent: Agent, lockstep: bool) -> bool:
        """Whole and stored, or nothing. False if a player broke it off. Raises SaveError where it could not be stored yet."""
        self._before[agent.npc] = rollback.snapshot(agent)
        try:
            if lockstep:  # a task of its own would let chance decide who goes on first
                await agent.think(self._now())
            else:
                self._breakable[agent.npc] = asyncio.ensure_future(agent.think(self._now()))
                await self._breakable[agent.npc]
        except asyncio.CancelledError:
            if agent.npc not in self._broken_off or self._stopped is not None:
                raise
            rollback.break_off(agent, self._before[agent.npc])
            return False
        except Exception as error:  # noqa: BLE001  a mistake of ours in one mind must not stop the others, nor the game
            self._broke(agent, error)
        finally:
            self._breakable.pop(agent.npc, None)
            self._broken_off.discard(agent.npc)
        try:
            await self._write(agent)
        except SaveError:
            raise
        except Exception as error:  # noqa: BLE001  what cannot be stored at all must not hold up all that comes after it
            self._refused.discard(agent.npc)
            await self._drop(agent, self._broke(agent, error))
        return True

    def _broke(self, agent: Agent, error: Exception) -> list[int]:
        """Takes a thought back; returns the numbers of the events given up with it. The game and the log are told."""
        given_up = rollback.roll_back(agent, self._before[agent.npc], self._now())
        log.error("thought_broke", npc=agent.npc, now=self._now(), given_up=given_up, exc_info=error)
        name = agent.mind.persona.name
        then = "what it was about is given up" if given_up else f"{name} thinks about it once more"
        told = (error.reason, str(error)) if isinstance(error, NpcServerError) else ("THOUGHT_BROKE", "See the server's log.")
        self._put([Notice(NoticeLevel.ERROR, told[0], f"A thought of {name} broke, and {then}. {told[1]}")])
        return given_up

    async def _settle(self, seq: int, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        while self._thoughts:
            await asyncio.wait(list(self._thoughts.values()))
        try:
            self._start_talks(lockstep=True)
        except Exception:
            # Whatever breaks here, the log's stream too, the game waits for `Settled` and must get it.
            with suppress(Exception):
                log.exception("talks_not_begun", now=self._now())
        while self._talks:
            await asyncio.wait(list(self._talks))
        wakes = [agent.next_wake for agent in self._agents.values()]
        self._put([Settled(seq, min(wakes, default=0))])
