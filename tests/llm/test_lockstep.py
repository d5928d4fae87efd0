"""Waves: everybody's questions together, in the same order in every run."""

from __future__ import annotations

import asyncio
import random

import pytest

from npc_server.errors import ModelDied
from npc_server.llm.engine import Completion, Engine, Request
from npc_server.llm.lockstep import WaveEngine, in_turn
from npc_server.llm.scripted import ScriptedEngine
from tests.llm.conftest import StartEngine
from tests.llm.kinds import KINDS
from tests.waiting import LIMIT_S, until


def ask(npc: str, stage: str, user: str = "x", **more: object) -> Request:
    return Request(system=f"You are {npc}.", user=user, reply=KINDS["text"], seed=7, npc=npc, stage=stage, max_tokens=40, **more)  # type: ignore[arg-type]


class Log(ScriptedEngine):
    """Notes how many were running when each was asked."""

    def __init__(self) -> None:
        super().__init__(lambda request: f"{request.npc} {request.stage}", delay_s=0.01)


async def test_wave_goes_when_everybody_waits_and_in_order() -> None:
    inner = Log()
    wave = WaveEngine(inner)

    async def mind(npc: str, pause: float) -> None:
        async with wave.task():
            await asyncio.sleep(pause)
            await wave.complete(ask(npc, "plan"))
            await asyncio.sleep(pause)
            await asyncio.gather(wave.complete(ask(npc, "rate")), wave.complete(ask(npc, "act")))

    await asyncio.gather(mind("zoe", 0.0), mind("adam", 0.03), mind("mara", 0.01))
    assert [(request.npc, request.stage) for request in inner.requests] == [
        *((npc, "plan") for npc in ("adam", "mara", "zoe")),
        *((npc, stage) for npc in ("adam", "mara", "zoe") for stage in ("act", "rate")),
    ]
    assert all(request.deadline_s == 3600 for request in inner.requests)


@pytest.mark.parametrize("pauses", [(0, 0, 0), (9, 0, 3), (0, 5, 1)])
async def test_tasks_go_on_in_their_order_however_long_each_waits_for_something_else(pauses: tuple[int, ...]) -> None:
    wave, order = WaveEngine(Log()), list[str]()

    async def fetched(npc: str, turns: int) -> str:
        for _ in range(turns):
            await asyncio.sleep(0)
        return npc

    async def mind(npc: str, turns: int) -> None:
        async with wave.task():
            for step in range(2):
                order.append(f"{await in_turn(fetched(npc, turns))} {step}")
            await wave.complete(ask(npc, "plan"))
            order.append(f"{await in_turn(fetched(npc, turns))} asked")

    await asyncio.gather(*(mind(npc, turns) for npc, turns in zip(("zoe", "adam", "mara"), pauses, strict=True)))
    assert order == [f"{npc} {what}" for what in ("0", "1", "asked") for npc in ("zoe", "adam", "mara")]


async def test_a_turn_that_fails_or_is_given_up_holds_up_nobody() -> None:
    wave, never = WaveEngine(Log()), asyncio.Event()

    async def broken() -> None:
        raise ModelDied("It died.", "Start it again.")

    async def failing() -> None:
        async with wave.task():
            with pytest.raises(ModelDied):
                await in_turn(broken())

    async def waiting() -> None:
        async with wave.task():
            await in_turn(never.wait())

    async def asking() -> str:
        async with wave.task():
            await in_turn(asyncio.sleep(0))
            return (await wave.complete(ask("adam", "plan"))).text

    given_up, asked = asyncio.create_task(waiting()), asyncio.create_task(asking())
    await failing()
    given_up.cancel()
    assert await asyncio.wait_for(asked, LIMIT_S) == "adam plan"
    assert await in_turn(asyncio.sleep(0, "outside of a task nothing waits")) == "outside of a task nothing waits"


async def test_nobody_is_asked_while_one_still_thinks() -> None:
    inner = Log()
    wave = WaveEngine(inner)
    thinking = asyncio.Event()

    async def thinker() -> None:
        async with wave.task():
            await thinking.wait()

    async def asker() -> Completion:
        async with wave.task():
            return await wave.complete(ask("adam", "plan"))

    first, second = asyncio.create_task(thinker()), asyncio.create_task(asker())
    await until(lambda: wave.status().waiting == 1)
    assert not inner.requests
    thinking.set()
    assert (await second).text == "adam plan"
    await first


async def test_task_that_waits_for_another_is_away() -> None:
    inner = Log()
    wave = WaveEngine(inner)
    said = asyncio.Event()

    async def listener() -> None:
        async with wave.task(), wave.away():
            await said.wait()

    async def speaker() -> None:
        async with wave.task():
            await wave.complete(ask("adam", "say"))
            said.set()

    await asyncio.wait_for(asyncio.gather(listener(), speaker()), LIMIT_S)
    assert len(inner.requests) == 1


async def test_cancelled_task_holds_nobody_up() -> None:
    inner = Log()
    wave = WaveEngine(inner)

    async def mind(npc: str) -> None:
        async with wave.task():
            await wave.complete(ask(npc, "one"))
            await wave.complete(ask(npc, "two"))

    tasks = [asyncio.create_task(mind(npc)) for npc in ("adam", "mara", "zoe")]
    for turns in range(6):  # at every point of a wave's way
        await asyncio.sleep(0)
        if turns == 3:
            tasks[0].cancel()
    await asyncio.wait_for(asyncio.gather(*tasks[1:]), LIMIT_S)
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]


@pytest.mark.parametrize("turns", range(12))
async def test_cancelling_at_any_moment_holds_nobody_up(turns: int) -> None:
    wave = WaveEngine(ScriptedEngine(lambda request: "ok"))

    async def mind(npc: str) -> None:
        async with wave.task():
            for n in range(3):
                await wave.complete(ask(npc, str(n)))

    gone, stays = asyncio.create_task(mind("adam")), asyncio.create_task(mind("mara"))
    for _ in range(turns):
        await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait_for(stays, LIMIT_S)
    await asyncio.wait({gone})


async def test_outside_a_task_it_is_the_engine_itself() -> None:
    inner = Log()
    wave: Engine = WaveEngine(inner)
    assert (await wave.complete(ask("adam", "interview", deadline_s=3.0))).text == "adam interview"
    assert inner.requests[0].deadline_s == 3.0
    assert await wave.count_tokens(["abcde"]) == [2]
    await wave.close()
    assert inner.closed


async def test_closing_fails_who_is_held() -> None:
    wave = WaveEngine(Log())

    async def holds() -> None:
        async with wave.task():
            await asyncio.Event().wait()

    async def asks() -> None:
        async with wave.task():
            await wave.complete(ask("adam", "plan"))

    holder, asker = asyncio.create_task(holds()), asyncio.create_task(asks())
    await until(lambda: wave.status().waiting == 1)
    await wave.close()
    with pytest.raises(ModelDied):
        await asker
    holder.cancel()


@pytest.mark.model
async def test_a_real_model_says_the_same_in_every_run(start_engine: StartEngine) -> None:
    """Six minds, three rounds, at a temperature, with pauses that differ from run to run."""

    async def day(pauses: random.Random) -> list[list[str]]:
        wave = WaveEngine(start_engine(max_parallel=4))

        async def mind(npc: str) -> list[str]:
            said: list[str] = []
            async with wave.task():
                for n in range(3):
                    await asyncio.sleep(pauses.random() * 0.02)
                    done = await wave.complete(ask(npc, "plan", f"{' '.join(said)} And {n}?", temperature=0.9))
                    said.append(done.text)
            return said

        return await asyncio.gather(*(mind(f"npc{n}") for n in range(6)))

    assert await day(random.Random(1)) == await day(random.Random(2))
