"""The engine that is asked what this machine has the time for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from npc_server.config import MindSettings
from npc_server.errors import Overloaded
from npc_server.llm.engine import EngineStatus, Priority, Request
from npc_server.llm.fitting_engine import FittingEngine
from npc_server.llm.scripted import ScriptedEngine
from npc_server.llm.speed import Speed
from tests.llm.kinds import KINDS

SETTINGS = MindSettings()


class Measured(ScriptedEngine):
    """A model with the speed of the 1.5B on two cores."""

    def __init__(self) -> None:
        super().__init__(lambda request: "7", weak_at=["listen"])

    def status(self) -> EngineStatus:
        return replace(super().status(), speed=Speed(45.0, 16.0))


def asking(stage: str, priority: Priority = Priority.USUAL, max_tokens: int = 20) -> Request:
    return Request("You are Mara.", "?", KINDS["integer"], 1, stage=stage, priority=priority, max_tokens=max_tokens)


def engine_for(people: int, settings: MindSettings = SETTINGS) -> tuple[FittingEngine, Measured]:
    inner = Measured()
    return FittingEngine(inner, settings, lambda: people), inner


@pytest.mark.parametrize(
    ("stage", "priority", "is_asked"),
    [
        ("plan_day", Priority.USUAL, False),
        ("plan_day", Priority.PLAYER, True),
        ("react", Priority.NEAR, True),
        ("react", Priority.USUAL, False),
        ("say", Priority.PLAYER, True),
        ("say", Priority.NEAR, False),
        ("talk_over", Priority.USUAL, False),
        ("ga_day", Priority.IDLE, True),
    ],
)
async def test_in_a_large_town_a_slow_model_answers_players_and_reactions_near_them(stage: str, priority: Priority, is_asked: bool) -> None:
    engine, inner = engine_for(25)
    if is_asked:
        await engine.complete(asking(stage, priority))
    else:
        with pytest.raises(Overloaded, match=r"not asked for .* mind\.asked"):
            await engine.complete(asking(stage, priority))
    assert len(inner.requests) == is_asked


async def test_reading_ahead_is_no_question() -> None:
    engine, inner = engine_for(25)
    await engine.complete(asking("say", Priority.NEAR, max_tokens=1))
    assert len(inner.requests) == 1


def test_the_status_names_what_nobody_may_ask_and_says_it_in_a_sentence_and_once_in_the_log() -> None:
    engine, _ = engine_for(25)
    with capture_logs() as logs:
        status = engine.status()
        assert engine.status() == status
    assert {"plan_day", "talk_over", "reflect_insights", "listen"} <= status.weak_at
    assert not status.weak_at & {"say", "react", "interview"}
    assert status.told == (
        "It is asked for answers to players and reactions near players. "
        "Instinct does what stays of a talk, reflections, the day and talks among others."
    )
    assert [line["event"] for line in logs] == ["some kinds of question are left to instinct"]


async def test_a_setting_leaves_all_but_players_to_instinct_however_fast_the_model_is() -> None:
    engine, inner = engine_for(0, MindSettings(asked="players"))
    await engine.complete(asking("say", Priority.PLAYER))
    with pytest.raises(Overloaded):
        await engine.complete(asking("say", Priority.NEAR))
    assert len(inner.requests) == 1
    assert engine.status().kinds == ("answers to players",)
    assert "react" in engine.status().weak_at


@pytest.mark.parametrize("settings", [MindSettings(asked="all"), MindSettings(by_instinct=())])
async def test_a_setting_lifts_it(settings: MindSettings) -> None:
    engine, inner = engine_for(25, settings)
    await engine.complete(asking("plan_day"))
    assert len(inner.requests) == 1
    assert engine.status() == inner.status()


async def test_where_the_clock_waits_nobody_is_counted_and_all_is_asked() -> None:
    engine, inner = engine_for(0)
    await engine.complete(asking("plan_day"))
    assert engine.status() == inner.status()
