"""A host without saves, minds or model: what it was asked for it remembers, what it answers the test sets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace

from npc_server.config import ServerSettings
from npc_server.errors import NoSession, NpcServerError, SaveNotFound, StreamReplaced, UnknownName
from npc_server.llm.engine import EngineStatus
from npc_server.records import (
    Address,
    AskedQuestion,
    Document,
    GameAction,
    GameEvent,
    GameTime,
    Memory,
    MemoryChange,
    MemoryKind,
    MindEvent,
    MindGlance,
    MindState,
    NpcId,
    PlanStep,
    SaveInfo,
    ScoredMemory,
    Social,
    Source,
)
from npc_server.session.apply_files import Applied
from npc_server.session.audience import Audience
from npc_server.session.game_files import NO_FILES, ChangeKind, FileChange, GameFiles
from npc_server.session.mend import NewMemory
from npc_server.session.mending import Mended
from npc_server.world.tree import Node


class FakeOutbox:
    """Ends when it is told to, as the session's does."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[tuple[int, list[MindEvent]] | Exception] = asyncio.Queue()
        self.fetched = 0

    def __aiter__(self) -> AsyncIterator[tuple[int, Sequence[MindEvent]]]:
        return self

    async def __anext__(self) -> tuple[int, Sequence[MindEvent]]:
        item = await self.queue.get()
        if isinstance(item, Exception):
            raise item
        self.fetched += 1
        return item


@dataclass(frozen=True)
class FakeSpoken:
    text: str
    ended: bool
    source: Source
    actions: tuple[GameAction, ...] = ()


@dataclass
class FakeMending:
    """Notes what it is asked for, and answers what the test sets."""

    asked: list[tuple[object, ...]] = field(default_factory=list)
    answer: Mended = field(default_factory=Mended)
    history: list[MemoryChange] = field(default_factory=list)

    def _noted(self, *what: object) -> Mended:
        self.asked.append(what)
        return self.answer

    async def add(self, epoch: int, to: Audience, new: NewMemory) -> Mended:
        return self._noted("add", epoch, to, new)

    async def edit(self, epoch: int, npc: NpcId, memory_id: int, text: str, importance: int, by: str) -> Mended:
        return self._noted("edit", epoch, npc, memory_id, text, importance, by)

    async def delete(self, epoch: int, npc: NpcId, memory_id: int, by: str) -> Mended:
        return self._noted("delete", epoch, npc, memory_id, by)

    async def delete_key(self, epoch: int, key: str, of: Audience, by: str) -> Mended:
        return self._noted("delete_key", epoch, key, of, by)

    async def changes(self, npc: NpcId, memory_id: int = 0) -> list[MemoryChange]:
        return self.history


@dataclass
class FakeLooking:
    """Shows what the test sets."""

    seen: list[MindGlance] = field(default_factory=list)
    asked: list[AskedQuestion] = field(default_factory=list)

    def minds(self) -> list[MindGlance]:
        return self.seen

    def questions(self, npc: NpcId, before_id: int, limit: int) -> list[AskedQuestion]:
        return [it for it in reversed(self.asked) if not before_id or it.id < before_id][:limit]


@dataclass
class FakeSession:
    id: str = "s1"
    epoch: int = 3
    recovered: bool = False
    last_stored_seq: int = 0
    now: GameTime = 1000
    npc_ids: tuple[NpcId, ...] = ("mara_voss",)
    changes: tuple[FileChange, ...] = ()
    stored: list[tuple[int, GameEvent]] = field(default_factory=list)
    actions: tuple[GameAction, ...] = ()
    takes: list[list[int]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    kept: list[Memory] = field(default_factory=list)
    mending: FakeMending = field(default_factory=FakeMending)
    looking: FakeLooking = field(default_factory=FakeLooking)
    gate: asyncio.Event | None = None
    """A take waits for it, as it would for the disk, and an answer, as it would for the model."""
    spoken_to: asyncio.Event = field(default_factory=asyncio.Event)
    broken_off: asyncio.Event = field(default_factory=asyncio.Event)
    """A line was said, and its caller went away."""
    fails: BaseException | None = None
    outbox: FakeOutbox | None = None
    closed: bool = False
    words: tuple[str, ...] = ()
    """What streams before an answer is whole."""

    @property
    def info(self) -> SaveInfo:
        return SaveInfo(slot="slot", town="Millbrook", now=self.now, saved_at=5, people=("Mara Voss",), size=4096)

    def _fail(self) -> None:
        if self.fails is not None:
            raise self.fails

    async def register_world(self, nodes: Sequence[Node]) -> tuple[int, list[str]]:
        self._fail()
        self.nodes += nodes
        return len(self.nodes), ["a warning"]

    def addresses(self) -> list[Address]:
        return [node.address for node in self.nodes]

    async def take(self, epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
        self._fail()
        self.takes.append([seq for seq, _ in events])
        if self.gate is not None:
            await self.gate.wait()
        for seq, event in events:
            if seq == self.last_stored_seq + 1:
                self.stored.append((seq, event))
                self.last_stored_seq = seq
        return self.last_stored_seq

    def attach(self) -> FakeOutbox:
        if self.outbox is not None:
            self.outbox.queue.put_nowait(StreamReplaced("Another stream took over.", "Keep one."))
        self.outbox = FakeOutbox()
        return self.outbox

    def tell(self, *events: MindEvent) -> None:
        assert self.outbox is not None
        self.outbox.queue.put_nowait((self.epoch, list(events)))

    async def save_game(self, slot: str = "") -> SaveInfo:
        self._fail()
        if self.gate is not None:
            await self.gate.wait()
        self.takes.append([-1])
        return self.info

    async def load_game(self, slot: str = "") -> SaveInfo:
        self._fail()
        self.epoch += 1
        return self.info

    async def apply_files(self, files: GameFiles) -> Applied:
        self._fail()
        changes = tuple(FileChange(it.name, "ann", ChangeKind.CHANGED, "a.yaml: age changed.") for it in files.personas[:1])
        return Applied(changes, ("a warning",))

    async def close(self, save: bool) -> None:
        self._fail()
        self.closed = True
        if self.outbox is not None:
            self.outbox.queue.put_nowait(StopAsyncIteration())

    def mind(self, npc: NpcId) -> MindState:
        self._known(npc)
        return MindState(
            npc, "Mara Voss", "Mara Voss bakes.", None, "millbrook", False, self.now, ((MemoryKind.SEED, 2),), 0, 1, ("millbrook",)
        )

    def memories(self, npc: NpcId, kinds: Sequence[MemoryKind], before_id: int, limit: int) -> list[Memory]:
        self._known(npc)
        newest = sorted(self.kept, key=lambda memory: -memory.id)
        return [m for m in newest if (not before_id or m.id < before_id) and (not kinds or m.kind in kinds)][:limit]

    async def say(self, npc: NpcId, speaker: str, text: str, on_text: Callable[[str], None]) -> FakeSpoken:
        self._known(npc)
        for word in self.words:
            on_text(word)
            await asyncio.sleep(0)
        self.spoken_to.set()
        try:
            if self.gate is not None:
                await self.gate.wait()
        except asyncio.CancelledError:
            self.broken_off.set()
            raise
        return FakeSpoken(f"{speaker} said {text}", True, Source.INSTINCT, self.actions)

    async def whisper(self, npc: NpcId, text: str) -> Memory:
        self._known(npc)
        return replace(self.kept[0], text=text)

    async def interview(self, npc: NpcId, question: str, on_text: Callable[[str], None]) -> tuple[str, Source, list[ScoredMemory]]:
        self._known(npc)
        for word in self.words:
            on_text(word)
        return question, Source.MODEL, [ScoredMemory(memory, 1.0, 0.5, 0.25, 0.25) for memory in self.kept]

    async def undo(self, npc: NpcId, speaker: str) -> int:
        self._known(npc)
        return 3

    async def end_talk(self, npc: NpcId, speaker: str) -> bool:
        self._known(npc)
        return speaker == "Ada"

    def evidence(self, npc: NpcId, memory_id: int) -> list[Memory]:
        self._known(npc)
        return [memory for memory in self.kept if memory.id >= memory_id]

    async def search(self, npc: NpcId, query: str, limit: int) -> list[ScoredMemory]:
        self._known(npc)
        return [ScoredMemory(memory, 1.0, 0.5, 0.25, 0.25) for memory in self.kept[:limit]]

    def plan(self, npc: NpcId, day: GameTime) -> list[PlanStep]:
        self._known(npc)
        return []

    def relations(self, npc: NpcId) -> list[Social]:
        self._known(npc)
        return [Social(npc, "Ada", "customer", "She wonders about her.", "She sells wool.", 2, 7, 3600)]

    def _known(self, npc: NpcId) -> None:
        self._fail()
        if npc not in self.npc_ids:
            raise UnknownName(f"There is no NPC {npc!r}.", "Use one of npc_ids.", npc=npc)


@dataclass
class FakeEngine:
    now: EngineStatus = field(default_factory=lambda: EngineStatus(ready=False))

    def status(self) -> EngineStatus:
        return self.now


@dataclass
class FakeHost:
    engine: FakeEngine = field(default_factory=FakeEngine)
    session_: FakeSession = field(default_factory=FakeSession)
    fails: BaseException | None = None
    asked: list[tuple[object, ...]] = field(default_factory=list)

    def _note(self, *what: object) -> None:
        self.asked.append(what)
        if self.fails is not None:
            raise self.fails

    async def list_saves(self) -> list[SaveInfo]:
        self._note("list_saves")
        return [self.session_.info]

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
        more = [*([tuple(policies)] if policies else []), *([game] if game else []), *(["in place"] if in_place else []), *mods]
        self._note("create_save", slot, town, tuple(personas), seed, start, *more)
        return self.session_.info

    async def open_save(self, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False, files: GameFiles = NO_FILES) -> FakeSession:
        self._note("open_save", slot, resume_epoch, discard_unsaved, *([files] if files != NO_FILES else []))
        if slot != "slot":
            raise SaveNotFound(f"There is no save {slot!r}.", "List the saves.", slot=slot)
        return self.session_

    async def delete_save(self, slot: str) -> None:
        self._note("delete_save", slot)

    def session(self, session_id: str) -> FakeSession:
        if self.fails is not None:
            raise self.fails
        if session_id != self.session_.id or self.session_.closed:
            raise NoSession(f"There is no session {session_id!r}.", "Open a save first.", session=session_id)
        return self.session_


def settings(**values: object) -> ServerSettings:
    return ServerSettings.model_validate({"stop_grace_s": 0.5, **values})


def every_error() -> list[type[NpcServerError]]:
    """All classes of the tree, the root too."""
    found: list[type[NpcServerError]] = [NpcServerError]
    for kind in found:
        found += kind.__subclasses__()
    return found
