"""Memories that are added, edited and deleted from outside the mind: by a game, a modder, or the editor.

Whoever is concerned neither thinks nor talks meanwhile. All changes of a call are one transaction, and it is on the disk when the call
returns. So a load takes them back as it does all that happened since.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlite_utils import Database

from npc_server import clock
from npc_server.agent import Agent
from npc_server.errors import BadInput, GameLoaded, UnknownName
from npc_server.llm.deadline import at_most
from npc_server.memory import changes
from npc_server.records import GameTime, Memory, MemoryChange, MemoryChangeKind, NpcId
from npc_server.session.audience import Audience, people_of
from npc_server.session.epoch import Epoch
from npc_server.session.mend import Mend, NewMemory, adding, deleting, editing
from npc_server.session.open_slot import OpenSlot

EVERYBODY = Audience(everybody=True)
T = TypeVar("T")


@dataclass(frozen=True)
class Mended:
    """What a call has changed."""

    memories: tuple[Memory, ...] = ()
    """What was added or edited, as it is now, or what was deleted, as it was."""
    in_doubt: tuple[Memory, ...] = ()
    without: tuple[NpcId, ...] = ()
    """People who got no memory, because they make none."""


class Mending:
    """The memories of the people who are played, as something to be changed."""

    def __init__(self, open_slot: OpenSlot, one_at_a_time: asyncio.Lock, deadline_s: float) -> None:
        """`one_at_a_time` is held by all that waits for several people at once. `deadline_s` is the longest wait for a thought."""
        self._open = open_slot
        self._one_at_a_time = one_at_a_time
        self._deadline_s = deadline_s

    async def add(self, epoch: int, to: Audience, new: NewMemory) -> Mended:
        """Gives everybody of an audience a memory. Whoever has one of the same key already gets that one edited.

        Raises BadInput, UnknownName, GameLoaded if another epoch is played, and SaveError. Nothing has changed then.
        """

        async def work(played: Epoch) -> Mended:
            _check_time(new.at, played.now)
            agents = [agent for agent in await people_of(to, played.town, played.store) if not agent.mind.is_oneself(new.source_person)]
            without = tuple(agent.npc for agent in agents if agent.mind.persona.opt_out_of_memory)
            if without and to.npcs and len(without) == len(agents):
                who = ", ".join(without)
                raise BadInput(f"{who} makes no memories (`opt_out_of_memory`), so none can be added.", "Remove that from the persona.")
            able = [agent for agent in agents if agent.npc not in without]
            done = await self._mend(played, able, lambda agent: adding(agent, new, played.now))
            return Mended(done.memories, done.in_doubt, without)

        return await self._until_stopped(epoch, work)

    async def edit(self, epoch: int, npc: NpcId, memory_id: int, text: str, importance: int, by: str) -> Mended:
        """Changes the text or the importance of a memory; an empty text and an importance of 0 stay. Raises as `add`."""
        if not text and not importance:
            raise BadInput("Neither text nor importance was given.", "Give what is to change.")

        async def work(played: Epoch) -> Mended:
            agent = await self._owner(played, npc, memory_id)
            stream, now = agent.mind.stream, played.now
            return await self._mend(played, [agent], lambda it: editing(it, stream.get(memory_id), text, importance, by, now))

        return await self._until_stopped(epoch, work)

    async def delete(self, epoch: int, npc: NpcId, memory_id: int, by: str) -> Mended:
        """Deletes a memory. Raises as `add`."""

        async def work(played: Epoch) -> Mended:
            agent = await self._owner(played, npc, memory_id)
            return await self._mend(played, [agent], lambda it: deleting(it, [it.mind.stream.get(memory_id)], by, played.now))

        return await self._until_stopped(epoch, work)

    async def delete_key(self, epoch: int, key: str, of: Audience, by: str) -> Mended:
        """Deletes the memories that were added under a key. An empty audience means everybody. Raises as `add`."""

        async def work(played: Epoch) -> Mended:
            everybody = await people_of(of or EVERYBODY, played.town, played.store)
            having = [agent for agent in everybody if agent.mind.stream.keyed(key)]
            return await self._mend(played, having, lambda it: deleting(it, it.mind.stream.keyed(key), by, played.now))

        return await self._until_stopped(epoch, work)

    async def changes(self, npc: NpcId, memory_id: int = 0) -> list[MemoryChange]:
        """Lists the changes of an NPC's memories from outside, or of one of them; the oldest first. Raises UnknownName."""
        played = self._open.epoch
        played.town.agent(npc)
        return await played.store.do(lambda db: changes.load(db, npc, memory_id))

    # ---- parts

    async def _until_stopped(self, epoch: int, work: Callable[[Epoch], Coroutine[Any, Any, T]]) -> T:
        played = self._open.epoch
        if epoch and epoch != played.number:
            raise GameLoaded(
                f"The request belongs to epoch {epoch}, and the session plays in epoch {played.number}.",
                "Send the epoch of OpenSave or LoadGame, if the request still makes sense in the loaded game.",
                epoch=epoch,
            )
        return await played.thinking.until_stopped(self._alone(played, work))

    async def _alone(self, played: Epoch, work: Callable[[Epoch], Coroutine[Any, Any, T]]) -> T:
        async with self._one_at_a_time:
            return await work(played)

    async def _owner(self, played: Epoch, npc: NpcId, memory_id: int) -> Agent:
        """Who has this memory. Raises UnknownName, which says who deleted the memory if somebody did."""
        agent = played.town.agent(npc)
        if memory_id not in agent.mind.stream:
            known = await played.store.do(lambda db: changes.load(db, npc, memory_id))
            gone = next((it for it in reversed(known) if it.kind is MemoryChangeKind.DELETED), None)
            if gone is not None:
                raise UnknownName(
                    f"Memory {memory_id} of {npc!r} was deleted by {gone.by!r} on {clock.written(gone.at)}.",
                    "List the memories to see which there are.",
                    npc=npc,
                )
            agent.mind.stream.get(memory_id)
        return agent

    async def _mend(self, played: Epoch, agents: Sequence[Agent], make: Callable[[Agent], Coroutine[Any, Any, Mend]]) -> Mended:
        async with self._attention(played, agents):
            made = list[Mend]()
            try:
                for agent in agents:
                    made.append(await make(agent))
                await self._store(played, made)
            except BaseException:
                for mend in made:
                    mend.undo()  # Does nothing once it is done.
                raise
        return Mended(tuple(it for mend in made for it in mend.result), tuple(it for mend in made for it in mend.in_doubt))

    @asynccontextmanager
    async def _attention(self, played: Epoch, agents: Sequence[Agent]) -> AsyncIterator[None]:
        """Of one person a thought is broken off. Of several the thoughts are waited for, as their talks would else end."""
        thinking = played.thinking
        with at_most(self._deadline_s):
            attention = thinking.attention_of(agents[0], at_once=True) if len(agents) == 1 else thinking.attention_of_all(agents)
            async with attention:
                yield

    async def _store(self, played: Epoch, mends: Sequence[Mend]) -> None:
        """Stores the changes, and lets the minds live by them. Once it is being stored, a caller that goes away changes nothing."""
        if not any(mend.draft for mend in mends):
            return
        async with self._open.storing:
            self._open.require(played)
            writing = asyncio.ensure_future(played.store.do(lambda db: _write(db, mends, played.number)))
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                await asyncio.wait([writing])
                if writing.exception() is None:
                    _done(mends)
                raise
            _done(mends)


def _write(db: Database, mends: Sequence[Mend], epoch: int) -> None:
    for mend in mends:
        mend.write(db, epoch)


def _done(mends: Sequence[Mend]) -> None:
    for mend in mends:
        mend.done()


def _check_time(at: GameTime, now: GameTime) -> None:
    if at > now:
        raise BadInput(
            f"Field at_s is {at}, and it is {now}: nobody remembers what is to come.", "Give a time that is not ahead, or 0 for now.", at=at
        )
