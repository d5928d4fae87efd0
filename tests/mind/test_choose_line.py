"""Candidates for a line: what is measured of them, and which is chosen."""

from __future__ import annotations

import pytest

from npc_server.errors import FileProblem
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Request
from npc_server.llm.reply import one
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.candidates import CandidateLine, Maker, each_once
from npc_server.mind.choose_line import ChoiceWeights, FeatureWeight, Ranked, choice_weights, ranked, weights_of, worth_reranking
from npc_server.mind.line_features import FEATURES, Measured, features
from npc_server.mind.measure_lines import LineScene, measure
from npc_server.mind.replies import Spoken

PROMPT = "You are Hanne Brook. Bess paid two coins."


class NamedEmbedder(HashedWordsEmbedder):
    """Hashed words that pass for meaning."""

    name = "named/384"


def request(user: str) -> Request:
    return Request("You are Hanne Brook.", user, one(Spoken), 0)


SCENE = LineScene("Did Bess pay?", PROMPT, request("Robin: Did Bess pay?\nWhat do you say?"), request("What do you say?"))


def likely(request: Request, given: str, text: str) -> float:
    """Who was asked about Bess speaks of her more likely."""
    return -10.0 if "Bess" in text and "Bess" not in request.user else -4.0


async def test_an_answer_is_likelier_after_the_question_than_anyway() -> None:
    drawn = [CandidateLine("Bess paid.", Maker.MODEL), CandidateLine("She did.", Maker.MODEL)]
    told, plain = [features(it) for it in await measure(drawn, SCENE, NamedEmbedder(), ScriptedEngine({}, logprob=likely))]
    assert told["answers"] == 6
    assert told["answers_a_token"] is not None
    assert 0 < told["answers_a_token"] < 6
    assert plain["answers"] == 0


async def test_an_engine_that_cannot_score_leaves_likelihoods_out() -> None:
    (it,) = await measure([CandidateLine("Bess paid.", Maker.MODEL)], SCENE, HashedWordsEmbedder(), ScriptedEngine({}))
    unknown = {name for name, value in features(it).items() if value is None}
    assert unknown == {"likelihood", "answers", "answers_a_token", "fits", "reread"}


async def test_where_the_model_does_not_read_no_likelihood_is_asked_for() -> None:
    scene = LineScene("Did Bess pay?")
    (it,) = await measure([CandidateLine("Bess paid.", Maker.BANK)], scene, NamedEmbedder(), ScriptedEngine({}, logprob=likely))
    assert it.after is None


def test_names_numbers_and_garbled_words_from_nowhere_are_counted() -> None:
    def of(text: str) -> dict[str, float | None]:
        return features(Measured(CandidateLine(text, Maker.MODEL), PROMPT))

    assert of("Bess paid two coins.")["from_nowhere"] == 0
    assert of("Odo paid forty coins.")["from_nowhere"] == pytest.approx(2 / 4)
    assert of("Bess paid the zxqvorl.")["garbled"] == pytest.approx(1 / 4)
    assert of("paid and paid and paid")["repeats_itself"] == pytest.approx(3 / 5)


def test_the_best_is_the_one_with_the_highest_weighted_sum_and_the_reason_is_told() -> None:
    long, short = (Measured(CandidateLine(text, Maker.MODEL), PROMPT) for text in ("one two three four", "one two"))
    first, second = ranked([short, long], {"words": FeatureWeight(2.0, 3.0, 1.0), "by_model": FeatureWeight(0.1, 0.0, 1.0)})
    assert first.candidate is long.candidate
    assert first.score == pytest.approx(2.1)
    assert first.reason() == "words +2.00, by_model +0.10"
    assert second.score == pytest.approx(-1.9)


def test_a_feature_that_is_not_known_counts_as_usual() -> None:
    (only,) = ranked([Measured(CandidateLine("Hm.", Maker.MODEL), PROMPT)], {"likelihood": FeatureWeight(5.0, -2.0, 1.0)})
    assert only.score == 0


def test_the_data_file_weighs_every_feature_and_no_other() -> None:
    found = choice_weights()
    assert set(found.with_model) == set(FEATURES) - {"reread"}
    assert set(found.reranked) == {*found.without_model, "reread"} - {"fits"}
    assert set(found.without_model) < set(FEATURES)
    with pytest.raises(FileProblem, match="no feature 'sparkle'"):
        weights_of({"sparkle": {"weight": 1, "mean": 0, "scale": 1}})


def test_candidates_that_say_the_same_words_are_kept_once() -> None:
    found = each_once([CandidateLine("Yes, here.", Maker.MODEL), CandidateLine("yes here", Maker.BANK), CandidateLine("No.", Maker.BANK)])
    assert [it.text for it in found] == ["Yes, here.", "No."]


def test_npc_rerank_reads_the_best_of_the_bank_and_none_that_is_far_below() -> None:
    best = [Ranked(CandidateLine(str(score), Maker.BANK), score, ()) for score in (1.0, 0.5, -0.1, -0.2)]

    def read(rerank: int, within: float) -> list[str]:
        return [it.text for it in worth_reranking(best, ChoiceWeights({}, {}, 0.0, rerank=rerank, rerank_within=within))]

    assert read(2, 5.0) == ["1.0", "0.5"]
    assert read(4, 1.1) == ["1.0", "0.5", "-0.1"]
    assert read(4, 0.0) == ["1.0"]
    assert worth_reranking([], choice_weights()) == []
