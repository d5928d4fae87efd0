"""One open save: its clock, world and people, and the working copy it is played on.

Everything runs on one event loop. Events are stored before they are acknowledged; a thought's changes are one
transaction; what it tells the game goes out after that transaction. Loading raises the epoch and drops the thoughts
in flight with all they had in mind.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from sqlite_utils import Database

from npc_server.agent import Agent
from npc_server.cognition import social
from npc_server.cognition.retrieve import retrieve
from npc_server.config import Settings
from npc_server.errors import BadInput, NoSession, UnknownName
from npc_server.llm.engine import Embedder, Engine
from npc_server.llm.lockstep import WaveEngine
from npc_server.llm.patience import at_most
from npc_server.memory import inbox, places
from npc_server.memory.slots import Slots, WorkingCopy, read_info
from npc_server.memory.store import Store
from npc_server.prompts.load import Prompts
from npc_server.records import (
    Clock,
    GameActionResult,
    GameEvent,
    GameTime,
    Memory,
    MemoryKind,
    MindEvent,
    MindState,
    Notice,
    NoticeLevel,
    NpcId,
    ObjectChange,
    Outcome,
    PathQuery,
    PathResult,
    Perception,
    PlanStep,
    Reach,
    Rejected,
    SaveInfo,
    ScoredMemory,
    Social,
    Source,
    Whereabouts,
)
from npc_server.session import apply_files, dialogue
from npc_server.session.apply_files import Applied
from npc_server.session.dialogue import Spoken
from npc_server.session.game_files import NO_FILES, FileChange, GameFiles, merged
from npc_server.session.outbox import Outbox
from npc_server.session.ownership import refuse_of_another, taken_on
from npc_server.session.people import Town, bring_to_life
from npc_server.session.thinking import Thinking
from npc_server.session.watching import Watch, notices
from npc_server.world.tree import Node, World


class Session:
    """Made by `Host.open_save`."""

    def __init__(
        self,
        session_id: str,
        slot: str,
        slots: Slots,
        settings: Settings,
        engine: Engine,
        embedder: Embedder,
        prompts: Prompts,
        on_close: Callable[[], None],
    ) -> None:
        self.id = session_id
        self.slot = slot
        self.epoch = 0
        self.recovered = False
        self.last_stored_seq = 0
        self.now: GameTime = 0
        self.changes: list[FileChange] = []
        """Where the game's files differed from the save's when it was opened."""
        self._files = NO_FILES
        self._slots = slots
        self._settings = settings
        self._waves = WaveEngine(engine)
        self._embedder = embedder
        self._prompts = prompts
        self._on_close = on_close
        self.info: SaveInfo
        self._store: Store
        self._copy: WorkingCopy
        self._town: Town
        self._outbox: Outbox | None = None
        self._paths: dict[str, asyncio.Future[tuple[Reach, ...]]] = {}
        self._thinking: Thinking
        self._taking = asyncio.Lock()
        self._applying = asyncio.Lock()
        self._watch: Watch
        self._untold: list[Notice] = []
        """What nobody read the stream for yet."""
        self._closed = False

    # ---- opening and ending

    async def open(self, resume_epoch: int, discard_unsaved: bool, files: GameFiles = NO_FILES) -> None:
        """`files` are the game's as it has them now: what differs in them stands in `changes`."""
        self._files = files
        copy = await asyncio.to_thread(self._slots.open_working_copy, self.slot, resume_epoch, discard_unsaved)
        try:
            await self._play(copy)
        except BaseException:
            await asyncio.to_thread(self._slots.close, self.slot, True)
            raise
        self.changes = await self._differences(files) if files.town or files.personas else []
        self._watch = self._watching(files, self.changes)

    async def _play(self, copy: WorkingCopy) -> None:
        """Opens the store of a working copy and brings its people to life."""
        self.info = await asyncio.to_thread(read_info, self.slot, copy.path)
        store = await Store.open(copy.path, self._settings.save.commit_wait_ms)
        try:
            save = await store.do(lambda db: taken_on(db, self._files.game))
            self._town = await bring_to_life(store, self._waves, self._embedder, self._prompts, self._settings.mind, self._ask_paths)
        except BaseException:
            await store.close()
            raise
        self._store, self._copy = store, copy
        self.info = replace(self.info, game=save.game)
        self.epoch, self.recovered = copy.epoch, copy.recovered
        self.last_stored_seq, self.now = save.last_seq, save.now
        self._thinking = Thinking(self._town.agents, self._settings.mind, self._waves, store, self.epoch, lambda: self.now, self._put)

    async def load_game(self, slot: str = "") -> SaveInfo:
        """Replaces what is played by a slot, and raises the epoch. Raises SaveError; then play goes on as it was."""
        wanted = slot or self.slot
        owner = await asyncio.to_thread(self._slots.owner, wanted, True)
        refuse_of_another(wanted, owner, (self.info.game, self.world.root()))
        async with self._taking:
            await self._thinking.stop()
            await self._store.close()
            try:
                copy = await asyncio.to_thread(self._slots.load, self.slot, wanted)
            except BaseException:
                await self._play(self._copy)
                raise
            await self._play(copy)
        self._tell(notices(await self._differences(self._watch.files)))
        return self.info

    async def save_game(self, slot: str = "") -> SaveInfo:
        """Writes what is stored to a slot, at once or not at all."""
        if slot and slot != self.slot:
            game, _ = await asyncio.to_thread(self._slots.owner, slot, True)
            refuse_of_another(slot, (game, ""), (self.info.game, ""))
        await self._store.do(inbox.prune_done)
        saved_at = int(time.time())
        info = await self._store.alone(lambda db: self._slots.save(db, self.slot, slot or self.slot, saved_at))
        if not slot or slot == self.slot:
            self.info = info
        return info

    async def close(self, save: bool) -> None:
        """Ends the session. Without `save`, what was not saved is dropped."""
        await self._close(save=save, keep_unsaved=False)

    async def suspend(self) -> None:
        """Ends the session and keeps the working copy, so that the next opening goes on from it: the server is stopping."""
        await self._close(save=False, keep_unsaved=True)

    async def _close(self, *, save: bool, keep_unsaved: bool) -> None:
        if self._closed:
            return
        await self._watch.stop()
        async with self._taking:
            await self._thinking.stop()
            if save:
                await self.save_game()
            self._closed = True
            await self._store.checkpoint()
            await self._end()
        await asyncio.to_thread(self._slots.close, self.slot, keep_unsaved)

    async def _end(self) -> None:
        if self._outbox is not None:
            self._outbox.end()
        await self._store.close()
        self._on_close()

    @property
    def is_played(self) -> bool:
        """Whether a game reads its stream now."""
        return self._outbox is not None and self._outbox.read

    async def _differences(self, files: GameFiles) -> list[FileChange]:
        """Where `files` differ from those that the save was made from."""
        return await asyncio.to_thread(apply_files.differences, await apply_files.saved_files(self._store), files)

    async def apply_files(self, files: GameFiles) -> Applied:
        """Takes the game's files over, and keeps what was lived. Waits until nobody thinks or talks.

        Raises FileProblem with every mistake of all files, and SaveOfAnotherTown; then nothing has changed.
        """
        async with self._applying:
            thinking = self._thinking
            found = await apply_files.read(self.slot, await apply_files.saved_files(self._store), files, self._town)
            await self._watch.stop()
            self._watch = self._watching(merged(self._watch.files, files), found.changes if found is not None else ())
            if found is None:
                return Applied((), ())
            async with thinking.attention_of_all(), self._taking:
                if self._closed or thinking is not self._thinking:
                    raise NoSession("The save was closed or loaded meanwhile.", "Send the files again.")
                plan = await apply_files.prepare(found, self._town, self.now)
                applied = await apply_files.take_over(plan, self._town, self._store)
                self.info = apply_files.info_after(plan, self.info)
            return applied

    def _watching(self, files: GameFiles, told: Sequence[FileChange]) -> Watch:
        return Watch(files, told, lambda: apply_files.saved_files(self._store), self._tell)

    def _tell(self, notices: Sequence[Notice]) -> None:
        """At once, or as soon as somebody reads the stream."""
        if self._outbox is None:
            self._untold += notices
        self._put(notices)

    # ---- what is in it

    @property
    def npc_ids(self) -> list[NpcId]:
        return list(self._town.agents)

    @property
    def world(self) -> World:
        return self._town.world

    async def register_world(self, nodes: Sequence[Node]) -> tuple[int, list[str]]:
        self.world.merge(nodes)
        await self._store.do(lambda db: places.put_nodes(db, list(nodes)))
        return len(self.world), self._town.warnings()

    def agent(self, npc: NpcId) -> Agent:
        try:
            return self._town.agents[npc]
        except KeyError:
            raise UnknownName(f"There is no NPC {npc!r} in this save.", f"There are: {', '.join(self.npc_ids)}.", npc=npc) from None

    def mind(self, npc: NpcId) -> MindState:
        return self.agent(npc).state(self.now)

    def memories(self, npc: NpcId, kinds: Sequence[MemoryKind], before_id: int, limit: int) -> list[Memory]:
        """Newest first; `before_id` is 0 for the newest."""
        return self.agent(npc).mind.stream.latest(limit, kinds, before_id)

    def evidence(self, npc: NpcId, memory_id: int) -> list[Memory]:
        """A memory, then all it rests on, down to observations, each once (Generative Agents, section 4.2)."""
        stream = self.agent(npc).mind.stream
        found = [stream.get(memory_id)]
        for memory in found:  # grows while it is walked
            found += [stream.get(i) for i in memory.evidence if i in stream and all(i != other.id for other in found)]
        return found

    async def search(self, npc: NpcId, query: str, limit: int) -> list[ScoredMemory]:
        """By the retrieval score; leaves last access alone."""
        return await retrieve(self.agent(npc).mind, query, self.now, limit, touch=False)

    def plan(self, npc: NpcId, day: GameTime) -> list[PlanStep]:
        mind = self.agent(npc).mind
        wanted = mind.day_of(day or self.now)
        return sorted((step for step in mind.plan if mind.day_of(step.start) == wanted), key=lambda s: (s.start, s.id))

    def relations(self, npc: NpcId) -> list[Social]:
        """What others are to it (AGA, section 3.2): its persona's own people and whom it talked with, the closest first."""
        return social.everybody(self.agent(npc).mind)

    # ---- talking to somebody from outside the world

    async def say(self, npc: NpcId, speaker: str, text: str, on_text: Callable[[str], None]) -> Spoken:
        """The NPC's answer to a player; see `dialogue`."""
        thinking = self._thinking
        with self._at_most():
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.say(agent, speaker, text, on_text))

    async def whisper(self, npc: NpcId, text: str) -> Memory:
        thinking = self._thinking
        with self._at_most():
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.whisper(agent, text))

    async def undo(self, npc: NpcId, speaker: str) -> int:
        thinking = self._thinking
        with self._at_most():
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.undo(agent, speaker))

    async def interview(self, npc: NpcId, question: str, on_text: Callable[[str], None]) -> tuple[str, Source, list[ScoredMemory]]:
        """Leaves no trace, so it needs nobody's attention."""
        with self._at_most():
            return await dialogue.ask(self.agent(npc), question, self.now, on_text)

    def _at_most(self) -> AbstractContextManager[object]:
        """A player waits: all that is asked of models for it, and all it waits for, has one deadline."""
        return at_most(self._settings.engine.player_deadline_s)

    # ---- the game's events

    def attach(self) -> Outbox:
        """The outbox of a new stream; the one before ends. What everybody is doing is told again: the game may be new."""
        if self._outbox is not None:
            self._outbox.replaced()
        self._outbox = Outbox()
        self._put([agent.doing.action for agent in self._town.agents.values() if agent.doing.action is not None])
        untold, self._untold = self._untold, []
        self._put(untold)
        return self._outbox

    async def take(self, epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
        """Stores events and hands them to the minds. Returns the last sequence number on disk; events of another epoch are dropped."""
        async with self._taking:
            if epoch != self.epoch or self._closed:
                return self.last_stored_seq
            before = self.last_stored_seq
            checked = [(seq, self._checked(seq, event) if seq > before else event) for seq, event in events]
            self.last_stored_seq = await self._store.do(lambda db: _store_events(db, epoch, before, checked))
            for seq, event in checked:
                if seq > before:
                    self._deliver(seq, event)
            self._thinking.heard()
            return self.last_stored_seq

    def _checked(self, seq: int, event: GameEvent) -> GameEvent:
        """An event about somebody or something that is not there is refused, with a notice."""
        why = ""
        if isinstance(event, Perception | Outcome | Whereabouts | PathResult | GameActionResult) and event.npc not in self._town.agents:
            why = f"There is no NPC {event.npc!r} in this save. There are: {', '.join(self.npc_ids)}."
        elif isinstance(event, ObjectChange):
            try:
                self.world.check_state(event.address, event.state)
            except BadInput as error:
                why = str(error)
        if not why:
            return event
        self._put([Notice(NoticeLevel.ERROR, "EVENT_REJECTED", why, seq)])
        return Rejected(why)

    def _deliver(self, seq: int, event: GameEvent) -> None:
        if isinstance(event, Perception | Outcome | Whereabouts | GameActionResult):
            self._town.agents[event.npc].mailbox.append((seq, event))
        elif isinstance(event, PathResult):
            waiting = self._paths.pop(event.query_id, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(event.reaches)
        elif isinstance(event, ObjectChange):
            self.world.set_state(event.address, event.state)
        elif isinstance(event, Clock):
            self._tick(seq, event)

    def _tick(self, seq: int, tick: Clock) -> None:
        self.now = max(self.now, tick.now)
        self._thinking.tick(seq, tick.lockstep)

    # ---- what the minds tell

    def _put(self, events: Sequence[MindEvent]) -> None:
        if self._outbox is not None and events:
            self._outbox.put(self.epoch, events)

    async def _ask_paths(self, query: PathQuery) -> tuple[Reach, ...]:
        """The game's answer; empty when it takes longer than `mind.path_wait_s`, or nobody plays."""
        if self._outbox is None:
            return ()
        answer: asyncio.Future[tuple[Reach, ...]] = asyncio.get_running_loop().create_future()
        self._paths[query.query_id] = answer
        self._put([query])
        try:
            return await asyncio.wait_for(answer, self._settings.mind.path_wait_s)
        except asyncio.TimeoutError:
            return ()
        finally:
            self._paths.pop(query.query_id, None)


def _store_events(db: Database, epoch: int, before: int, events: Sequence[tuple[int, GameEvent]]) -> int:
    """Stores the events. An object's change is taken into account at once, by the save's world; nobody has to think about it."""
    last = inbox.take(db, epoch, events)
    changes = {seq: event for seq, event in events if seq > before and isinstance(event, ObjectChange)}
    if changes:
        places.set_state(db, {event.address: event.state for event in changes.values()})
        inbox.mark_done(db, epoch, list(changes))
    return last
