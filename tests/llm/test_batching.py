"""The batcher over a memory that keeps llama.cpp's rules and refuses to be misused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import PromptTooLong
from tests.llm.fake_memory import FakeMemory, batcher, job, prompt, reply_to, run, spelled, texts


def test_each_gets_the_answer_to_its_own_prompt() -> None:
    memory = FakeMemory(500, 32)
    one = batcher(memory)
    prompts = {n: prompt(n, 20 + n * 3) for n in range(12)}
    for n, tokens in prompts.items():
        one.add(job(n, tokens))
    assert texts(run(one, memory)) == {n: spelled(reply_to(tokens, 5)) for n, tokens in prompts.items()}


def test_common_beginning_is_computed_once() -> None:
    memory = FakeMemory(1000, 64)
    one = batcher(memory, parallel=8)
    system = prompt(0, 100)
    prompts = {n: system + prompt(n, 10) for n in range(1, 9)}
    for n, tokens in prompts.items():
        one.add(job(n, tokens, system=100))
    steps = run(one, memory)
    assert texts(steps) == {n: spelled(reply_to(tokens, 5)) for n, tokens in prompts.items()}
    assert memory.decoded == 100 + 8 * 10 + 8 * 4  # the last token of a reply is not decoded
    assert sorted(done.cached_tokens for step in steps for done in step.done) == [0] + [100] * 7


def test_finished_prompt_is_kept_for_the_next_that_begins_alike() -> None:
    memory = FakeMemory(300, 64)
    one = batcher(memory)
    system = prompt(0, 100)
    one.add(job(1, system + prompt(1, 10), system=100))
    run(one, memory)
    one.add(job(2, system + prompt(2, 10), system=100))
    assert run(one, memory)[-1].done[0].cached_tokens == 100
    assert len(one.kept) == 1, "one kept prompt for each system text"


def test_kept_prompts_make_room_least_lately_used_first() -> None:
    memory = FakeMemory(400, 64)
    one = batcher(memory)
    systems = {n: prompt(n, 100) for n in range(4)}
    for n in (0, 1, 2, 0):  # 0 was used last
        one.add(job(n, [*systems[n], n], system=100))
        run(one, memory)
    one.add(job(3, systems[3] + prompt(9, 60), system=100))
    run(one, memory)
    kept = [sequence.tokens[0] for sequence in one.kept]
    assert kept == [systems[2][0], systems[0][0], systems[3][0]]


def test_cancelled_job_frees_its_cells() -> None:
    memory = FakeMemory(100, 32)
    one = batcher(memory, kept=0)
    one.add(job(1, prompt(1, 40), length=50, most=55))
    one.turn()
    one.turn()
    assert memory.held
    assert one.cancel(1)
    assert not memory.held
    assert one.idle
    assert not one.cancel(1)


def test_who_waits_for_another_s_prefix_goes_on_when_that_is_cancelled() -> None:
    memory = FakeMemory(1000, 32)
    one = batcher(memory, kept=0)
    system = prompt(0, 200)
    one.add(job(1, [*system, 1], system=200))
    one.add(job(2, [*system, 2], system=200))
    one.turn()
    assert len(one.running) == 1
    one.cancel(1)
    assert texts(run(one, memory)) == {2: spelled(reply_to([*system, 2], 5))}


def test_player_is_let_in_first_and_does_not_wait_for_an_idle_prefix() -> None:
    memory = FakeMemory(1000, 32)
    one = batcher(memory, parallel=2)
    system = prompt(0, 200)
    one.add(job(1, [*system, 1], system=200, priority=3))
    one.turn()
    one.add(job(2, [*system, 2], system=200, priority=0))
    assert 2 in one.turn().started


def test_prompt_that_can_never_fit_is_refused_before_anything_is_decoded() -> None:
    memory = FakeMemory(100, 32)
    one = batcher(memory)
    with pytest.raises(PromptTooLong, match="93 tokens and the reply may have 8; the context holds 100"):
        one.add(job(1, prompt(1, 93)))
    with pytest.raises(PromptTooLong):
        one.add(job(1, []))
    assert memory.decoded == 0
    one.add(job(2, prompt(2, 92)))
    run(one, memory)


def test_failed_choice_fails_that_job_only() -> None:
    memory = FakeMemory(300, 32)
    one = batcher(memory)
    one.add(job(1, prompt(1, 20), fails=True))
    one.add(job(2, prompt(2, 20)))
    steps = run(one, memory)
    assert [id_ for step in steps for id_, _ in step.failed] == [1]
    assert set(texts(steps)) == {2}


def test_reply_is_cut_at_its_most() -> None:
    memory = FakeMemory(300, 32)
    one = batcher(memory)
    one.add(job(1, prompt(1, 20), length=50, most=6))
    done = run(one, memory)[-1].done[0]
    assert (done.reply_tokens, done.truncated) == (6, True)


def test_refused_decode_costs_a_kept_prompt_and_no_reply() -> None:
    """llama.cpp says there is no room although the account says there is."""
    memory = FakeMemory(400, 64)
    one = batcher(memory)
    one.add(job(1, prompt(1, 50), system=40))
    run(one, memory)
    assert one.kept
    one.add(job(2, prompt(2, 50)))
    memory.refuse_next = 1
    assert texts(run(one, memory)) == {2: spelled(reply_to(prompt(2, 50), 5))}


def test_refused_decode_puts_the_latest_off() -> None:
    memory = FakeMemory(400, 64)
    one = batcher(memory, kept=0)
    for n in (1, 2, 3):
        one.add(job(n, prompt(n, 30)))
    memory.refuse_next = 2
    assert texts(run(one, memory)) == {n: spelled(reply_to(prompt(n, 30), 5)) for n in (1, 2, 3)}
    assert memory.refusals == 2


def test_without_sharing_nothing_is_kept() -> None:
    memory = FakeMemory(400, 64)
    one = batcher(memory, share=False)
    for n in (1, 2):
        one.add(job(n, [*prompt(0, 60), n], system=60))
    steps = run(one, memory)
    assert {done.cached_tokens for step in steps for done in step.done} == {0}
    assert not memory.held


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_coming_and_going_gives_everybody_their_own_answer(data: st.DataObject) -> None:
    cells = data.draw(st.integers(60, 300))
    memory = FakeMemory(cells, data.draw(st.integers(8, 64)))
    one = batcher(memory, parallel=data.draw(st.integers(1, 8)), kept=data.draw(st.integers(0, 4)))
    systems = [prompt(n, 30) for n in range(3)]
    wanted: dict[int, str] = {}
    got: dict[int, str] = {}
    for id_ in range(data.draw(st.integers(1, 25))):
        system = systems[data.draw(st.integers(0, 2))]
        tokens = system + prompt(id_, data.draw(st.integers(1, 20)))
        length = data.draw(st.integers(1, 8))
        one.add(job(id_, tokens, length=length, system=len(system), priority=data.draw(st.integers(0, 3))))
        wanted[id_] = spelled(reply_to(tokens, length))
        memory.interrupt_next = data.draw(st.integers(0, 3))
        for _ in range(data.draw(st.integers(0, 4))):
            if not one.idle:
                got |= texts([one.turn()])
        if data.draw(st.integers(0, 9)) == 0:
            gone = data.draw(st.integers(0, id_))
            one.cancel(gone)
            if gone not in got:
                wanted.pop(gone, None)
    got |= texts(run(one, memory))
    assert got == wanted
    assert memory.refusals == 0
