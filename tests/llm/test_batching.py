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


@pytest.mark.parametrize(("is_chat", "read"), [(True, 3), (False, 8)])
def test_a_chat_reads_only_what_is_new_since_its_own_reply(is_chat: bool, read: int) -> None:
    """The last token of a reply is chosen and never decoded, so it is read with the next line."""
    memory = FakeMemory(300, 32)
    one = batcher(memory)
    first = prompt(1, 40)
    one.add(job(1, first, length=6, is_chat=is_chat))
    run(one, memory)
    before = memory.decoded
    later = [*first, *reply_to(first, 6), 11, 12]
    one.add(job(2, later, length=1, is_chat=is_chat))
    run(one, memory)
    assert memory.decoded - before == read


def test_refused_decode_costs_a_kept_prompt_and_no_reply() -> None:
    """llama.cpp says there is no room although the account says there is."""
    memory = FakeMemory(400, 64)
    one = batcher(memory)
    one.add(job(1, prompt(1, 50), system=40))
    run(one, memory)
    assert one.prefixes.kept
    one.add(job(2, prompt(2, 50)))
    memory.refuse_next = 1
    assert texts(run(one, memory)) == {2: spelled(reply_to(prompt(2, 50), 5))}


def test_refused_decode_preempts_the_latest() -> None:
    memory = FakeMemory(400, 64)
    one = batcher(memory, kept=0)
    for n in (1, 2, 3):
        one.add(job(n, prompt(n, 30)))
    memory.refuse_next = 2
    assert texts(run(one, memory)) == {n: spelled(reply_to(prompt(n, 30), 5)) for n in (1, 2, 3)}
    assert memory.refusals == 2


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
