"""Protocols of what the servicers need from `session.Host` and `session.Session`, so that their tests need no save."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Sequence
from typing import Protocol

from npc_server.llm.engine import EngineStatus
from npc_server.records import (
    Address,
    Document,
    GameAction,
    GameEvent,
    GameTime,
    Memory,
    MemoryKind,
    MindEvent,
    MindState,
    NpcId,
    PlanStep,
    SaveInfo,
    ScoredMemory,
    Social,
    Source,
)
from npc_server.session.apply_files import Applied
from npc_server.session.game_files import NO_FILES, FileChange, GameFiles
from npc_server.world.tree import Node


class EngineView(Protocol):
    """What the server reads of an `Engine`."""

    def status(self) -> EngineStatus: ...


class SpokenView(Protocol):
    """An NPC's answer to a player."""

    @property
    def text(self) -> str: ...
    @property
    def ended(self) -> bool: ...
    @property
    def source(self) -> Source: ...
    @property
    def actions(self) -> tuple[GameAction, ...]: ...


class SessionView(Protocol):
    """What the servicers use of a `Session`, whose methods say what they do and raise."""

    @property
    def id(self) -> str: ...
    @property
    def epoch(self) -> int: ...
    @property
    def recovered(self) -> bool: ...
    @property
    def last_stored_seq(self) -> int: ...
    @property
    def now(self) -> GameTime: ...
    @property
    def npc_ids(self) -> Sequence[NpcId]: ...
    @property
    def info(self) -> SaveInfo: ...
    @property
    def changes(self) -> Sequence[FileChange]:
        """The differences that were found between the game's files and the save's when it was opened."""
        ...

    async def register_world(self, nodes: Sequence[Node]) -> tuple[int, list[str]]: ...
    def addresses(self) -> list[Address]: ...
    async def take(self, epoch: int, events: Sequence[tuple[int, GameEvent]]) -> int:
        """Stores numbered events, and returns the last sequence number that is on disk. Raises NpcServerError."""
        ...

    def attach(self) -> AsyncIterable[tuple[int, Sequence[MindEvent]]]:
        """Yields what the minds send from now on, with its epoch.

        It ends when the session closes, and raises StreamReplaced when another stream attaches.
        """
        ...

    async def save_game(self, slot: str = "") -> SaveInfo: ...
    async def load_game(self, slot: str = "") -> SaveInfo: ...
    async def close(self, save: bool) -> None: ...
    async def apply_files(self, files: GameFiles) -> Applied: ...
    def mind(self, npc: NpcId) -> MindState: ...
    def memories(self, npc: NpcId, kinds: Sequence[MemoryKind], before_id: int, limit: int) -> list[Memory]: ...
    async def say(self, npc: NpcId, speaker: str, text: str, on_text: Callable[[str], None]) -> SpokenView: ...
    async def whisper(self, npc: NpcId, text: str) -> Memory: ...
    async def interview(self, npc: NpcId, question: str, on_text: Callable[[str], None]) -> tuple[str, Source, list[ScoredMemory]]: ...
    async def undo(self, npc: NpcId, speaker: str) -> int: ...
    def evidence(self, npc: NpcId, memory_id: int) -> list[Memory]: ...
    async def search(self, npc: NpcId, query: str, limit: int) -> list[ScoredMemory]: ...
    def plan(self, npc: NpcId, day: GameTime) -> list[PlanStep]: ...
    def relations(self, npc: NpcId) -> list[Social]: ...


class HostView(Protocol):
    """What the servicers use of a `Host`, whose methods say what they do and raise."""

    @property
    def engine(self) -> EngineView: ...
    async def list_saves(self) -> list[SaveInfo]: ...
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
    ) -> SaveInfo: ...
    async def open_save(
        self, slot: str, resume_epoch: int = 0, discard_unsaved: bool = False, files: GameFiles = NO_FILES
    ) -> SessionView: ...
    async def delete_save(self, slot: str) -> None: ...
    def session(self, session_id: str) -> SessionView:
        """Returns the open session with this id. Raises NoSession."""
        ...
