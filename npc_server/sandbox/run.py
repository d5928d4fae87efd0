"""A run of the sandbox town from a new save to its end, and the report of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from npc_server import clock
from npc_server.clock import DAY
from npc_server.records import (
    Action,
    Address,
    Document,
    GameTime,
    MindEvent,
    Notice,
    NoticeLevel,
    NpcId,
    Outcome,
    OutcomeStatus,
    Source,
    Speech,
)
from npc_server.sandbox.client import playing
from npc_server.sandbox.connection import Connection, OpenedSave
from npc_server.sandbox.lockstep import TICK_S, Lockstep
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast, bedside


@dataclass(frozen=True)
class PlayedAction:
    """One action as it was played."""

    id: str
    npc: NpcId
    start: GameTime
    end: GameTime
    address: Address
    sentence: str
    emoji: str
    source: Source
    failure: str = ""
    """Why it could not be done; empty when it could."""


@dataclass(frozen=True)
class Failure:
    """Something that did not work out, and the game went on."""

    at: GameTime
    npc: NpcId
    what: str


@dataclass(frozen=True)
class Report:
    """What happened in a run."""

    people: tuple[NpcId, ...]
    days: float
    start: GameTime
    end: GameTime
    actions: tuple[PlayedAction, ...]
    speeches: tuple[Speech, ...]
    memories: dict[NpcId, dict[str, int]]
    failures: tuple[Failure, ...]
    warnings: tuple[str, ...]
    wall_s: float
    town_s: float = 0.0
    """Of it, what the town itself took."""
    setup_s: float = 0.0
    """Of it, what making and opening the save took."""
    interviews_s: float = 0.0
    answers: dict[tuple[NpcId, str], str] = field(default_factory=dict)
    """What each person said to each question at the end."""


class Diary:
    """Collects what the minds decide and what becomes of it."""

    def __init__(self) -> None:
        self.actions: list[PlayedAction] = []
        self.speeches: list[Speech] = []
        self.failures: list[Failure] = []
        self._open: dict[NpcId, int] = {}

    def heard(self, event: MindEvent, now: GameTime) -> None:
        if isinstance(event, Action):
            self._began(event)
        elif isinstance(event, Speech) and not event.partial:
            self.speeches.append(event)
        elif isinstance(event, Notice) and event.level is not NoticeLevel.INFO:
            self.failures.append(Failure(now, "", f"{event.reason}: {event.message}"))

    def happened(self, outcome: Outcome, now: GameTime) -> None:
        if outcome.status is not OutcomeStatus.FAILED:
            return
        self.failures.append(Failure(now, outcome.npc, outcome.reason))
        index = self._open.get(outcome.npc)
        if index is not None and self.actions[index].id == outcome.action_id:
            it = self.actions[index]
            self.actions[index] = replace(it, failure=outcome.reason, end=max(it.start, min(it.end, now)))

    def close(self, now: GameTime) -> None:
        """What is still going on ends with the run."""
        for index in self._open.values():
            self._cut(index, now)

    def _began(self, it: Action) -> None:
        index = self._open.get(it.npc)
        if index is not None and self.actions[index].id == it.id:
            return
        if index is not None:
            self._cut(index, it.start)
        self._open[it.npc] = len(self.actions)
        self.actions.append(PlayedAction(it.id, it.npc, it.start, it.end, it.address, it.sentence, it.emoji, it.source))

    def _cut(self, index: int, at: GameTime) -> None:
        it = self.actions[index]
        self.actions[index] = replace(it, end=max(it.start, min(it.end, at)))


OnTurn = Callable[[TownWorld], None]


async def simulate(
    connection: Connection,
    cast: Cast,
    slot: str,
    seed: int,
    days: float,
    start: GameTime | None = None,
    tick_s: int = TICK_S,
    on_turn: OnTurn | None = None,
    on_event: Callable[[MindEvent], None] | None = None,
    whispers: Sequence[tuple[NpcId, str]] = (),
    questions: Sequence[str] = (),
    policies: Sequence[Document] = (),
) -> Report:
    """Makes the save, plays `days` game days in lockstep, saves and closes. `on_turn` is called after each turn.

    The save begins with the Lifestyle Policies of the files `policies`.
    `whispers` are said to people by their inner voice before play begins; at the end everybody is asked the `questions`.
    """
    began = time.monotonic()
    begin = cast.town.start if start is None else start
    end = begin + round(days * DAY)
    warnings = await connection.create_save(slot, cast.town_file, cast.persona_files, seed, begin, policies)
    save = await connection.open_save(slot)
    diary = Diary()
    async with playing(connection, save) as client:
        world = people_town(cast, begin, seed=seed)
        for npc, text in whispers:
            await connection.whisper(client.session_id, npc, text)
        ready = time.monotonic()

        def hear(event: MindEvent) -> None:
            diary.heard(event, world.now)
            if on_event is not None:
                on_event(event)

        lockstep = Lockstep(client, world, hear, tick_s, diary.happened)
        while world.now < end:
            await lockstep.turn(end)
            if on_turn is not None:
                on_turn(world)
        await lockstep.finish()
        diary.close(end)
        memories = {mind.npc_id: dict(mind.memories) for mind in await connection.minds(client.session_id, list(world.bodies))}
        await connection.save_game(client.session_id)
        asked = time.monotonic()
        answers = await ask_everybody(connection, client.session_id, tuple(world.bodies), questions)
        answered = time.monotonic()
    return Report(
        people=tuple(world.bodies),
        days=days,
        start=begin,
        end=end,
        actions=tuple(diary.actions),
        speeches=tuple(diary.speeches),
        memories=memories,
        failures=tuple(diary.failures),
        warnings=(*cast.town.warnings, *warnings),
        wall_s=time.monotonic() - began,
        town_s=lockstep.town_s,
        setup_s=ready - began,
        interviews_s=answered - asked,
        answers=answers,
    )


async def ask_everybody(
    connection: Connection, session_id: str, people: Sequence[NpcId], questions: Sequence[str]
) -> dict[tuple[NpcId, str], str]:
    """Everybody's answer to each question; the answers leave no trace in the save."""
    answers: dict[tuple[NpcId, str], str] = {}
    for question in questions:
        said = await asyncio.gather(*(connection.interview(session_id, npc, question) for npc in people))
        answers.update({(npc, question): answer for npc, answer in zip(people, said, strict=True)})
    return answers


def people_town(cast: Cast, now: GameTime, at: Mapping[NpcId, Address] | None = None, seed: int = 0) -> TownWorld:
    """The town with everybody where `at` says, else at their bed. `seed` decides what goes wrong with things."""
    world = TownWorld(cast.town, now, seed=seed)
    for persona in cast.people:
        wanted = (at or {}).get(persona.id, "")
        world.put(persona.id, persona.name, wanted if world.grid.standing_cells(wanted) else bedside(cast.town, persona))
    return world


async def reopened(connection: Connection, save: OpenedSave, cast: Cast, least: GameTime) -> TownWorld:
    """The town with the people of a save where they are, at the time they are at, `least` at the earliest."""
    minds = await connection.minds(save.session_id, save.npc_ids)
    there = replace(cast, people=tuple(person for person in cast.people if person.id in save.npc_ids))
    return people_town(there, max([least, *(mind.now_s for mind in minds)]), {mind.npc_id: mind.address for mind in minds})


def as_json(report: Report) -> dict[str, object]:
    """The report as `npc-server simulate --json` prints it, without the model's figures, which stand in the save."""
    kinds: dict[str, int] = {}
    for counts in report.memories.values():
        for kind, count in counts.items():
            kinds[kind] = kinds.get(kind, 0) + count
    return {
        "people": list(report.people),
        "days": report.days,
        "start": stamp(report.start),
        "end": stamp(report.end),
        "actions": [
            {
                "npc": it.npc,
                "start": stamp(it.start),
                "end": stamp(it.end),
                "start_s": it.start,
                "end_s": it.end,
                "address": it.address,
                "sentence": it.sentence,
                "emoji": it.emoji,
                "source": it.source.value,
                "failure": it.failure,
            }
            for it in report.actions
        ],
        "memories": kinds,
        "memories_by_npc": report.memories,
        "speeches": [{"npc": it.npc, "at": stamp(it.at), "to": list(it.to), "text": it.text} for it in report.speeches],
        "failures": [{"at": stamp(it.at), "npc": it.npc, "what": it.what} for it in report.failures],
        "warnings": list(report.warnings),
        "wall_s": round(report.wall_s, 3),
    }


def stamp(at: GameTime) -> str:
    """`2026-05-04 06:30`."""
    return clock.to_datetime(at).strftime("%Y-%m-%d %H:%M")
