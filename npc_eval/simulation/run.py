"""Plays the sandbox town from a new save to the end of the run, in lockstep or by the wall clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from npc_eval.simulation.report import Recorder, Report
from npc_server.clock import DAY
from npc_server.records import Document, GameTime, NpcId
from npc_server.sandbox.client import PlayClient, playing
from npc_server.sandbox.connection import Connection
from npc_server.sandbox.live import Live
from npc_server.sandbox.lockstep import Lockstep
from npc_server.sandbox.populate import town_of_save
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast

INTERVIEWS_AT_ONCE = 2
"""Questions at the end of a play that are asked at the same time."""


@dataclass(frozen=True)
class Simulation:
    """What to play: `days` game days in the new slot `slot`."""

    slot: str
    seed: int
    days: float
    start: GameTime | None = None
    """Game time to begin at. None takes that of the town file."""
    whispers: Sequence[tuple[NpcId, str]] = ()
    """Whispers to people before play begins."""
    questions: Sequence[str] = ()
    """Questions to everybody at the end. People do not remember them."""
    policies: Sequence[Document] = ()
    """Policy files that the save begins with."""
    speed: float | None = None
    """Game seconds per wall second; quiet hours pass faster. None waits for all minds (lockstep)."""


async def simulate(
    connection: Connection, cast: Cast, simulation: Simulation, on_turn: Callable[[TownWorld], None] | None = None
) -> Report:
    """Creates a save, plays it, saves it and closes it. `on_turn` is called after each turn."""
    began = time.monotonic()
    start = cast.town.start if simulation.start is None else simulation.start
    end = start + round(simulation.days * DAY)
    warnings = await connection.create_save(
        simulation.slot, cast.town_file, cast.persona_files, simulation.seed, start, simulation.policies
    )
    save = await connection.open_save(simulation.slot)
    async with playing(connection, save) as client:
        world = await town_of_save(connection, save, cast, start, simulation.seed)
        for npc, text in simulation.whispers:
            await connection.whisper(client.session_id, npc, text)
        setup_s = time.monotonic() - began
        play = _play if simulation.speed is None else partial(_play_by_the_clock, simulation.speed)
        recorder, town_s = await play(client, world, end, on_turn)
        minds = await connection.minds(client.session_id, list(world.bodies))
        await connection.save_game(client.session_id)
        asked = time.monotonic()
        answers = await _interviews(connection, client.session_id, tuple(world.bodies), simulation.questions)
        interviews_s = time.monotonic() - asked
    return Report(
        people=tuple(world.bodies),
        days=simulation.days,
        start=start,
        end=end,
        actions=tuple(recorder.actions),
        speeches=tuple(recorder.speeches),
        memories={mind.npc_id: dict(mind.memories) for mind in minds},
        failures=tuple(recorder.failures),
        warnings=(*cast.town.warnings, *warnings),
        wall_s=time.monotonic() - began,
        town_s=town_s,
        setup_s=setup_s,
        interviews_s=interviews_s,
        answers=answers,
    )


async def _play(client: PlayClient, world: TownWorld, end: GameTime, on_turn: Callable[[TownWorld], None] | None) -> tuple[Recorder, float]:
    """Takes turns until `end`. Returns what happened, and the wall seconds that the town itself took."""
    recorder = Recorder()
    lockstep = Lockstep(client, world, lambda event: recorder.on_event(event, world.now), on_outcome=recorder.on_outcome)
    while world.now < end:
        await lockstep.turn(end)
        if on_turn is not None:
            on_turn(world)
    await lockstep.finish()
    recorder.close(end)
    return recorder, lockstep.town_s


async def _play_by_the_clock(
    speed: float, client: PlayClient, world: TownWorld, end: GameTime, on_turn: Callable[[TownWorld], None] | None
) -> tuple[Recorder, float]:
    """The same by the wall clock. Time does not wait for minds; instinct answers what the model does not answer in time.

    What the town itself took is not measured, so it counts as 0.
    """
    recorder = Recorder()

    def on_frame(pace: float) -> None:
        if on_turn is not None:
            on_turn(world)

    live = Live(client, world, speed, lambda event: recorder.on_event(event, world.now), recorder.on_outcome, on_frame, strolls=False)
    await live.run(end, asyncio.Event())
    recorder.close(end)
    return recorder, 0.0


async def _interviews(
    connection: Connection, session_id: str, people: Sequence[NpcId], questions: Sequence[str]
) -> dict[tuple[NpcId, str], str]:
    """Asks everybody each question, two at once: who waits in a long queue is answered in haste.

    All questions of a person follow each other, since what models read of the person is kept.
    """
    turns = asyncio.Semaphore(INTERVIEWS_AT_ONCE)

    async def ask(npc: NpcId, question: str) -> str:
        async with turns:
            return await connection.interview(session_id, npc, question)

    asked = [(npc, question) for npc in people for question in questions]
    return dict(zip(asked, await asyncio.gather(*(ask(*it) for it in asked)), strict=True))
