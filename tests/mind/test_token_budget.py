"""Who gets the model first, and what a share of tokens allows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.clock import HOUR
from npc_server.config import MindSettings
from npc_server.llm.engine import Priority
from npc_server.mind.token_budget import Attention, Purse, attention_for

NOON = 12 * HOUR


def test_the_one_a_player_waits_for_goes_first_then_who_is_near_or_talks() -> None:
    assert Attention(players=1, near=True).priority is Priority.PLAYER
    assert Attention(near=True).priority is Priority.NEAR
    assert Attention(talking=True).priority is Priority.NEAR
    assert Attention().priority is Priority.USUAL


def test_two_players_wait_until_both_have_their_answer() -> None:
    attention = Attention()
    first, second = attention.of_player(), attention.of_player()
    with second:
        with first:
            pass
        assert attention.priority == Priority.PLAYER
    assert attention.players == 0


def test_the_budget_is_shared_equally_and_none_means_no_limit() -> None:
    assert attention_for(MindSettings(tokens_per_game_hour=1000), 3).share == 333
    assert attention_for(MindSettings(tokens_per_game_hour=2), 25).share == 1
    free = attention_for(MindSettings(), 3, Purse(0, -5000))
    free.spend(10**9, NOON)
    assert (free.share, free.purse, free.may_ask(NOON)) == (0, None, True)


def test_a_spent_share_comes_back_with_the_next_hour() -> None:
    attention = Attention(share=100)
    attention.spend(100, NOON)
    assert not attention.may_ask(NOON + HOUR - 1)
    assert attention.may_ask(NOON + HOUR)


def test_a_purse_is_full_at_first_as_after_a_night() -> None:
    assert Attention(share=100, kept_hours=8)._filled(NOON).tokens == 900


def test_what_the_last_question_took_too_much_is_paid_for_by_later_hours() -> None:
    attention = Attention(share=100)
    attention.spend(350, NOON)
    assert not attention.may_ask(NOON + 2 * HOUR)
    assert attention.may_ask(NOON + 3 * HOUR)
    assert attention._filled(NOON + 3 * HOUR).tokens == 50


def test_unspent_shares_are_kept_for_some_hours_and_no_longer() -> None:
    attention = Attention(share=100, kept_hours=3)
    attention.spend(400, NOON)
    for hours, tokens in ((0, 0), (1, 100), (3, 300), (9, 400)):
        assert attention._filled(NOON + hours * HOUR).tokens == tokens


@pytest.mark.parametrize("watched", [{"near": True}, {"players": 1}])
def test_whoever_a_player_is_with_always_may_ask_and_gets_into_no_debt(watched: dict[str, int]) -> None:
    attention = Attention(share=100, **watched)  # type: ignore[arg-type]
    attention.spend(60, NOON)
    assert attention.purse == Purse(12, 40)
    attention.spend(5000, NOON)
    assert attention.may_ask(NOON)
    attention.near, attention.players = False, 0
    assert not attention.may_ask(NOON)
    assert attention.may_ask(NOON + HOUR)


def test_a_debt_does_not_vanish_because_a_player_comes_by() -> None:
    attention = Attention(share=100)
    attention.spend(350, NOON)
    attention.near = True
    attention.spend(1000, NOON)
    assert attention.purse == Purse(12, -250)


def test_talking_among_themselves_far_people_keep_to_their_share() -> None:
    attention = Attention(share=100, talking=True)
    attention.spend(100, NOON)
    assert not attention.may_ask(NOON)


def test_a_budget_that_was_lowered_holds_for_what_was_kept_before() -> None:
    attention = attention_for(MindSettings(tokens_per_game_hour=30, tokens_kept_hours=0), 3, Purse(12, 10_000))
    assert attention._filled(NOON).tokens == 10


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5 * HOUR), st.integers(0, 500)), max_size=60), st.integers(1, 300), st.integers(0, 10))
def test_over_any_time_no_more_is_spent_than_came_in_but_for_the_last_question(asked: list[tuple[int, int]], share: int, kept: int) -> None:
    attention, now, spent, last = Attention(share, kept), NOON, 0, 0
    for wait, tokens in asked:
        now += wait
        if attention.may_ask(now):
            attention.spend(tokens, now)
            spent, last = spent + tokens, tokens
    hours = (now - NOON) // HOUR + 1 + kept
    assert spent - last < share * hours or not spent
