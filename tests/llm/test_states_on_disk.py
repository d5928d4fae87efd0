"""The batcher reads the beginning of an NPC's talks once for all plays: what was computed of it comes from disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.llm.state_files import StateFiles
from tests.llm.fake_memory import FakeMemory, batcher, job, prompt, reply_to, run, spelled, texts

WHO = prompt(0, 200)
MOST = 1_000_000


def decoded(folder: Path, ask: list[int], *, streams: bool = False, refuses: bool = False, lasting: int = 200) -> int:
    memory = FakeMemory(600, 64, streams)
    memory.refuse_states = refuses
    one = batcher(memory, states=StateFiles(folder, "model", MOST))
    one.add(job(1, ask, system=100, lasting=lasting, is_chat=True))
    assert texts(run(one, memory)) == {1: spelled(reply_to(ask, 5))}, "the reply is the same, whatever was read before"
    return memory.decoded


@pytest.mark.parametrize("streams", [False, True])
def test_a_second_play_reads_only_what_is_new(tmp_path: Path, streams: bool) -> None:
    assert decoded(tmp_path, WHO + prompt(1, 30), streams=streams) == 230 + 4
    assert decoded(tmp_path, WHO + prompt(2, 20), streams=streams) == 20 + 4
    assert len(list(tmp_path.iterdir())) == 1


def test_a_prompt_that_shares_a_part_of_it_reads_the_rest(tmp_path: Path) -> None:
    decoded(tmp_path, WHO + prompt(1, 30))
    assert decoded(tmp_path, WHO[:150] + prompt(3, 100)) == 100 + 4


def test_what_does_not_last_is_not_kept(tmp_path: Path) -> None:
    decoded(tmp_path, WHO + prompt(1, 30), lasting=0)
    assert not list(tmp_path.iterdir())
    assert decoded(tmp_path, WHO + prompt(1, 30)) == 230 + 4


def test_a_state_that_the_model_does_not_take_is_read_anew_and_deleted(tmp_path: Path) -> None:
    decoded(tmp_path, WHO + prompt(1, 30))
    (old,) = tmp_path.iterdir()
    before = old.stat().st_mtime_ns
    assert decoded(tmp_path, WHO + prompt(2, 20), refuses=True) == 220 + 4
    (new,) = tmp_path.iterdir()
    assert new.stat().st_mtime_ns != before, "it was kept again"


def test_what_the_context_has_is_not_taken_from_disk(tmp_path: Path) -> None:
    memory = FakeMemory(600, 64)
    one = batcher(memory, states=StateFiles(tmp_path, "model", MOST))
    for id_, seed in ((1, 1), (2, 2)):
        one.add(job(id_, WHO + prompt(seed, 20), system=100, lasting=200, is_chat=True))
        run(one, memory)
    memory.refuse_states = True
    one.add(job(3, WHO + prompt(3, 20), system=100, lasting=200, is_chat=True))
    assert run(one, memory)[-1].done[0].cached_tokens == 200
    assert len(list(tmp_path.iterdir())) == 1
