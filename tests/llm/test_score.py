"""Scoring given texts over a memory that keeps llama.cpp's rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import EngineError, PromptTooLong
from npc_server.llm.score import MOST_SCORED, log_probability, read_given
from tests.llm.fake_memory import (
    VOCAB,
    FakeMemory,
    batcher,
    job,
    logprob_of,
    prompt,
    reply_to,
    run,
    score_job,
    scores,
    spelled,
    texts,
)


def test_log_probability_is_that_of_the_softmax() -> None:
    rng = np.random.default_rng(1)
    logits = (rng.standard_normal((30, 500)) * 20).astype(np.float32)
    tokens = rng.integers(0, 500, 30).astype(np.int32)
    exact = logits.astype(np.float64)
    softmax = np.exp(exact) / np.exp(exact).sum(axis=1, keepdims=True)
    assert log_probability(logits, tokens) == pytest.approx(np.log(softmax[np.arange(30), tokens]).sum(), rel=1e-5)
    assert log_probability(logits[:0], tokens[:0]) == 0.0


def words(text: str) -> list[int]:
    """Tokens as models have them: a word with the space before it, and else single letters."""
    tokens: list[int] = []
    for at, letter in enumerate(text):
        if letter.isalpha() and at and text[at - 1].isalpha():
            tokens[-1] = tokens[-1] * 1000 + ord(letter)
        elif letter.isalpha() and at and text[at - 1] == " ":
            tokens[-1] = 32 * 1000 + ord(letter)
        else:
            tokens.append(ord(letter))
    return tokens


@pytest.mark.parametrize("text", ["Hello", "Hello there.", "1 loaf"])
def test_a_text_is_scored_from_the_same_place_however_its_tokens_join_with_what_is_given(text: str) -> None:
    whole, scored = read_given(words, "agrees: no\nsay: ", text)
    assert whole == words("agrees: no\nsay: " + text)
    assert whole[: len(whole) - scored] == words("agrees: no\nsay:")
    assert read_given(words, "agrees: no\nsay: ", "") == (words("agrees: no\nsay: "), 1)
    assert read_given(words, "", text) == (words(text), len(words(text)))
    assert read_given(words, "", "") == ([], 0)


def test_each_text_has_its_own_likelihood_and_the_prompt_is_read_once() -> None:
    memory = FakeMemory(600, 64)
    one = batcher(memory, parallel=3)
    before, said = prompt(1, 100), prompt(2, 4)
    likely = reply_to([*before, *said], 12)
    given_texts = {0: likely, 1: prompt(3, 9), 2: [*likely[:5], *prompt(4, 3)], 3: prompt(5, 1), 4: likely[:1]}
    for number, text in given_texts.items():
        one.add(score_job(number, before, said, text, system=80))
    found = scores(run(one, memory))
    assert found == pytest.approx({number: logprob_of([*before, *said], text) for number, text in given_texts.items()}, rel=1e-5)
    assert memory.decoded < 100 + len(said) * 5 + sum(map(len, given_texts.values()))
    mean = {number: found[number] / len(text) for number, text in given_texts.items()}
    assert mean[0] == pytest.approx(mean[4], rel=1e-5)
    assert mean[0] > mean[2] > mean[1]


def test_a_text_is_scored_from_what_a_reply_left_in_the_cache() -> None:
    memory = FakeMemory(600, 64)
    one = batcher(memory)
    before = prompt(1, 100)
    one.add(job(1, before, system=80))
    run(one, memory)
    decoded = memory.decoded
    one.add(score_job(2, before, [], prompt(3, 7), system=80))
    (done,) = (done for step in run(one, memory) for done in step.scored)
    assert memory.decoded - decoded == done.read_tokens == 7  # the last token of the prompt, and all of the text but its last
    one.add(job(3, before, system=80))
    (reply,) = (done for step in run(one, memory) for done in step.done)
    assert (reply.cached_tokens, reply.text) == (99, spelled(reply_to(before, 5)))


def test_a_long_text_takes_several_decodes_with_few_logits_each() -> None:
    memory = FakeMemory(1000, 256)
    one = batcher(memory)
    text = reply_to(prompt(1, 30), 3 * MOST_SCORED + 5)
    one.add(score_job(1, prompt(1, 30), [], text))
    steps = run(one, memory)
    assert len(steps) == 4
    assert scores(steps)[1] == pytest.approx(logprob_of(prompt(1, 30), text), rel=1e-5)


def test_text_that_can_never_fit_is_refused() -> None:
    memory = FakeMemory(100, 32)
    one = batcher(memory)
    with pytest.raises(PromptTooLong, match="60 tokens and the reply may have 41; the context holds 100"):
        one.add(score_job(1, prompt(1, 60), prompt(2, 20), prompt(3, 21)))
    assert memory.decoded == 0


def test_cancelled_score_frees_its_cells() -> None:
    memory = FakeMemory(200, 16)
    one = batcher(memory, kept=0)
    one.add(score_job(1, prompt(1, 40), [], prompt(2, 60)))
    for _ in range(4):
        one.turn()
    assert memory.held
    assert one.cancel(1)
    assert one.idle
    assert not memory.held


def test_preempted_score_begins_anew() -> None:
    memory = FakeMemory(400, 16)
    one = batcher(memory, kept=0)
    text, other = prompt(2, 60), prompt(3, 60)
    one.add(score_job(1, prompt(1, 20), [], text, priority=3))
    for _ in range(3):
        one.turn()
    (half,) = one.running
    assert half.logprob < 0
    one.add(score_job(2, prompt(4, 10), [], other, priority=1))
    memory.refuse_next = 1
    steps = [one.turn()]
    assert one.queue == [half]
    steps += run(one, memory)
    assert scores(steps) == pytest.approx({1: logprob_of(prompt(1, 20), text), 2: logprob_of(prompt(4, 10), other)}, rel=1e-5)


def test_numbers_that_are_none_fail_that_job_only(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = FakeMemory(200, 64)
    one = batcher(memory, share=False)
    usual = memory.logits
    monkeypatch.setattr(memory, "logits", lambda: np.where(np.arange(VOCAB) == 7, np.float32(np.nan), usual()))
    one.add(score_job(1, prompt(1, 10), [], prompt(2, 5)))
    steps = run(one, memory)
    assert not scores(steps)
    ((_, error),) = (failure for step in steps for failure in step.failed)
    assert type(error) is EngineError


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_coming_and_going_gives_everybody_their_own_score_or_reply(data: st.DataObject) -> None:
    streams = data.draw(st.booleans())
    memory = FakeMemory(data.draw(st.integers(100, 300)), data.draw(st.integers(8, 64)), streams)
    one = batcher(memory, parallel=data.draw(st.integers(1, 6)), kept=data.draw(st.integers(0, 4)), apart=data.draw(st.booleans()))
    systems = [prompt(n, 30) for n in range(3)]
    likelihoods: dict[int, float] = {}
    replies: dict[int, str] = {}
    steps = []
    for id_ in range(data.draw(st.integers(1, 25))):
        system = systems[data.draw(st.integers(0, 2))]
        tokens = system + prompt(data.draw(st.integers(0, 2)), data.draw(st.integers(1, 20)))
        priority = data.draw(st.integers(0, 3))
        if data.draw(st.booleans()):
            said = prompt(7, data.draw(st.integers(0, 4)))
            right = reply_to([*tokens, *said], data.draw(st.integers(0, 9)))
            text = [*right, *prompt(id_, data.draw(st.integers(1, 9)))]
            one.add(score_job(id_, tokens, said, text, system=len(system), priority=priority))
            likelihoods[id_] = logprob_of([*tokens, *said], text)
        else:
            one.add(job(id_, tokens, system=len(system), priority=priority))
            replies[id_] = spelled(reply_to(tokens, 5))
        memory.interrupt_next = data.draw(st.integers(0, 3))
        for _ in range(data.draw(st.integers(0, 4))):
            if not one.idle:
                steps.append(one.turn())
    steps += run(one, memory)
    assert texts(steps) == replies
    assert scores(steps) == pytest.approx(likelihoods, rel=1e-5)
    assert memory.refusals == 0
