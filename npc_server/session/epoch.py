"""An epoch: everything between two loads of a save, under one number that rises each time a save is opened or loaded.

The game sends the number with its events. `rpc/play.py` asks `compare_epoch` about each, and events of an older epoch are
dropped. `memory/slots.py` raises the number (`Slots._next_epoch`), because it must also rise after a crash. `OpenSlot.load` replaces
the epoch that is played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from npc_server.bank.chooser import LineChooser
from npc_server.config import Settings
from npc_server.errors import NpcServerError
from npc_server.llm.engine import Embedder
from npc_server.llm.lockstep import WaveEngine
from npc_server.memory.listing import info_of
from npc_server.memory.store import Store
from npc_server.memory.working_copy import WorkingCopy, open_store
from npc_server.prompts.load import Prompts
from npc_server.records import GameTime, MindEvent, SaveInfo
from npc_server.session.ownership import taken_on
from npc_server.session.paths import Paths
from npc_server.session.people import LivingTown, open_town
from npc_server.session.read_people import PeopleReader
from npc_server.session.thinking import Thinking


class EventEpoch(Enum):
    """How the epoch of an event compares with the one that the session plays in."""

    OLD = "old"
    """The save was opened or loaded since. The event belongs to a past that is gone: it is dropped, and the game gets a notice."""
    CURRENT = "current"
    """The event is stored."""
    UNKNOWN = "unknown"
    """The session has not begun this epoch. The stream ends with BadInput, because the game made a mistake."""


def compare_epoch(epoch: int, current: int) -> EventEpoch:
    """Compares an event's `epoch` with the `current` one of the session. Epochs count up."""
    if epoch == current:
        return EventEpoch.CURRENT
    return EventEpoch.OLD if epoch < current else EventEpoch.UNKNOWN


@dataclass(frozen=True)
class Outside:
    """What an epoch needs from the session and the server."""

    settings: Settings
    waves: WaveEngine
    embedder: Embedder
    prompts: Prompts
    put: Callable[[int, Sequence[MindEvent]], bool]
    """Sends events of an epoch to the game. Returns False if no game listens, or if the epoch is over."""
    chooser: LineChooser | None = None


@dataclass
class Epoch:
    """The store of a working copy, and the minds that were loaded from it. `begin` creates it."""

    copy: WorkingCopy
    store: Store
    town: LivingTown
    info: SaveInfo
    now: GameTime
    last_seq: int
    paths: Paths
    outside: Outside
    is_told: bool = False
    """Whether the game was sent what everybody is doing."""
    clock_refused: bool = False
    """Whether the last clock of the game was refused."""

    def __post_init__(self) -> None:
        self.number = self.copy.epoch
        minds, settings = (lambda: [agent.mind for agent in self.town.agents.values()]), self.outside.settings.mind
        self.reader = PeopleReader(self.outside.waves, minds, settings)
        self.thinking = Thinking(
            self.town.agents,
            self.outside.settings.mind,
            self.outside.waves,
            self.store,
            self.number,
            lambda: self.now,
            partial(self.outside.put, self.number),
        )

    def tick(self, seq: int, now: GameTime, lockstep: bool) -> None:
        """The clock moved to `now`, with the event number `seq`. In lockstep nobody waits for an answer, so nothing is read ahead."""
        self.now, self.paths.is_lockstep = now, lockstep
        if not lockstep:
            self.reader.go_on(now)
        self.thinking.tick(seq, lockstep)

    async def stop(self, why: Callable[[], NpcServerError]) -> None:
        """Drop what minds think and read. Whoever waits for an answer gets `why`."""
        await self.reader.stop()
        await self.thinking.stop(why)


async def begin(copy: WorkingCopy, game: str, outside: Outside) -> Epoch:
    """Opens a working copy at its path for `game`, and loads its minds. Nobody thinks yet.

    Raises SaveError, and BadInput if the persona files of the save have mistakes. The working copy is closed then.
    """
    store = await open_store(copy, outside.settings.save.commit_wait_ms, full_sync=outside.settings.save.full_sync)
    paths = Paths(outside.settings.mind.path_wait_s, partial(outside.put, copy.epoch))
    try:
        save = await store.do(lambda db: taken_on(db, game))
        info = await store.do(lambda db: info_of(copy.slot, db, store.path.stat().st_size))
        town = await open_town(
            store,
            outside.waves,
            outside.embedder,
            outside.prompts,
            outside.settings.mind,
            paths.ask,
            outside.chooser,
        )
    except BaseException:
        await store.close()
        raise
    return Epoch(copy, store, town, info, save.now, save.last_seq, paths, outside)
