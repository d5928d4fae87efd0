from __future__ import annotations

import pytest

from npc_eval.believability_study.cards import AnswerCard, card_sets, kendall_tau, mean_ranks, ranks_of
from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import InterviewAnswer, Interviews
from tests.npc_eval.believability_study.conftest import TOBIN, WHO, WORK

A, B, C = (AnswerCard(it.value, (it,)) for it in (Condition.FULL, Condition.NO_PLANNING, Condition.NONE))
TWO = AnswerCard("both", (Condition.FULL, Condition.NO_REFLECTION))


def test_the_same_answers_are_one_card_and_the_order_is_drawn_by_the_seed(interviews: Interviews) -> None:
    orders = {tuple(card.text for card in card_sets(interviews, seed)[0].cards) for seed in range(30)}
    assert len(orders) > 10
    assert card_sets(interviews, 3) == card_sets(interviews, 3)
    work, tobin = card_sets(interviews, 3)
    assert (work.question, tobin.question) == (WORK, TOBIN)
    assert len(work.cards) == 5
    assert (Condition.FULL, Condition.NO_REFLECTION) in [card.conditions for card in tobin.cards]
    assert len(tobin.cards) == 3


def test_a_question_with_one_answer_is_not_ranked(interviews: Interviews) -> None:
    same = tuple(it.model_copy(update={"answer": "I don't know."}) for it in interviews.answers)
    assert card_sets(interviews.model_copy(update={"answers": same}), 3) == []


def test_questions_of_each_category_are_drawn_by_the_seed(interviews: Interviews) -> None:
    more = tuple(
        InterviewAnswer(npc=WHO, category="memory", question=f"Question {i}?", condition=condition, answer=condition.value)
        for i in range(8)
        for condition in (Condition.FULL, Condition.NONE)
    )
    all_ = interviews.model_copy(update={"answers": interviews.answers + more})
    drawn = [[it.question for it in card_sets(all_, seed, each=1)] for seed in range(20)]
    assert all(len(it) == 2 and it[0] == WORK for it in drawn)
    assert len({it[1] for it in drawn}) > 4
    assert len(card_sets(all_, 3)) == 10
    assert card_sets(all_, 3, people=["tobin_hale"]) == []


def test_conditions_of_one_card_share_the_places_they_take() -> None:
    assert ranks_of([C, TWO, B]) == {
        Condition.NONE: 1,
        Condition.FULL: 2.5,
        Condition.NO_REFLECTION: 2.5,
        Condition.NO_PLANNING: 4,
    }


def test_two_rankings_become_one_by_mean_places() -> None:
    assert mean_ranks([ranks_of([A, B, C]), ranks_of([B, A, C])]) == {Condition.FULL: 1.5, Condition.NO_PLANNING: 1.5, Condition.NONE: 3}
    assert mean_ranks([ranks_of([A, B, C]), ranks_of([A, C, B])])[Condition.FULL] == 1


@pytest.mark.parametrize(("other", "tau"), [([A, B, C], 1.0), ([C, B, A], -1.0), ([B, A, C], 1 / 3)])
def test_agreement_of_two_orders(other: list[AnswerCard], tau: float) -> None:
    assert kendall_tau([A, B, C], other) == pytest.approx(tau)
