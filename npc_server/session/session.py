"""A session: one open save with its clock, world and minds. Its methods are the calls of a game.

Everything runs on one event loop. Events are stored before they are acknowledged. All changes of a thought are one transaction, and
its events go to the game after that. A load begins a new epoch and drops the thoughts of the old one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from npc_server.agent import Agent
from npc_server.bank.chooser import LineChooser
from npc_server.cognition.interview import interview
from npc_server.config import Settings
from npc_server.llm.deadline import at_most
from npc_server.llm.engine import Embedder, Engine
from npc_server.llm.lockstep import WaveEngine
from npc_server.memory import places
from npc_server.memory.slots import Slots
from npc_server.memory.store import Store
from npc_server.mind import relationships
from npc_server.mind.retrieve import retrieve
from npc_server.prompts.load import Prompts
from npc_server.records import (
    Address,
    Clock,
    GameActionResult,
    GameEvent,
    GameTime,
    Memory,
    MemoryKind,
    MindEvent,
    MindState,
    Notice,
    NpcId,
    ObjectChange,
    Outcome,
    PathResult,
    Perception,
    PlanStep,
    Restraint,
    SaveInfo,
    ScoredMemory,
    Social,
    Source,
    Whereabouts,
)
from npc_server.session import apply_files, approach
from npc_server.session.apply_files import Applied
from npc_server.session.dialogue import AnsweredLine
from npc_server.session.epoch import Epoch, Outside
from npc_server.session.events import checked, store
from npc_server.session.game_files import NO_FILES, FileChange, GameFiles, merged
from npc_server.session.looking import Looking
from npc_server.session.mending import Mending
from npc_server.session.open_slot import OpenSlot
from npc_server.session.outbox import Outbox
from npc_server.session.people import LivingTown
from npc_server.session.thinking import Thinking
from npc_server.session.watch_files import Watch, notices
from npc_server.world.tree import Node, World


class Session:
    """One open save. `Host.open_save` creates it."""

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
        chooser: LineChooser | None = None,
    ) -> None:
        self.id = session_id
        self.slot = slot
        self.changes: list[FileChange] = []
        """Where the files of the game differed from those of the save when it was opened."""
        self._on_close = on_close
        self._deadline_s = settings.engine.player_deadline_s
        """Most wall seconds of one call that a player waits for."""
        outside = Outside(settings, WaveEngine(engine, deadline_s=settings.engine.deadline_s), embedder, prompts, self._put, chooser)
        self._open = OpenSlot(slot, slots, outside, self._ended)
        self._outbox: Outbox | None = None
        self._applying = asyncio.Lock()
        self.mending = Mending(self._open, self._applying, self._deadline_s)
        self.looking = Looking(self._open)
        self._watch: Watch | None = None
        self._untold: list[Notice] = []
        """Notices that wait until the game reads its stream."""

    # ---- opening and ending

    async def open(self, resume_epoch: int, discard_unsaved: bool, files: GameFiles = NO_FILES) -> None:
        """Opens the save, and compares its files with the `files` of the game; see `changes`.

        Raises SaveError, and BadInput if the persona files of the save have mistakes. Nothing has changed then.
        """
        await self._open.open(resume_epoch, discard_unsaved, files.game)
        try:
            self.changes = await self._differences(files, self._store) if files.town or files.personas else []
        except BaseException:
            await self.suspend()
            raise
        self._watch = self._watching(files, self.changes)

    async def load_game(self, slot: str = "") -> SaveInfo:
        """Loads a slot in place of what is played, in a new epoch. Raises SaveError; play goes on as before then."""
        found: list[FileChange] = []

        async def look(store: Store) -> None:
            found.extend(await self._differences(self._watch.files, store) if self._watch is not None else ())

        await self._open.load(slot or self.slot, look)
        self._tell(notices(found))
        return self.info

    async def save_game(self, slot: str = "") -> SaveInfo:
        """Saves the game to a slot. The file is replaced as a whole or not at all."""
        return await self._open.save(slot or self.slot)

    async def close(self, save: bool) -> None:
        """Ends the session. Without `save`, unsaved play is lost. Raises SaveError; play goes on as before then."""
        await self._open.close(save=save, keep_unsaved=False)

    async def suspend(self) -> None:
        """Ends the session but keeps the working copy, so that the next opening continues it. Used when the server stops."""
        await self._open.close(save=False, keep_unsaved=True)

    async def _ended(self) -> None:
        if self._watch is not None:
            await self._watch.stop()
        if self._outbox is not None:
            self._outbox.end()
        self._on_close()

    @property
    def is_lockstep(self) -> bool:
        """Whether the game's clock waits until everybody has decided, as its last clock said."""
        return self._played.paths.is_lockstep

    @property
    def is_played(self) -> bool:
        """Whether a game reads the stream of this session now."""
        return self._outbox is not None and self._outbox.read

    # ---- what is played now

    @property
    def _played(self) -> Epoch:
        return self._open.epoch

    @property
    def epoch(self) -> int:
        return self._played.number

    @property
    def recovered(self) -> bool:
        return self._played.copy.recovered

    @property
    def last_stored_seq(self) -> int:
        return self._played.last_seq

    @property
    def now(self) -> GameTime:
        return self._played.now

    @property
    def info(self) -> SaveInfo:
        return self._played.info

    @property
    def _store(self) -> Store:
        return self._played.store

    @property
    def _town(self) -> LivingTown:
        return self._played.town

    @property
    def _thinking(self) -> Thinking:
        return self._played.thinking

    # ---- the game's files

    async def _differences(self, files: GameFiles, store: Store) -> list[FileChange]:
        """Lists where `files` differ from those of the save."""
        found, _ = await asyncio.to_thread(apply_files.compared, await apply_files.saved_files(store, files), files)
        return found

    async def apply_files(self, files: GameFiles) -> Applied:
        """Applies edited files of the game, once nobody thinks or talks. Memories and other experiences are kept.

        Raises FileProblem with the mistakes of all files, and SaveOfAnotherTown. Nothing has changed then.
        """
        async with self._applying:
            played = self._played
            found = await apply_files.read(self.slot, await apply_files.saved_files(played.store, files), files, played.town)
            await self._watch_anew(files, found.changes if found is not None else ())
            if found is None:
                return Applied((), ())
            async with played.thinking.attention_of_all(), self._open.storing:
                self._open.require(played)
                plan = await apply_files.prepare(found, played.town, played.now)
                applied = await apply_files.take_over(plan, played.town, played.store)
                played.info = apply_files.info_after(plan, played.info)
            return applied

    async def _watch_anew(self, files: GameFiles, told: Sequence[FileChange]) -> None:
        watched = NO_FILES
        if self._watch is not None:
            await self._watch.stop()
            watched = self._watch.files
        if not self._open.closed:
            self._watch = self._watching(merged(watched, files), told)

    def _watching(self, files: GameFiles, told: Sequence[FileChange]) -> Watch:
        return Watch(files, told, lambda now: apply_files.saved_files(self._store, now), self._tell)

    def _tell(self, notices: Sequence[Notice]) -> None:
        """Sends notices to the game now, or as soon as it reads its stream."""
        if self._outbox is None:
            self._untold += notices
        self._put(self.epoch, notices)

    # ---- what is in it

    @property
    def npc_ids(self) -> list[NpcId]:
        return list(self._town.agents)

    @property
    def world(self) -> World:
        return self._town.world

    async def register_world(self, nodes: Sequence[Node]) -> tuple[int, list[str]]:
        """Adds or replaces places and objects. Returns how many there are now, and warnings about places that personas name in vain."""
        return await self._thinking.until_stopped(self._register(self._played, nodes))

    def addresses(self) -> list[Address]:
        """Every place and object of the world, in the order in which they were added."""
        return [node.address for node in self.world]

    async def _register(self, played: Epoch, nodes: Sequence[Node]) -> tuple[int, list[str]]:
        world = played.town.world
        bodies = await asyncio.to_thread(places.bodies_of, world.differing(nodes))
        # Nothing is awaited between the merge and the store job, so a change of state comes before both or after both.
        changed = world.merge(nodes)
        if changed:
            await played.store.do(lambda db: places.put_nodes(db, changed, bodies))
        return len(world), await played.town.warnings()

    @property
    def at_work(self) -> int:
        """How many people think or talk now."""
        return self._thinking.at_work

    def agent(self, npc: NpcId) -> Agent:
        return self._town.agent(npc)

    def mind(self, npc: NpcId) -> MindState:
        return self.agent(npc).state(self.now)

    def memories(self, npc: NpcId, kinds: Sequence[MemoryKind], before_id: int, limit: int) -> list[Memory]:
        """Returns memories with ids below `before_id`, newest first. With 0 it begins with the newest."""
        return self.agent(npc).mind.stream.latest(limit, kinds, before_id)

    def evidence(self, npc: NpcId, memory_id: int) -> list[Memory]:
        """Returns a memory and all memories it rests on, down to observations, each once (Generative Agents, section 4.2)."""
        stream = self.agent(npc).mind.stream
        found = [stream.get(memory_id)]
        for memory in found:  # The list grows while it is walked.
            found += [stream.get(i) for i in memory.evidence if i in stream and all(i != other.id for other in found)]
        return found

    async def search(self, npc: NpcId, query: str, limit: int) -> list[ScoredMemory]:
        """Finds memories by the retrieval score. The search does not count as an access."""
        return await retrieve(self.agent(npc).mind, query, self.now, limit, touch=False)

    def plan(self, npc: NpcId, day: GameTime) -> list[PlanStep]:
        mind = self.agent(npc).mind
        wanted = mind.day_of(day or self.now)
        return sorted((step for step in mind.plan.steps if mind.day_of(step.start) == wanted), key=lambda s: (s.start, s.id))

    def relations(self, npc: NpcId) -> list[Social]:
        """Returns the Social Memory of an NPC (AGA, section 3.2), the closest people first."""
        return relationships.everybody(self.agent(npc).mind)

    # ---- talking to somebody from outside the world

    async def say(self, npc: NpcId, speaker: str, text: str, on_text: Callable[[str], None]) -> AnsweredLine:
        """Lets an NPC answer a player; see `dialogue`."""
        thinking = self._thinking
        with at_most(self._deadline_s), thinking.dialogues.player_talks(speaker):
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.say(agent, speaker, text, on_text))

    async def whisper(self, npc: NpcId, text: str) -> Memory:
        thinking = self._thinking
        with at_most(self._deadline_s):
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.whisper(agent, text))

    async def undo(self, npc: NpcId, speaker: str) -> int:
        thinking = self._thinking
        with at_most(self._deadline_s):
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.undo(agent, speaker))

    async def end_talk(self, npc: NpcId, speaker: str) -> bool:
        thinking = self._thinking
        with at_most(self._deadline_s):
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.end(agent, speaker))

    async def interview(self, npc: NpcId, question: str, on_text: Callable[[str], None]) -> tuple[str, Source, list[ScoredMemory]]:
        """Asks an NPC a question. The NPC does not remember it, so the question interrupts nothing."""
        with at_most(self._deadline_s):
            answer, found = await self._thinking.until_stopped(interview(self.agent(npc).mind.aside(), question, self.now, on_text))
        return answer.value, answer.source, found

    # ---- the game's events

    def attach(self) -> Outbox:
        """Returns the outbox for a new stream, and ends the old one. What goes on is sent again, as the game may be new."""
        if self._outbox is not None:
            self._outbox.replaced()
        self._outbox = Outbox()
        self._tell_what_goes_on()
        untold, self._untold = self._untold, []
        self._put(self.epoch, untold)
        return self._outbox

    def _tell_what_goes_on(self) -> None:
        """Sends what everybody is doing, and who has come up to a player and waits for an answer."""
        agents, self._played.is_told = self._town.agents.values(), True
        self._put(self.epoch, [agent.doing.action for agent in agents if agent.doing.action is not None])
        self._put(self.epoch, [event for agent in agents for event in approach.unanswered(agent, self.now)])

    async def take(self, epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
        """Stores events of this epoch, and gives them to the minds. Returns the last sequence number on disk."""
        async with self._open.storing:
            if epoch != self.epoch or self._open.closed:
                return self.last_stored_seq
            if not self._played.is_told:  # Now the game knows of the epoch that LoadGame began, and does not drop its messages.
                self._tell_what_goes_on()
            before = self.last_stored_seq
            checked = self._checked(before, events)
            self._played.last_seq = await self._store.do(lambda db: store(db, epoch, before, checked))
            for seq, event in checked:
                if seq > before:
                    self._deliver(seq, event)
            self._thinking.heard()
            return self.last_stored_seq

    def _checked(self, before: int, events: Sequence[tuple[int, GameEvent]]) -> list[tuple[int, GameEvent]]:
        """Checks the events above `before`, and sends the game notices about those that are wrong."""
        now, found = self.now, list[tuple[int, GameEvent]]()
        for seq, told in events:
            event, notice = checked(seq, told, self._town, now) if seq > before else (told, None)
            if isinstance(event, Clock) and seq > before:
                now = event.now
                # A game may send the same wrong clock in each frame. It gets one notice.
                known, self._played.clock_refused = self._played.clock_refused, notice is not None
                notice = None if known else notice
            found.append((seq, event))
            if notice is not None:
                self._put(self.epoch, [notice])
        return found

    def _deliver(self, seq: int, event: GameEvent) -> None:
        if isinstance(event, Perception | Outcome | Whereabouts | GameActionResult | Restraint):
            self._town.agents[event.npc].mailbox.append((seq, event))
            if isinstance(event, Restraint) and event.on:
                self._thinking.dialogues.hush(event.npc)
        elif isinstance(event, PathResult):
            self._played.paths.answer(event)
        elif isinstance(event, ObjectChange):
            self.world.set_state(event.address, event.state)
        elif isinstance(event, Clock):
            self._played.tick(seq, event.now, event.lockstep)

    # ---- what the minds tell

    def _put(self, epoch: int, events: Sequence[MindEvent]) -> bool:
        """Sends events to the game. Returns False if no game listens, or if the epoch is over."""
        if self._outbox is None or epoch != self.epoch:
            return False
        if events:
            self._outbox.put(epoch, events)
        return True
