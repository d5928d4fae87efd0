"""Creates, opens and deletes saves, and keeps the open sessions."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import structlog
from sqlite_utils import Database

from npc_server import __version__
from npc_server.bank.chooser import open_chooser
from npc_server.config import Settings
from npc_server.errors import BadInput, FileProblem, NoSession, NpcServerError
from npc_server.instinct.choose import instinct_of
from npc_server.llm.engine import Embedder, Engine, Vectors
from npc_server.llm.fitting_engine import FittingEngine
from npc_server.llm.fitting_kinds import all_kinds
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.watched import WatchedEngine
from npc_server.memory import memories, meta, people, places
from npc_server.memory.draft import Draft
from npc_server.memory.people import Person
from npc_server.memory.policies import PolicyBook
from npc_server.memory.policies import put as put_policies
from npc_server.memory.policy_file import ReadPolicies
from npc_server.memory.slots import Slots
from npc_server.mind.overheard import SaidLately
from npc_server.mind.parts.tools import Tools
from npc_server.mind.places import PlaceVectors
from npc_server.personas.mods import Modded
from npc_server.personas.schema import Persona
from npc_server.records import Document, GameTime, Memory, PathQuery, Reach, SaveInfo
from npc_server.session import shipped_policies
from npc_server.session.baseline import baseline_of, prompts_of
from npc_server.session.before_play import day_so_far
from npc_server.session.game_files import NO_FILES, GameFiles, as_played, town_id
from npc_server.session.ownership import refuse_of_another, refuse_to_replace
from npc_server.session.people import Common, people_of, seed_memories, shared_knowledge
from npc_server.session.persona_files import read_ahead
from npc_server.session.read_files import check_number, places_of, read_files, warnings_of
from npc_server.session.session import Session
from npc_server.world.knowledge import known_from_start
from npc_server.world.town_records import Town
from npc_server.world.tree import World

log = structlog.get_logger()


class Host:
    """Owns the folder of saves, the open sessions, and the engine and embedder that all sessions share."""

    def __init__(self, settings: Settings, engine: Engine, embedder: Embedder, prompt_folders: Sequence[Path] = ()) -> None:
        self.settings = settings
        self.engine = FittingEngine(WatchedEngine(engine), settings.mind, self._people_in_time)
        self.embedder = embedder
        self.chooser = open_chooser(embedder, settings.mind.exchanges, settings.engine.models_folder)
        """Chooses lines for all sessions. `chooser.bank.prepare` readies its bank."""
        self._slots = Slots(settings.save.folder)
        self._prompts = prompts_of(settings.mind, prompt_folders)
        kinds = {kind.name for kind in all_kinds().kinds}
        self._prompts.require((it for it in settings.mind.by_instinct or () if it not in kinds), "mind.by_instinct")
        self._sessions: dict[str, Session] = {}

    async def list_saves(self) -> list[SaveInfo]:
        return await asyncio.to_thread(self._slots.saves)

    async def create_save(
        self,
        slot: str,
        town: Document | None,
        personas: Sequence[Document],
        seed: int,
        start: GameTime,
        policies: Sequence[Document] = (),
        game: str = "",
        in_place: bool = False,
        mods: Sequence[Document] = (),
    ) -> SaveInfo:
        """Creates a slot with its town, people, first memories and policies. `mods` lie over the persona files (`personas.mods`).

        With `in_place` it replaces the game's own save of that name. Policies that do not fit the town, and files of mods with mistakes,
        are left out with a warning.
        Raises FileProblem with the mistakes of all files, and SaveOfAnotherGame.
        """
        # The files may come from strangers, and a hostile file takes seconds to read. So a thread reads them.
        place, found, files, modded = await asyncio.to_thread(_read, GameFiles(game, town, tuple(personas), tuple(mods)), policies)
        if not found:
            raise BadInput("A save needs people.", "Send at least one persona file.")
        check_number(len(found))
        world = World(place.nodes() if place else ())
        at = start or (place.start if place else 0)
        usable, left_out = shipped_policies.fitting(files, place.id if place else "", world, [persona.id for persona in found])
        habits = await shipped_policies.with_vectors(usable, self.embedder)
        seeds = [await seed_memories(persona, shared_knowledge(place, persona) if place else (), at, self.embedder) for persona in found]
        common = self._common(world, found, seed)
        days = [await day_so_far(persona, common, *seeded, at) for persona, seeded in zip(found, seeds, strict=True)]

        def fill(db: Database) -> None:
            name = place.name if place else ""
            meta.write(db, town=name, now=at, seed=seed, embedder=self.embedder.name, made_by=__version__, game=game)
            meta.put_documents(db, "town", [town] if town is not None else [])
            meta.put_documents(db, "persona", modded.personas)
            places.put_nodes(db, list(world))
            put_policies(db, habits)
            _put_people(db, found, seeds, days, seed, world)

        if in_place:
            refuse_to_replace(slot, await asyncio.to_thread(self._slots.owners, slot), game)
        info = await asyncio.to_thread(self._slots.create, slot, fill, in_place)
        warnings = [*map(str, modded.left_out), *warnings_of(place, found, place.nodes() if place else (), modded=modded), *left_out]
        return replace(info, warnings=tuple(warnings))

    def _common(self, world: World, people: Sequence[Persona], seed: int) -> Common:
        """What the minds of a new save share before it is opened. They ask neither a model nor the game."""
        mind = self.settings.mind
        return Common(
            world,
            PlaceVectors(world, self.embedder),
            people_of(people),
            Tools(NoModelEngine("The save is not open yet."), self.embedder, self._prompts, baseline_of(mind)),
            mind,
            instinct_of(mind),
            PolicyBook(),
            SaidLately(),
            seed,
            _nowhere,
        )

    async def open_save(self, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False, files: GameFiles = NO_FILES) -> Session:
        """Opens a session on the slot. An open session of the slot that no game reads is suspended first: its game has crashed.

        Raises SaveOfAnotherGame and SaveOfAnotherTown. Nothing has changed then.
        """
        player = files.game, await asyncio.to_thread(town_id, files.town)
        for left in [s for s in self._sessions.values() if s.slot.casefold() == slot.casefold() and not s.is_played]:
            refuse_of_another(slot, (left.info.game, left.info.town_id), player)
            await left.suspend()
        refuse_of_another(slot, await asyncio.to_thread(self._slots.owner, slot, discard_unsaved), player)
        # This reading must end before the file is opened for writing, since no other connection may be open then.
        town, documents = await asyncio.to_thread(self._slots.people_files, slot, discard_unsaved)
        asyncio.get_running_loop().run_in_executor(None, read_ahead, documents, town)
        for model in (self.engine, self.embedder):
            model.try_again()
        session_id = secrets.token_hex(8)
        session = Session(
            session_id,
            slot,
            self._slots,
            self.settings,
            self.engine,
            self.embedder,
            self._prompts,
            lambda: self._forget(session_id),
            self.chooser,
        )
        await session.open(resume_epoch, discard_unsaved, files)
        self._sessions[session_id] = session
        return session

    async def delete_save(self, slot: str) -> None:
        await asyncio.to_thread(self._slots.delete, slot)

    @property
    def sessions(self) -> list[Session]:
        """The open sessions."""
        return list(self._sessions.values())

    def _people_in_time(self) -> int:
        """How many people live in sessions whose clock does not wait for them."""
        return sum(len(session.npc_ids) for session in self._sessions.values() if not session.is_lockstep)

    def session(self, session_id: str) -> Session:
        try:
            return self._sessions[session_id]
        except KeyError:
            raise NoSession(f"No session {session_id!r} is open.", "Open a save with OpenSave and use the session_id it returns.") from None

    def _forget(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)

    async def close(self) -> None:
        """Suspends every session, so that its working copy is kept. Then closes the engine and the embedder."""
        self._slots.stop()
        for session in list(self._sessions.values()):
            try:
                await session.suspend()
            except NpcServerError as error:
                log.error("session_not_closed", slot=session.slot, reason=error.reason, error=str(error))
        await self.chooser.bank.close()
        await self.engine.close()
        await self.embedder.close()


async def _nowhere(query: PathQuery) -> tuple[Reach, ...]:
    return ()


def _read(files: GameFiles, policies: Sequence[Document]) -> tuple[Town | None, tuple[Persona, ...], list[ReadPolicies], Modded]:
    """Reads town, people, policies, and what mods change. Raises FileProblem with the mistakes of all files but those of mods."""
    played, modded = as_played(files, addresses=places_of(files.town) if files.mods else None)
    place, people, problems = read_files(played.town, played.personas)
    shipped, wrong = shipped_policies.read_shipped(policies, place.id if place else "")
    if problems or wrong:
        raise FileProblem((*problems, *wrong))
    return place, people, shipped, modded


def _put_people(
    db: Database,
    found: Sequence[Persona],
    seeds: Sequence[tuple[list[Memory], Vectors]],
    days: Sequence[Draft],
    seed: int,
    world: World,
) -> None:
    """Stores the people with their first memories, the places they know, and their `days` so far."""
    people.insert(db, [Person(persona.id, persona.name, seed) for persona in found])
    for persona, (made, vectors), day in zip(found, seeds, days, strict=True):
        memories.insert(db, made, np.asarray(vectors, np.float32))
        seen = known_from_start(world, persona.id, persona.home, persona.knows)
        places.saw(db, persona.id, [places.Known(item.address, item.state, item.at) for item in seen])
        day.write(db, persona.id, epoch=0)
