"""One open save: its clock, world and people, and the working copy it is played on.

Everything runs on one event loop. Events are stored before they are acknowledged; a thought's changes are one
transaction; what it tells the game goes out after that transaction. Loading raises the epoch and drops the thoughts
in flight with all they had in mind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from npc_server.agent import Agent
from npc_server.cognition.interview import interview
from npc_server.config import Settings
from npc_server.errors import UnknownName
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
    SaveInfo,
    ScoredMemory,
    Social,
    Source,
    Whereabouts,
)
from npc_server.session import apply_files
from npc_server.session.apply_files import Applied
from npc_server.session.dialogue import AnsweredLine
from npc_server.session.epoch import Epoch, Outside
from npc_server.session.events import checked, store
from npc_server.session.game_files import NO_FILES, FileChange, GameFiles, merged
from npc_server.session.open_slot import OpenSlot
from npc_server.session.outbox import Outbox
from npc_server.session.people import LivingTown
from npc_server.session.thinking import Thinking
from npc_server.session.watch_files import Watch, notices
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
        self.changes: list[FileChange] = []
        """Where the game's files differed from the save's when it was opened."""
        self._on_close = on_close
        self._deadline_s = settings.engine.player_deadline_s
        """Wall seconds for all that a player waits for in one call, whatever is asked of models meanwhile."""
        outside = Outside(settings, WaveEngine(engine), embedder, prompts, self._put)
        self._open = OpenSlot(slot, slots, outside, self._ended)
        self._outbox: Outbox | None = None
        self._applying = asyncio.Lock()
        self._watch: Watch | None = None
        self._untold: list[Notice] = []
        """What nobody read the stream for yet."""

    # ---- opening and ending

    async def open(self, resume_epoch: int, discard_unsaved: bool, files: GameFiles = NO_FILES) -> None:
        """`files` are the game's as it has them now: what differs in them stands in `changes`.

        Raises SaveError, and BadInput for what is wrong in the save's files; then all is as it was.
        """
        await self._open.open(resume_epoch, discard_unsaved, files.game)
        try:
            self.changes = await self._differences(files, self._store) if files.town or files.personas else []
        except BaseException:
            await self.suspend()
            raise
        self._watch = self._watching(files, self.changes)

    async def load_game(self, slot: str = "") -> SaveInfo:
        """Replaces what is played by a slot, and raises the epoch. Raises SaveError; then play goes on as it was."""
        found: list[FileChange] = []

        async def look(store: Store) -> None:
            found.extend(await self._differences(self._watch.files, store) if self._watch is not None else ())

        await self._open.load(slot or self.slot, look)
        self._tell(notices(found))
        return self.info

    async def save_game(self, slot: str = "") -> SaveInfo:
        """Writes what is stored to a slot, at once or not at all."""
        return await self._open.save(slot or self.slot)

    async def close(self, save: bool) -> None:
        """Ends the session. Without `save`, what was not saved is dropped. Raises SaveError; then play goes on as it was."""
        await self._open.close(save=save, keep_unsaved=False)

    async def suspend(self) -> None:
        """Ends the session and keeps the working copy, so that the next opening goes on from it: the server is stopping."""
        await self._open.close(save=False, keep_unsaved=True)

    async def _ended(self) -> None:
        if self._watch is not None:
            await self._watch.stop()
        if self._outbox is not None:
            self._outbox.end()
        self._on_close()

    @property
    def is_played(self) -> bool:
        """Whether a game reads its stream now."""
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
        """Where `files` differ from those that the save was made from."""
        return await asyncio.to_thread(apply_files.differences, await apply_files.saved_files(store), files)

    async def apply_files(self, files: GameFiles) -> Applied:
        """Takes the game's files over, and keeps what was lived. Waits until nobody thinks or talks.

        Raises FileProblem with every mistake of all files, and SaveOfAnotherTown; then nothing has changed.
        """
        async with self._applying:
            played = self._played
            found = await apply_files.read(self.slot, await apply_files.saved_files(played.store), files, played.town)
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
        return Watch(files, told, lambda: apply_files.saved_files(self._store), self._tell)

    def _tell(self, notices: Sequence[Notice]) -> None:
        """At once, or as soon as somebody reads the stream."""
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
        """Adds places and objects, or replaces those of the same address. How many there are now, and what the personas miss."""
        return await self._thinking.until_stopped(self._register(self._played, nodes))

    async def _register(self, played: Epoch, nodes: Sequence[Node]) -> tuple[int, list[str]]:
        world = played.town.world
        bodies = await asyncio.to_thread(places.bodies_of, world.differing(nodes))
        # Merged and handed to the store at once, so that a change of state comes before both or after both.
        changed = world.merge(nodes)
        if changed:
            await played.store.do(lambda db: places.put_nodes(db, changed, bodies))
        return len(world), await played.town.warnings()

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
        return relationships.everybody(self.agent(npc).mind)

    # ---- talking to somebody from outside the world

    async def say(self, npc: NpcId, speaker: str, text: str, on_text: Callable[[str], None]) -> AnsweredLine:
        """The NPC's answer to a player; see `dialogue`."""
        thinking = self._thinking
        with at_most(self._deadline_s):
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.say(agent, speaker, text, on_text))

    async def whisper(self, npc: NpcId, text: str) -> Memory:
        thinking = self._thinking
        with at_most(self._deadline_s):
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.whisper(agent, text))

    async def undo(self, npc: NpcId, speaker: str) -> int:
        thinking = self._thinking
        with at_most(self._deadline_s):
            return await thinking.attend(self.agent(npc), lambda agent: thinking.dialogues.undo(agent, speaker))

    async def interview(self, npc: NpcId, question: str, on_text: Callable[[str], None]) -> tuple[str, Source, list[ScoredMemory]]:
        """Leaves no trace, so it needs nobody's attention."""
        with at_most(self._deadline_s):
            answer, found = await self._thinking.until_stopped(interview(self.agent(npc).mind.aside(), question, self.now, on_text))
        return answer.value, answer.source, found

    # ---- the game's events

    def attach(self) -> Outbox:
        """The outbox of a new stream; the one before ends. What everybody is doing is told again: the game may be new."""
        if self._outbox is not None:
            self._outbox.replaced()
        self._outbox = Outbox()
        self._put(self.epoch, [agent.doing.action for agent in self._town.agents.values() if agent.doing.action is not None])
        untold, self._untold = self._untold, []
        self._put(self.epoch, untold)
        return self._outbox

    async def take(self, epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
        """Stores events and hands them to the minds. Returns the last sequence number on disk; events of another epoch are dropped."""
        async with self._open.storing:
            if epoch != self.epoch or self._open.closed:
                return self.last_stored_seq
            before = self.last_stored_seq
            checked = self._checked(before, events)
            self._played.last_seq = await self._store.do(lambda db: store(db, epoch, before, checked))
            for seq, event in checked:
                if seq > before:
                    self._deliver(seq, event)
            self._thinking.heard()
            return self.last_stored_seq

    def _checked(self, before: int, events: Sequence[tuple[int, GameEvent]]) -> list[tuple[int, GameEvent]]:
        """Those above `before` as they are stored; the game is told what is wrong with them."""
        now, found = self.now, list[tuple[int, GameEvent]]()
        for seq, told in events:
            event, notice = checked(seq, told, self._town, now) if seq > before else (told, None)
            if isinstance(event, Clock) and seq > before:
                now = event.now
                # A game that stays behind, and says so in each frame, hears it once.
                known, self._played.clock_refused = self._played.clock_refused, notice is not None
                notice = None if known else notice
            found.append((seq, event))
            if notice is not None:
                self._put(self.epoch, [notice])
        return found

    def _deliver(self, seq: int, event: GameEvent) -> None:
        if isinstance(event, Perception | Outcome | Whereabouts | GameActionResult):
            self._town.agents[event.npc].mailbox.append((seq, event))
        elif isinstance(event, PathResult):
            self._played.paths.answer(event)
        elif isinstance(event, ObjectChange):
            self.world.set_state(event.address, event.state)
        elif isinstance(event, Clock):
            self._played.now = event.now
            self._played.paths.is_lockstep = event.lockstep
            self._thinking.tick(seq, event.lockstep)

    # ---- what the minds tell

    def _put(self, epoch: int, events: Sequence[MindEvent]) -> bool:
        """Whether it can be told: nobody may play, and what belongs to an epoch before is not told any more."""
        if self._outbox is None or epoch != self.epoch:
            return False
        if events:
            self._outbox.put(epoch, events)
        return True
