"""A host with the people of Millbrook, and the least game that can play with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from importlib import resources
from pathlib import Path

import pytest

from npc_server.config import Settings, load_settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Engine
from npc_server.llm.no_model import NoModelEngine
from npc_server.records import (
    Action,
    Clock,
    Document,
    GameEvent,
    GameTime,
    MindEvent,
    Outcome,
    OutcomeStatus,
    PathQuery,
    PathResult,
    Reach,
    Settled,
)
from npc_server.session.host import Host
from npc_server.session.outbox import Outbox
from npc_server.session.session import Session
from tests.disks import small_disk

__all__ = ["small_disk"]

PEOPLE = ("mara_voss", "tobin_hale", "ines_calder")


def document(name: str) -> Document:
    return Document(name, resources.files("npc_server").joinpath(f"data/towns/millbrook/{name}").read_text(encoding="utf-8"))


def town() -> Document:
    return document("town.yaml")


def personas() -> list[Document]:
    return [document(f"personas/{npc}.yaml") for npc in PEOPLE]


@pytest.fixture
def settings(tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    mind = {"path_wait_s": 0.01} if request.node.get_closest_marker("unanswered") else {}
    return load_settings(save={"folder": tmp_path / "saves", "commit_wait_ms": 0}, mind=mind)


@pytest.fixture
async def make_host(settings: Settings) -> AsyncIterator[Callable[..., Host]]:
    made: list[Host] = []

    def make(engine: Engine | None = None) -> Host:
        made.append(Host(settings, engine or NoModelEngine("No model in this test."), HashedWordsEmbedder()))
        return made[-1]

    yield make
    for host in made:
        await host.close()


class Game:
    """Lockstep: every place is a minute away, and whoever is sent somewhere arrives at once."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.outbox: Outbox = session.attach()
        self.epoch = session.epoch
        self.seq = session.last_stored_seq
        self.told: list[MindEvent] = []
        self.taken: set[str] = set()
        """Addresses that have no room just now."""

    async def send(self, *events: GameEvent) -> int:
        numbered = []
        for event in events:
            self.seq += 1
            numbered.append((self.seq, event))
        return await self.session.take(self.epoch, numbered)

    async def tick(self, now: GameTime, *events: GameEvent) -> list[Action]:
        """Sends the events and the clock, answers what is asked, and returns what was decided until all have settled."""
        await self.send(*events, Clock(now, lockstep=True))
        target, decided = self.seq, []
        async for _, batch in self.outbox:
            for event in batch:
                self.told.append(event)
                if isinstance(event, PathQuery):
                    reaches = tuple(Reach(a, True, 60.0, a not in self.taken) for a in event.addresses)
                    await self.send(PathResult(event.npc, event.query_id, reaches))
                elif isinstance(event, Action):
                    decided.append(event)
                elif isinstance(event, Settled) and event.seq == target:
                    await self.send(*[Outcome(a.npc, a.id, OutcomeStatus.ARRIVED, "", a.address) for a in decided])
                    return decided
        raise AssertionError("the stream ended before all minds had settled")
