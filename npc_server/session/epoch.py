"""What is played from one load to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from npc_server.config import Settings
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
from npc_server.session.thinking import Thinking


@dataclass(frozen=True)
class Outside:
    """What an epoch needs of the session and the server."""

    settings: Settings
    waves: WaveEngine
    embedder: Embedder
    prompts: Prompts
    put: Callable[[int, Sequence[MindEvent]], bool]
    """Tells the game something in an epoch; False when nobody plays."""


@dataclass
class Epoch:
    """The store of a working copy, and the people brought to life from it. Made by `begin`."""

    copy: WorkingCopy
    store: Store
    town: LivingTown
    info: SaveInfo
    now: GameTime
    last_seq: int
    paths: Paths
    outside: Outside
    clock_refused: bool = False
    """The clock that came last could not be right."""

    def __post_init__(self) -> None:
        self.number = self.copy.epoch
        self.thinking = Thinking(
            self.town.agents,
            self.outside.settings.mind,
            self.outside.waves,
            self.store,
            self.number,
            lambda: self.now,
            partial(self.outside.put, self.number),
        )


async def begin(copy: WorkingCopy, game: str, outside: Outside) -> Epoch:
    """Opens a working copy for `game`, where it lies, and brings its people to life; nobody thinks yet.

    Raises SaveError, and BadInput for what is wrong in its files; then the working copy is closed.
    """
    store = await open_store(copy, outside.settings.save.commit_wait_ms)
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
        )
    except BaseException:
        await store.close()
        raise
    return Epoch(copy, store, town, info, save.now, save.last_seq, paths, outside)
