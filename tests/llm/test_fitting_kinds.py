"""Which kinds of question a machine has the time for."""

from __future__ import annotations

import pytest

from npc_server.llm.engine import Priority
from npc_server.llm.fitting_kinds import all_kinds, fitting, takes_in_an_hour_s
from npc_server.llm.speed import Speed
from npc_server.prompts.load import Prompts

TWO_CORES = Speed(45.0, 16.0)
"""Qwen2.5-Coder-1.5B on two cores without AVX-512."""
ORDER = ["answers to players", "reactions near players", "what stays of a talk", "reflections", "the day", "talks among others"]


def names(speed: Speed | None, people: int, game_speed: float = 60.0) -> list[str]:
    return [it.name for it in fitting(speed, people, game_speed)]


def test_the_kinds_stand_in_their_declared_order() -> None:
    assert [it.name for it in all_kinds().kinds] == ORDER


def test_a_quicker_machine_fewer_people_and_a_slower_clock_allow_more_in_that_order() -> None:
    assert names(TWO_CORES, 3) == ORDER[:4]
    assert names(TWO_CORES, 25) == ORDER[:2]
    assert names(TWO_CORES, 3, game_speed=20.0) == ORDER
    assert names(Speed(2000.0, 100.0), 25) == ORDER
    for people in (1, 3, 8, 25, 100):
        for read in (1.0, 20.0, 80.0, 300.0, 1000.0):
            found = names(Speed(read, read / 4), people)
            assert found == ORDER[: len(found)]


def test_players_are_answered_by_the_slowest_model_too() -> None:
    assert names(Speed(0.1, 0.1), 1000) == ORDER[:1]


def test_where_the_speed_is_not_known_or_nobody_lives_in_time_all_are_asked() -> None:
    assert names(None, 25) == ORDER
    assert names(Speed(0.1, 0.1), 0) == ORDER


def test_a_kind_takes_what_its_questions_take_of_all_who_ask() -> None:
    by = all_kinds()
    players, near, stays = by.kinds[:3]
    unit = Speed(1.0, 1.0)
    assert takes_in_an_hour_s(players, unit, 25, by) == takes_in_an_hour_s(players, unit, 1, by) == 4 * 145 + 4 * 50
    assert takes_in_an_hour_s(near, unit, 25, by) == pytest.approx(by.near_people * 0.16 * 380)
    assert takes_in_an_hour_s(stays, unit, 25, by) == pytest.approx(25 * (0.2 * 710 + 0.03 * 172))


def test_every_question_of_an_affordable_mind_is_of_a_kind_and_every_name_is_a_question() -> None:
    named = frozenset[str]().union(*(it.questions for it in all_kinds().kinds))
    Prompts().require(tuple(named), "questions.toml")
    no_questions = {"again", "chat", "chat_line"}
    assert set(Prompts().names()) - no_questions == named


def test_the_least_urgent_of_each_kind() -> None:
    assert [it.up_to for it in all_kinds().kinds[:3]] == [Priority.PLAYER, Priority.NEAR, Priority.IDLE]
