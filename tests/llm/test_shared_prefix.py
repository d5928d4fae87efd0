"""A common beginning is computed once, and the prompts that are kept for it make room in the right order."""

from __future__ import annotations

from npc_server.llm.engine import Priority
from tests.llm.fake_memory import FakeMemory, batcher, job, prompt, reply_to, run, spelled, texts

PLAYER = int(Priority.PLAYER)


def test_a_prompt_that_was_asked_before_decodes_only_its_last_token() -> None:
    memory = FakeMemory(300, 64)
    one = batcher(memory)
    tokens = prompt(0, 50)
    for id_ in (1, 2):
        one.add(job(id_, tokens, length=1, system=40))
        done = run(one, memory)[-1].done[0]
        assert done.text == spelled(reply_to(tokens, 1))
    assert done.cached_tokens == 49
    assert memory.decoded == 50 + 1


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


def test_finished_prompt_is_kept_for_the_next_with_the_same_beginning() -> None:
    memory = FakeMemory(300, 64)
    one = batcher(memory)
    system = prompt(0, 100)
    one.add(job(1, system + prompt(1, 10), system=100))
    run(one, memory)
    one.add(job(2, system + prompt(2, 10), system=100))
    assert run(one, memory)[-1].done[0].cached_tokens == 100
    assert len(one.prefixes.kept) == 1, "one kept prompt for each system text"


def test_kept_prompts_make_room_least_recently_used_first() -> None:
    memory = FakeMemory(400, 64)
    one = batcher(memory)
    systems = {n: prompt(n, 100) for n in range(4)}
    for n in (0, 1, 2, 0):  # 0 was used last
        one.add(job(n, [*systems[n], n], system=100))
        run(one, memory)
    one.add(job(3, systems[3] + prompt(9, 60), system=100))
    run(one, memory)
    kept = [sequence.tokens[0] for sequence in one.prefixes.kept]
    assert kept == [systems[2][0], systems[0][0], systems[3][0]]


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


def test_player_starts_first_and_does_not_wait_for_a_prefix_of_less_urgent_requests() -> None:
    memory = FakeMemory(1000, 32)
    one = batcher(memory, parallel=2)
    system = prompt(0, 200)
    one.add(job(1, [*system, 1], system=200, priority=3))
    one.turn()
    one.add(job(2, [*system, 2], system=200, priority=PLAYER))
    assert 2 in one.turn().started


def test_without_sharing_nothing_is_kept() -> None:
    memory = FakeMemory(400, 64)
    one = batcher(memory, share=False)
    for n in (1, 2):
        one.add(job(n, [*prompt(0, 60), n], system=60))
    steps = run(one, memory)
    assert {done.cached_tokens for step in steps for done in step.done} == {0}
    assert not memory.held


def test_the_next_line_finds_what_the_first_one_read_however_many_others_think() -> None:
    memory = FakeMemory(600, 32)
    one = batcher(memory, parallel=4, kept=4)
    system = prompt(500, 60)
    one.add(job(98, system + prompt(501, 10), system=60, priority=PLAYER))
    run(one, memory)
    for n in range(40):
        one.add(job(n, prompt(n, 100), length=10, most=20, system=60))
    for _ in range(60):
        one.turn()
    one.add(job(99, system + prompt(502, 10), system=60, priority=PLAYER))
    cached = {done.id: done.cached_tokens for step in run(one, memory) for done in step.done}
    assert cached[99] >= 60


def test_what_was_read_for_a_line_gives_way_where_nobody_else_could_think() -> None:
    memory = FakeMemory(200, 32)
    one = batcher(memory)
    one.add(job(98, prompt(500, 100), system=90, priority=PLAYER))
    run(one, memory)
    one.add(job(1, prompt(1, 150), system=10))
    assert texts(run(one, memory)) == {1: spelled(reply_to(prompt(1, 150), 5))}


def test_a_kept_prompt_that_is_copied_counts_as_used() -> None:
    memory = FakeMemory(400, 64)
    one = batcher(memory)
    systems = {n: prompt(n, 100) for n in range(2)}
    for n in (0, 1):
        one.add(job(n, [*systems[n], n], system=100))
        run(one, memory)
    one.add(job(2, [*systems[0], 2], length=10, most=10, system=100))
    one.turn()
    one.add(job(3, prompt(9, 200)))
    one.turn()
    assert [sequence.tokens[0] for sequence in one.prefixes.kept] == [systems[0][0]]
    run(one, memory)


def test_who_asks_often_is_kept_although_others_asked_since() -> None:
    memory = FakeMemory(4000, 64)
    one = batcher(memory, kept=2)
    mara, others = prompt(0, 60), iter(range(1, 100))
    cached = []
    for number in range(6):  # every third question is hers
        one.add(job(1000 + number, [*mara, number], system=60))
        cached.append(run(one, memory)[-1].done[0].cached_tokens)
        for _ in range(2):
            stranger = next(others)
            one.add(job(stranger, prompt(stranger, 60), system=50))
            run(one, memory)
    assert cached == [0, 0, 60, 60, 60, 60], "by age alone two strangers would always push her out"


def test_the_beginning_of_a_waiting_request_is_not_dropped_for_another() -> None:
    memory = FakeMemory(4000, 32)
    one = batcher(memory, parallel=1, kept=2)
    systems = {n: prompt(n, 60) for n in range(3)}
    for n in (0, 1):
        one.add(job(n, [*systems[n], n], system=60))
        run(one, memory)
    one.add(job(2, [*systems[2], 2], system=60, length=1))
    one.add(job(3, [*systems[0], 3], system=60, priority=3))
    done = {it.id: it.cached_tokens for step in run(one, memory) for it in step.done}
    assert done[3] == 60, "the oldest is kept for who waits"
