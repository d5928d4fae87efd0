"""Loads the minds of a save file for reading. All work happens on a copy, so the file never changes."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from npc_server import clock
from npc_server.agent import Agent
from npc_server.config import MindSettings
from npc_server.document_errors import did_you_mean
from npc_server.errors import EngineError, SaveNotFound, UnknownName
from npc_server.llm.engine import Embedder, Engine, ReadsNoAnswers, Vectors
from npc_server.llm.no_model import NoModelEngine
from npc_server.memory import actions, database, memories, meta, plans
from npc_server.memory.actions import ActionRecord
from npc_server.memory.store import Store
from npc_server.memory.stream import MemoryStream
from npc_server.memory.suffix import SUFFIX
from npc_server.personas.names import called, spelled
from npc_server.records import Action, GameTime, NpcId, PathQuery, PlanStep, Reach
from npc_server.session.baseline import prompts_of
from npc_server.session.people import open_town


@dataclass(frozen=True)
class SavedMinds:
    """The minds of a save as they were at `now`."""

    town: str
    now: GameTime
    agents: dict[NpcId, Agent]
    store: Store
    back: bool = False
    """Whether `now` is before the time of the save. Some values are only known for the time of the save."""

    def find(self, who: str) -> Agent:
        """Finds a person by id, name or first name, in upper or lower case. Raises UnknownName."""
        found = called(who, [agent.mind.persona for agent in self.agents.values()])
        if found is not None:
            return self.agents[found.id]
        wanted = spelled(who)
        names = [agent.mind.persona.name for agent in self.agents.values()]
        near = did_you_mean(wanted, [name.casefold() for name in names] + [npc.casefold() for npc in self.agents])
        raise UnknownName(f"There is nobody {who!r} in this save.", near or f"There are: {', '.join(names)}.", npc=who)

    async def plan_of(self, npc: NpcId) -> list[PlanStep]:
        """Returns all steps of the day of `now`."""
        return await self.store.do(lambda db: plans.load_day(db, npc, self.now))

    async def action_of(self, npc: NpcId) -> Action | None:
        """Returns the action of the person at `now`."""
        found: list[ActionRecord] = await self.store.do(lambda db: actions.load(db, npc, self.now - clock.DAY))
        begun = [it for it in found if it.action.start <= self.now and (it.ended is None or it.ended > self.now)]
        return begun[-1].action if begun else None


class _NoEmbedder(ReadsNoAnswers):
    """Replaces the embedder if nothing is searched. It has the name of the save's embedder, so that no vectors are renewed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dimensions = 1

    async def embed(self, texts: Sequence[str]) -> Vectors:
        raise EngineError("This save was opened without an embedder.", "Open it with one to search its memories.")

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        pass


@asynccontextmanager
async def copied(save: Path) -> AsyncIterator[Store]:
    """Opens a copy of the save file, migrated to this version. Raises SaveNotFound, SaveInUse, SaveDamaged, SaveTooNew."""
    with tempfile.TemporaryDirectory(prefix="npc-server-look-") as folder:
        store = await Store.open(_copy(save, Path(folder)))
        try:
            yield store
        finally:
            await store.close()


@asynccontextmanager
async def opened(
    save: Path, settings: MindSettings, at: GameTime | None = None, engine: Engine | None = None, embedder: Embedder | None = None
) -> AsyncIterator[SavedMinds]:
    """Loads the minds of a save file as they were at `at`; the default is the time of the save. Raises as `copied`."""
    async with copied(save) as store:
        held = await store.do(meta.read)
        town = await open_town(
            store,
            engine or NoModelEngine("A look into a save needs no model."),
            embedder or _NoEmbedder(held.embedder),
            prompts_of(settings),
            settings,
            _nowhere,
        )
        now = held.now if at is None else at
        if now < held.now:
            for agent in town.agents.values():
                await _back_to(store, agent, now)
        yield SavedMinds(held.town, now, town.agents, store, now < held.now)


def _copy(save: Path, folder: Path) -> Path:
    """Copies what was last committed to the save into a new file. The name of the save may lack its ending."""
    path = save if save.is_file() or save.suffix else save.with_suffix(SUFFIX)
    if not path.is_file():
        raise SaveNotFound(f"There is no save file {str(path)!r}.", f"Give the path of a file that ends in {SUFFIX}.", path=path)
    target = folder / "look.sqlite"
    with database.reading(path) as db:
        database.check_sound(db, path)
        db.conn.execute("VACUUM INTO ?", (str(target),))
    return target


async def _back_to(store: Store, agent: Agent, now: GameTime) -> None:
    """Removes from the mind what came after `now`.

    A save keeps only the last access of a memory. If that is after `now`, the time of creation counts instead. It also keeps only the
    latest Social Memory, so a relation that was revised after `now` is shown as at the beginning.
    """
    npc = agent.npc
    kept = [
        memory if memory.last_access <= now else replace(memory, last_access=memory.created)
        for memory in await store.do(lambda db: memories.load(db, npc))
        if memory.created <= now
    ]
    agent.mind.relationships.social = {other: it for other, it in agent.mind.relationships.social.items() if not it.at or it.at <= now}
    ids, matrix = await store.do(lambda db: memories.load_vectors(db, npc))
    known = {memory.id for memory in kept}
    rows = [row for row, number in enumerate(ids) if number in known]
    agent.mind.stream = MemoryStream(npc, kept, [ids[row] for row in rows], matrix[rows] if rows else np.zeros((0, 0), np.float32))


async def _nowhere(query: PathQuery) -> tuple[Reach, ...]:
    return ()
