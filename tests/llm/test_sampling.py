"""Drawing tokens: the distribution, and never one off the grammar."""

from __future__ import annotations

import numpy as np
import pytest
from llguidance import LLTokenizer

from npc_server.errors import EngineError
from npc_server.llm.sampling import Chooser, GrammarPool, Logits, choose_all, draw, draw_rows
from npc_server.llm.sampling_parameters import USUAL, Penalty, SamplingParameters, recommended
from tests.llm.kinds import KINDS

EOS = 256


def logits_of(*weights: float) -> Logits:
    return np.log(np.array(weights, np.float32))


def share(logits: Logits, parameters: SamplingParameters, token: int, draws: int = 4000) -> float:
    rng = np.random.default_rng(0)
    return float(np.mean([draw(logits, parameters, rng) == token for _ in range(draws)]))


def test_a_file_recommends_how_to_draw_and_nonsense_is_passed_over() -> None:
    assert recommended({}) == USUAL
    sound = {"general.sampling.temp": 0.25, "general.sampling.top_p": 0.5, "general.sampling.min_p": 0}
    assert recommended(sound) == SamplingParameters(0.25, 0.5, 0.0)
    for wrong in (-1.0, 3, float("nan"), float("inf"), "hot", True):
        assert recommended({"general.sampling.temp": wrong, "general.sampling.top_p": 0.0}) == USUAL


def test_temperature_zero_takes_the_likeliest() -> None:
    assert draw(logits_of(0.2, 0.5, 0.3), SamplingParameters(0, 1, 0), np.random.default_rng(0)) == 1


def test_of_equal_tokens_temperature_zero_takes_the_first() -> None:
    assert draw(logits_of(0.2, 0.4, 0.4), SamplingParameters(0, 1, 0), np.random.default_rng(0)) == 1


def test_rows_are_drawn_together_as_each_alone() -> None:
    logits = np.random.default_rng(1).standard_normal((9, 300)).astype(np.float32)
    parameters = [SamplingParameters(heat, 0.9, min_p) for heat in (0, 0.7, 1.5) for min_p in (0, 0.05, 0.3)]
    together, alone = ([np.random.default_rng(n) for n in range(len(parameters))] for _ in range(2))
    for _ in range(20):
        assert draw_rows(logits, parameters, together) == [draw(*one) for one in zip(logits, parameters, alone, strict=True)]


def test_a_row_that_holds_no_numbers_fails_alone() -> None:
    logits = np.stack([logits_of(0.2, 0.5, 0.3), np.full(3, np.nan, np.float32), np.full(3, np.inf, np.float32), logits_of(0.8, 0.1, 0.1)])
    choosers = [Chooser(None, frozenset(), SamplingParameters(0, 1, 0), 0) for _ in logits]
    first, *broken, last = choose_all(choosers, logits)
    assert (first, last) == (([1], False), ([0], False))
    assert all(isinstance(it, EngineError) and "not numbers" in str(it) for it in broken)


def test_tokens_are_drawn_by_their_probability() -> None:
    assert share(logits_of(0.2, 0.5, 0.3), SamplingParameters(1, 1, 0), 2) == pytest.approx(0.3, abs=0.03)


def test_low_temperature_sharpens() -> None:
    assert share(logits_of(0.4, 0.6), SamplingParameters(0.5, 1, 0), 1) == pytest.approx(0.36 / (0.36 + 0.16), abs=0.03)


def test_top_p_keeps_the_nucleus() -> None:
    logits = logits_of(0.5, 0.3, 0.15, 0.05)
    assert share(logits, SamplingParameters(1, 0.7, 0), 2) == 0
    assert share(logits, SamplingParameters(1, 0.7, 0), 1) == pytest.approx(0.375, abs=0.03)


def test_min_p_leaves_out_the_unlikely() -> None:
    logits = logits_of(0.5, 0.3, 0.15, 0.05)
    assert share(logits, SamplingParameters(1, 1, 0.2), 3) == 0
    assert share(logits, SamplingParameters(1, 1, 0.2), 2) == pytest.approx(0.15 / 0.95, abs=0.03)


def test_what_was_just_read_or_written_becomes_less_likely_but_not_the_end() -> None:
    logits = np.array([2.0, -1.0, 1.0, 2.0], np.float32)
    one = Chooser(None, frozenset([3]), SamplingParameters(0, 1, 0), 0, Penalty(1.25, np.array([0, 1, 3], np.int32)))
    assert one.penalised(logits).tolist() == pytest.approx([1.6, -1.25, 1.0, 2.0])
    one.accept(2, logits)
    assert one.penalised(logits)[2] == pytest.approx(0.8)
    assert Chooser(None, frozenset([3]), SamplingParameters(0, 1, 0), 0).penalised(logits) is logits


def chooser(kind: str, seed: int = 0, temperature: float = 1.0) -> Chooser:
    pool = GrammarPool(LLTokenizer("byte"))
    return Chooser(pool.matcher(KINDS[kind].grammar()), frozenset([EOS]), SamplingParameters(temperature, 1, 0), seed)


def test_token_off_the_grammar_is_never_taken() -> None:
    """All the weight is on `x`; the grammar wants a number."""
    logits = np.full(257, -5.0, np.float32)
    logits[ord("x")] = 50
    for seed in range(30):
        tokens, _ = chooser("integer", seed).choose(logits)
        assert bytes(tokens[:1]) in b"123456789"


def test_checking_after_drawing_keeps_the_distribution() -> None:
    """Digits 1-9 are allowed. Drawn first and drawn again when refused, they keep their shares among the allowed."""
    logits = np.full(257, -50.0, np.float32)
    for byte, weight in ((ord("x"), 0.6), (ord("2"), 0.3), (ord("3"), 0.1)):
        logits[byte] = np.log(weight)
    first = [chooser("integer", seed).choose(logits)[0][0] for seed in range(600)]
    assert np.mean([token == ord("2") for token in first]) == pytest.approx(0.75, abs=0.06)


def test_end_token_ends_only_where_the_grammar_is_complete() -> None:
    logits = np.full(257, -5.0, np.float32)
    logits[EOS] = 50
    one = chooser("text")
    tokens, over = one.choose(logits)
    assert tokens
    assert not over
    assert one.choose(logits) == ([], True)


def test_what_the_grammar_forces_comes_without_asking() -> None:
    logits = np.zeros(257, np.float32)
    logits[ord("p")] = 50
    tokens, over = chooser("record").choose(logits)
    assert bytes(tokens) == b"place: "
    assert not over


def test_grammar_that_is_complete_is_over() -> None:
    logits = np.zeros(257, np.float32)
    logits[ord("7")] = 50
    assert chooser("integer", temperature=0).choose(logits) == ([ord("7")], True)


def test_without_a_grammar_any_token_is_taken_until_the_end() -> None:
    chooser = Chooser(None, frozenset([EOS]), SamplingParameters(0, 1, 0), 1)
    logits = np.zeros(EOS + 1, np.float32)
    logits[5] = 1
    assert chooser.choose(logits) == ([5], False)
    logits[EOS] = 9
    assert chooser.choose(logits) == ([], True)


def test_wrong_grammar_is_refused() -> None:
    with pytest.raises(EngineError, match="grammar has an error"):
        GrammarPool(LLTokenizer("byte")).matcher("start: nothing")


def test_pool_forgets_the_oldest() -> None:
    pool = GrammarPool(LLTokenizer("byte"), size=2)
    for kind in ("text", "integer", "emoji"):
        pool.matcher(KINDS[kind].grammar())
    assert list(pool.known) == [KINDS["integer"].grammar(), KINDS["emoji"].grammar()]
