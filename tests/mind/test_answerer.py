"""Who answers a mind's questions and says its lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from npc_eval.stand_in import StandIn
from npc_server.llm.engine import Engine, EngineStatus
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.answerer import Speaker
from npc_server.mind.mind import Mind
from npc_server.mind.token_budget import TokenBudget

MakeMind = Callable[..., Mind]


@pytest.mark.parametrize(
    ("engine", "settings", "speaker", "speaks_for_itself"),
    [
        (None, {}, Speaker.FROM_MEMORY, False),
        (ScriptedEngine({}, chats=True), {}, Speaker.IN_CHAT, True),
        (ScriptedEngine({}, chats=True, weak_at=["say"]), {}, Speaker.FROM_MEMORY, False),
        (ScriptedEngine({}, chats=True), {"by_instinct": ("say",)}, Speaker.FROM_MEMORY, False),
        (ScriptedEngine({}), {}, Speaker.BY_QUESTION, True),
        (StandIn(), {}, Speaker.BY_QUESTION, False),
        (ScriptedEngine({}, chats=True), {"profile": "generative-agents"}, Speaker.BY_QUESTION, False),
    ],
)
def test_engine_and_settings_decide_who_says_a_line(
    make_mind: MakeMind, engine: Engine | None, settings: dict[str, Any], speaker: Speaker, speaks_for_itself: bool
) -> None:
    found = make_mind(engine, **settings).answerer
    assert (found.speaker, found.speaks_for_itself) == (speaker, speaks_for_itself)


def test_while_a_player_waits_for_a_mind_in_a_talk_nobody_is_asked(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}, chats=True))
    assert mind.answerer.asks("talk_over")
    mind.budget.is_called = True
    assert not mind.answerer.asks("talk_over")
    assert mind.answerer.speaker is Speaker.FROM_MEMORY


class Slow(ScriptedEngine):
    """A model that this machine has not the time to ask for talks among others."""

    def status(self) -> EngineStatus:
        return replace(super().status(), kinds_left=("the day", "talks among others"))


def test_who_asks_decides_whether_there_is_time_for_a_kind_of_question(make_mind: MakeMind) -> None:
    mind = make_mind(Slow({}, chats=True))
    assert [mind.answerer.asks(it) for it in ("say", "react", "talk_over")] == [False, False, True]
    mind.budget.talking = True
    found = [mind.answerer.speaker, mind.answerer.for_player().speaker]
    assert found == [Speaker.FROM_MEMORY, Speaker.IN_CHAT], "among themselves people speak by instinct from the first line"
    assert mind.answerer.asks("react")
    mind.budget.players = 1
    assert mind.answerer.speaker == Speaker.IN_CHAT


def test_a_model_that_is_weak_at_talks_among_others_still_speaks_with_players(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}, chats=True, weak_at=["talks among others"]))
    assert (mind.answerer.speaker, mind.answerer.for_player().speaker) == (Speaker.FROM_MEMORY, Speaker.IN_CHAT)
    asked = make_mind(ScriptedEngine({}, chats=True, weak_at=["talks among others"]), by_instinct=())
    assert asked.answerer.speaker is Speaker.IN_CHAT, "the settings ask a model everything"


def test_the_baseline_asks_singly_and_only_its_whole_profile_is_the_reference(make_mind: MakeMind) -> None:
    usual, singly, reference = (make_mind(**it).answerer for it in ({}, {"fuller_calls": False}, {"profile": "generative-agents"}))
    assert (usual.singly, usual.reference) == (None, None)
    assert (singly.singly, singly.reference) == (singly.baseline, None)
    assert reference.reference is reference.baseline
    assert replace(reference, budget=TokenBudget(is_called=True)).reference is reference.baseline
