"""Players before all others: nobody else gets on before the first word of an answer, and nobody stands still for ever."""

from __future__ import annotations

import itertools

import pytest

from npc_server.llm.batching import Batcher
from npc_server.llm.engine import Priority
from npc_server.llm.sequences import FIRST_WORD_TOKENS
from tests.llm.fake_memory import FakeMemory, batcher, job, prompt, reply_to, run, spelled, texts

PLAYER, USUAL = int(Priority.PLAYER), int(Priority.USUAL)


def thinking(memory: FakeMemory, count: int, length: int = 30, **how: object) -> Batcher:
    """A batcher in which so many have begun their replies."""
    one = batcher(memory, **{"parallel": count, "kept": 8, **how})  # type: ignore[arg-type]
    for n in range(count):
        one.add(job(n, prompt(n, 40), length=length, most=length))
    while any(sequence.prefilling for sequence in one.running) or len(one.running) < count:
        one.turn()
    return one


def of_others(one: Batcher, memory: FakeMemory, player: int = 99) -> int:
    """How many tokens of the latest decode were not the player's."""
    own = [sequence.id for sequence in one.running if sequence.job is not None and sequence.job.id == player]
    return sum(row.sequence not in own for row in memory.rows)


def test_nobody_else_gets_on_until_a_player_has_the_first_word() -> None:
    memory = FakeMemory(2000, 32)
    one = thinking(memory, 4)
    one.add(job(99, prompt(99, 200), length=60, most=60, priority=PLAYER))
    spoken = 0
    while spoken < FIRST_WORD_TOKENS:
        step = one.turn()
        assert of_others(one, memory) == 0
        spoken += sum(len(text) for id_, text in step.text if id_ == 99)
    assert {id_ for step in run(one, memory) for id_ in (done.id for done in step.done)} == {0, 1, 2, 3, 99}


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_others_have_their_share_of_an_answer_that_is_long(share: float) -> None:
    memory = FakeMemory(4000, 32)
    one = thinking(memory, 4, length=300, others_share=share)
    one.add(job(99, prompt(99, 100), length=200, most=200, priority=PLAYER))
    theirs, most_at_once = 0, 0
    while 99 not in texts([one.turn()]):
        theirs += of_others(one, memory)
        most_at_once = max(most_at_once, of_others(one, memory))
    assert most_at_once <= 1, "an answer never stops for others"
    wanted = share * 300
    assert theirs <= wanted
    assert theirs >= min(wanted, 190) - 4


def test_who_gets_on_beside_an_answer_is_each_in_turn_prompts_too() -> None:
    memory = FakeMemory(4000, 32)
    one = thinking(memory, 3, length=300, parallel=6, others_share=1.0)
    one.add(job(99, prompt(99, 60), length=150, most=150, priority=PLAYER))
    one.turn()
    one.add(job(50, prompt(50, 30), length=300, most=300))
    before = {sequence.job.id: sequence.computed for sequence in one.running if sequence.job}
    while 99 not in texts([one.turn()]):
        pass
    got_on = {sequence.job.id: sequence.computed - before.get(sequence.job.id, 0) for sequence in one.running if sequence.job}
    assert len(got_on) == 4
    assert max(got_on.values()) - min(got_on.values()) <= 8, got_on


def test_who_stood_still_goes_on_with_what_it_had() -> None:
    memory = FakeMemory(2000, 32)
    one = thinking(memory, 4)
    one.add(job(99, prompt(99, 200), length=20, most=20, priority=PLAYER))
    got = texts(run(one, memory))
    assert got == {n: spelled(reply_to(prompt(n, 40), 30)) for n in range(4)} | {99: spelled(reply_to(prompt(99, 200), 20))}
    assert memory.decoded == 4 * (40 + 29) + 200 + 19, "nothing was computed twice"


def test_players_who_never_pause_hold_nobody_up_for_ever() -> None:
    memory = FakeMemory(4000, 32)
    one = thinking(memory, 2, length=10)
    done: dict[int, str] = {}
    for n in range(100, 400):  # each speaks before the one before has heard a word
        one.add(job(n, prompt(n, 60), length=2, most=2, priority=PLAYER))
        for _ in range(2):
            done |= texts([one.turn()])
        if done.keys() >= {0, 1}:
            break
    assert done.keys() >= {0, 1}
    assert len(done) > 10, "they came first for a while"


def test_player_does_not_wait_for_a_free_place_in_the_batch() -> None:
    memory = FakeMemory(2000, 32)
    one = thinking(memory, 4, length=200)
    one.add(job(98, prompt(98, 20)))
    one.add(job(99, prompt(99, 20), priority=PLAYER))
    assert one.turn().started == [99]


@pytest.mark.parametrize(("cells", "kept"), [(320, 8), (2000, 0)], ids=["cells", "sequences"])
def test_player_takes_the_room_of_the_least_urgent_who_goes_on_later_where_it_was(cells: int, kept: int) -> None:
    memory = FakeMemory(cells, 32)
    one = thinking(memory, 4, kept=kept)
    said = {n: "".join(sequence.text) for sequence in one.running if sequence.job for n in [sequence.job.id]}
    assert all(said.values())
    one.add(job(99, prompt(99, 60), length=10, most=10, priority=PLAYER))
    steps = [one.turn()]
    assert steps[0].started == [99]
    assert [sequence.job.id for sequence in one.queue if sequence.job] == [3]
    steps += run(one, memory)
    assert texts(steps) == {n: spelled(reply_to(prompt(n, 40), 30)) for n in range(4)} | {99: spelled(reply_to(prompt(99, 60), 10))}
    for n, before in said.items():
        assert before + "".join(text for step in steps for id_, text in step.text if id_ == n) == texts(steps)[n], "no word comes twice"


def test_an_interrupted_decode_is_tried_again_in_smaller_pieces_and_changes_no_answer() -> None:
    memory = FakeMemory(2000, 256)
    one = batcher(memory)
    for n in range(3):
        one.add(job(n, prompt(n, 200)))
    memory.interrupt_next = 2
    sizes = [one.turn().decoded for _ in range(4)]
    assert sizes == [0, 0, 64, 128]
    assert texts(run(one, memory)) == {n: spelled(reply_to(prompt(n, 200), 5)) for n in range(3)}
    assert memory.interrupted == 2


@pytest.mark.parametrize(("token_s", "sizes"), [(0.001, [128, 64, 64, 64]), (0.0001, [128, 256, 512, 512]), (0.01, [128, 64, 32, 32])])
def test_a_decode_that_cannot_be_interrupted_stays_short(token_s: float, sizes: list[int]) -> None:
    memory = FakeMemory(6000, 512)
    one = batcher(memory, most_s=0.1, token_s=token_s)
    for n in range(4):
        one.add(job(n, prompt(n, 1000)))
    assert [one.turn().decoded for _ in range(4)] == sizes


def test_a_players_decode_is_as_large_as_can_be() -> None:
    memory = FakeMemory(6000, 512)
    one = batcher(memory, most_s=0.1, token_s=0.01)
    one.add(job(0, prompt(0, 1000)))
    one.turn()
    one.add(job(99, prompt(99, 900), priority=PLAYER))
    assert [one.turn().decoded for _ in range(2)] == [512, 388]


def test_no_decode_with_a_players_tokens_is_interrupted() -> None:
    memory = FakeMemory(2000, 32)
    one = thinking(memory, 3)
    one.add(job(99, prompt(99, 100), length=20, most=20, priority=PLAYER))
    memory.interrupt_next = 1
    while 99 not in texts([one.turn()]):
        assert memory.interrupted == 0
    run(one, memory)
    assert memory.interrupted == 1


def test_prompts_and_replies_take_turns_where_they_are_kept_apart() -> None:
    """Rows of strangers in one decode make llama.cpp compute all their cells for each of them."""
    memory = FakeMemory(4000, 64)
    one = thinking(memory, 3, length=100, apart=True, parallel=8)
    one.add(job(50, prompt(50, 200), length=3, most=8))
    kinds: list[set[bool]] = []
    while not any(50 in dict(step.text) for step in [one.turn()]):
        kinds.append({row.sequence == 3 for row in memory.rows})
    assert all(len(kind) == 1 for kind in kinds), "a decode has one of the two"
    assert all(one_turn != next_turn for one_turn, next_turn in itertools.pairwise(kinds)), "neither waits long for the other"
    assert len(kinds) > 10


def test_a_decode_names_its_requests_before_it_begins() -> None:
    memory = FakeMemory(500, 32)
    one = batcher(memory)
    told: list[frozenset[int]] = []
    one.decoding = told.append
    one.add(job(1, prompt(1, 20)))
    one.add(job(2, prompt(2, 8)))
    run(one, memory)
    assert told[0] == {1, 2}
    assert set().union(*told) == {1, 2}
