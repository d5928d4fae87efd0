"""Who gets the model first, and what a share of tokens allows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.clock import HOUR
from npc_server.config import MindSettings
from npc_server.llm.engine import Priority
from npc_server.mind.token_budget import TokenBudget, TokensLeft, budget_for

NOON = 12 * HOUR


def test_the_one_a_player_waits_for_goes_first_then_who_is_near_or_talks() -> None:
    assert TokenBudget(players=1, near=True).priority is Priority.PLAYER
    assert TokenBudget(near=True).priority is Priority.NEAR
    assert TokenBudget(talking=True).priority is Priority.NEAR
    assert TokenBudget().priority is Priority.USUAL


def test_two_players_wait_until_both_have_their_answer() -> None:
    budget = TokenBudget()
    first, second = budget.of_player(), budget.of_player()
    with second:
        with first:
            pass
        assert budget.priority == Priority.PLAYER
    assert budget.players == 0


def test_the_budget_is_shared_equally_and_none_means_no_limit() -> None:
    assert budget_for(MindSettings(tokens_per_game_hour=1000), 3).share == 333
    assert budget_for(MindSettings(tokens_per_game_hour=2), 25).share == 1
    free = budget_for(MindSettings(), 3, TokensLeft(0, -5000))
    free.spend(10**9, NOON)
    assert (free.share, free.left, free.may_ask(NOON)) == (0, None, True)


def test_a_spent_share_comes_back_with_the_next_hour() -> None:
    budget = TokenBudget(share=100)
    budget.spend(100, NOON)
    assert not budget.may_ask(NOON + HOUR - 1)
    assert budget.may_ask(NOON + HOUR)


def test_a_budget_is_full_at_first_as_after_a_night() -> None:
    assert TokenBudget(share=100, kept_hours=8)._filled(NOON).tokens == 900


def test_what_the_last_question_took_too_much_is_paid_for_by_later_hours() -> None:
    budget = TokenBudget(share=100)
    budget.spend(350, NOON)
    assert not budget.may_ask(NOON + 2 * HOUR)
    assert budget.may_ask(NOON + 3 * HOUR)
    assert budget._filled(NOON + 3 * HOUR).tokens == 50


def test_unspent_shares_are_kept_for_some_hours_and_no_longer() -> None:
    budget = TokenBudget(share=100, kept_hours=3)
    budget.spend(400, NOON)
    for hours, tokens in ((0, 0), (1, 100), (3, 300), (9, 400)):
        assert budget._filled(NOON + hours * HOUR).tokens == tokens


@pytest.mark.parametrize("watched", [{"near": True}, {"players": 1}])
def test_whoever_a_player_is_with_always_may_ask_and_gets_into_no_debt(watched: dict[str, int]) -> None:
    budget = TokenBudget(share=100, **watched)  # type: ignore[arg-type]
    budget.spend(60, NOON)
    assert budget.left == TokensLeft(12, 40)
    budget.spend(5000, NOON)
    assert budget.may_ask(NOON)
    budget.near, budget.players = False, 0
    assert not budget.may_ask(NOON)
    assert budget.may_ask(NOON + HOUR)


def test_a_debt_does_not_vanish_because_a_player_comes_by() -> None:
    budget = TokenBudget(share=100)
    budget.spend(350, NOON)
    budget.near = True
    budget.spend(1000, NOON)
    assert budget.left == TokensLeft(12, -250)


def test_talking_among_themselves_far_people_keep_to_their_share() -> None:
    budget = TokenBudget(share=100, talking=True)
    budget.spend(100, NOON)
    assert not budget.may_ask(NOON)


def test_a_budget_that_was_lowered_holds_for_what_was_kept_before() -> None:
    budget = budget_for(MindSettings(tokens_per_game_hour=30, tokens_kept_hours=0), 3, TokensLeft(12, 10_000))
    assert budget._filled(NOON).tokens == 10


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5 * HOUR), st.integers(0, 500)), max_size=60), st.integers(1, 300), st.integers(0, 10))
def test_over_any_time_no_more_is_spent_than_came_in_but_for_the_last_question(asked: list[tuple[int, int]], share: int, kept: int) -> None:
    budget, now, spent, last = TokenBudget(share, kept), NOON, 0, 0
    for wait, tokens in asked:
        now += wait
        if budget.may_ask(now):
            budget.spend(tokens, now)
            spent, last = spent + tokens, tokens
    hours = (now - NOON) // HOUR + 1 + kept
    assert spent - last < share * hours or not spent
