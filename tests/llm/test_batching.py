"""The batcher over a memory that keeps llama.cpp's rules and refuses to be misused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import EngineError, PromptTooLong
from npc_server.llm.batching import Batcher, Job, Step
from npc_server.llm.llama import Row
from npc_server.llm.sampling import Logits

VOCAB = 251


class FakeMemory:
    """Cells hold a token, its position and the sequences it belongs to, as llama.cpp's unified cache does."""

    def __init__(self, cells: int, batch: int) -> None:
        self.cells, self.batch = cells, batch
        self.held: list[tuple[int, int, set[int]]] = []
        self.rows: list[Row] = []
        self.decoded = 0
        self.refusals = 0
        self.refuse_next = 0

    def tokens(self, sequence: int) -> list[int]:
        mine = sorted((position, token) for token, position, owners in self.held if sequence in owners)
        assert [position for position, _ in mine] == list(range(len(mine))), "positions have no gap and no double"
        return [token for _, token in mine]

    def decode(self, rows: Sequence[Row]) -> bool:
        assert 0 < len(rows) <= self.batch
        if self.refuse_next or len(self.held) + len(rows) > self.cells:
            self.refuse_next = max(self.refuse_next - 1, 0)
            self.refusals += 1
            return False
        for row in rows:
            assert row.position == len(self.tokens(row.sequence)), "each token follows the one before"
            self.held.append((row.token, row.position, {row.sequence}))
        self.rows = list(rows)
        self.decoded += len(rows)
        return True

    def logits(self, row: int) -> Logits:
        assert self.rows[row].wants_logits
        found = np.zeros(VOCAB, np.float32)
        found[answer(self.tokens(self.rows[row].sequence))] = 1
        return found

    def copy(self, source: int, target: int, end: int) -> None:
        assert not self.tokens(target)
        for _, position, owners in self.held:
            if source in owners and position < end:
                owners.add(target)

    def cut(self, sequence: int, start: int = 0) -> None:
        for _, position, owners in self.held:
            if position >= start:
                owners.discard(sequence)
        self.held = [cell for cell in self.held if cell[2]]


def answer(tokens: Sequence[int]) -> int:
    """The next token: it depends on every one before and on its place."""
    return sum((place + 1) * (int(token) + 7) for place, token in enumerate(tokens)) % VOCAB


def reply_to(prompt: Sequence[int], length: int) -> list[int]:
    tokens = list(prompt)
    for _ in range(length):
        tokens.append(answer(tokens))
    return tokens[len(prompt) :]


class Greedy:
    """Stands in for `Chooser`: takes the likeliest, ends after `length`."""

    def __init__(self, length: int, fails: bool = False) -> None:
        self.left, self.fails = length, fails

    def choose(self, logits: Logits) -> tuple[list[int], bool]:
        if self.fails:
            raise EngineError("the grammar stopped")
        self.left -= 1
        return [int(logits.argmax())], self.left <= 0


def job(id_: int, prompt: Sequence[int], *, length: int = 5, most: int = 8, system: int = 0, priority: int = 2, fails: bool = False) -> Job:
    return Job(id_, np.array(prompt, np.int32), system, most, priority, lambda: Greedy(length, fails))  # type: ignore[arg-type, return-value]


def batcher(memory: FakeMemory, parallel: int = 4, kept: int = 4, share: bool = True) -> Batcher:
    return Batcher(
        memory, lambda token: bytes([token % 90 + 33]), batch_tokens=memory.batch, max_parallel=parallel, kept_prefixes=kept, share=share
    )


def run(one: Batcher, memory: FakeMemory) -> list[Step]:
    steps = []
    while not one.idle:
        steps.append(one.turn())
        assert one.book.used == len(memory.held), "the account of the cells is right after every turn"
        assert len(steps) < 5000
    return steps


def texts(steps: Sequence[Step]) -> dict[int, str]:
    return {done.id: done.text for step in steps for done in step.done}


def spelled(tokens: Sequence[int]) -> str:
    return "".join(chr(token % 90 + 33) for token in tokens)


def prompt(seed: int, length: int) -> list[int]:
    return [int(token) for token in np.random.default_rng(seed).integers(0, VOCAB, length)]


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


def test_refused_decode_sends_the_latest_silent_job_back_to_the_queue() -> None:
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
