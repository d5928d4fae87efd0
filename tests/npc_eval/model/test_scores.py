"""Each scorer says yes to what is right and no to what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_eval.model import scores


@pytest.mark.parametrize(
    "text", ["I don't know.", "No idea, sorry!", "That I couldn’t say.", "I wish I knew who did it", "Nobody told me."]
)
def test_admitting_that_one_does_not_know_is_found(text: str) -> None:
    assert scores.admits_ignorance(text)


@pytest.mark.parametrize("text", ["Tobin broke it.", "I know him well.", "", "It was Ines, as far as I saw."])
def test_an_answer_is_no_admission(text: str) -> None:
    assert not scores.admits_ignorance(text)


def test_the_personas_own_words_for_not_knowing_count() -> None:
    assert not scores.admits_ignorance("Ask the gulls.")
    assert scores.admits_ignorance("Ask the gulls.", ["Ask the gulls"])


def test_words_are_found_where_a_word_begins() -> None:
    assert scores.contains("He left the RINGS here", "ring")
    assert not scores.contains("It was in spring", "ring")
    assert scores.contains("on  page\nforty", "page forty")
    assert scores.contains("Miller’s Gap", "miller's gap")


def test_rank_correlation_with_ties() -> None:
    assert scores.spearman([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1.0)
    assert scores.spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1.0)
    assert scores.spearman([5, 5, 5], [1, 2, 3]) == 0.0
    assert scores.spearman([], []) == 0.0
    # By hand: ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4.
    assert scores.spearman([1, 2, 2, 9], [1, 3, 2, 4]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    with pytest.raises(ValueError, match="2 values against 1"):
        scores.spearman([1, 2], [1])


def test_evidence_must_belong_to_what_is_concluded() -> None:
    supports = [(["rent", "money"], [1, 2]), (["Ines"], [3])]
    assert scores.supported("Mara worries about the rent", [1, 2], supports)
    assert scores.supported("Ines needs money", [2, 3], supports)
    assert not scores.supported("Mara worries about the rent", [3], supports)
    assert not scores.supported("Mara worries about the rent", [1, 3], supports)
    assert not scores.supported("The moon is blue", [1, 2], supports)
    assert not scores.supported("Mara worries about the rent", [], supports)


@settings(max_examples=100, deadline=None)
@given(st.text(), st.text())
def test_scorers_take_any_text(a: str, b: str) -> None:
    scores.admits_ignorance(a, [b])
    scores.contains(a, b)
    scores.supported(a, [1], [([b], [1])])
