"""Candidates for a line: what is measured of them, and which is chosen."""

from __future__ import annotations

import pytest

from npc_server.bank.candidates import CandidateLine, Maker, each_once
from npc_server.bank.features import FEATURES, Measured, features
from npc_server.bank.measure import measure
from npc_server.bank.ranking import ChoiceWeights, FeatureWeight, Ranked, choice_weights, ranked, weights_of, worth_reranking
from npc_server.errors import FileProblem
from npc_server.llm.embed import HashedWordsEmbedder


async def test_where_nothing_reads_answers_it_is_not_known_whether_one_fits() -> None:
    (it,) = await measure([Measured(CandidateLine("Bess paid.", Maker.BANK))], "Did Bess pay?", HashedWordsEmbedder())
    assert {name for name, value in features(it).items() if value is None} == {"fits", "reread"}


def test_words_that_come_again_are_counted() -> None:
    it = Measured(CandidateLine("paid and paid and paid", Maker.BANK))
    assert features(it)["repeats_itself"] == pytest.approx(3 / 5)


def test_the_best_is_the_one_with_the_highest_weighted_sum_and_the_reason_is_told() -> None:
    long, short = (Measured(CandidateLine(text, Maker.BANK)) for text in ("one two three four", "one two"))
    first, second = ranked([short, long], {"words": FeatureWeight(2.0, 3.0, 1.0), "by_bank": FeatureWeight(0.1, 0.0, 1.0)})
    assert first.candidate is long.candidate
    assert first.score == pytest.approx(2.1)
    assert first.reason() == "words +2.00, by_bank +0.10"
    assert second.score == pytest.approx(-1.9)


def test_a_feature_that_is_not_known_counts_as_usual() -> None:
    (only,) = ranked([Measured(CandidateLine("Hm.", Maker.BANK))], {"fits": FeatureWeight(5.0, -2.0, 1.0)})
    assert only.score == 0


def test_the_data_file_weighs_every_feature_and_no_other() -> None:
    found = choice_weights()
    assert set(found.read_once) == set(FEATURES) - {"reread"}
    assert set(found.reranked) == set(FEATURES) - {"fits"}
    with pytest.raises(FileProblem, match="no feature 'sparkle'"):
        weights_of({"sparkle": {"weight": 1, "mean": 0, "scale": 1}})


def test_candidates_that_say_the_same_words_are_kept_once() -> None:
    found = each_once([CandidateLine("Yes, here.", Maker.MEMORY), CandidateLine("yes here", Maker.BANK), CandidateLine("No.", Maker.BANK)])
    assert [it.text for it in found] == ["Yes, here.", "No."]


def test_npc_rerank_reads_the_best_of_the_bank_and_none_that_is_far_below() -> None:
    best = [Ranked(Measured(CandidateLine(str(score), Maker.BANK)), score, ()) for score in (1.0, 0.5, -0.1, -0.2)]

    def read(rerank: int, within: float) -> list[str]:
        return [it.candidate.text for it in worth_reranking(best, ChoiceWeights({}, rerank=rerank, rerank_within=within))]

    assert read(2, 5.0) == ["1.0", "0.5"]
    assert read(4, 1.1) == ["1.0", "0.5", "-0.1"]
    assert read(4, 0.0) == ["1.0"]
    assert worth_reranking([], choice_weights()) == []
