"""Which larger model is proposed to whom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import llama_cpp
import pytest

from npc_server.llm import llama_tools, models, step_up
from npc_server.llm.step_up import Machine, answer_s, best, better_than, reckoning, this_machine
from tests.llm.conftest import engine_settings

LAPTOP = Machine(memory_mb=16_000, cores=8, threads=4)


def proposed(machine: Machine) -> str:
    found = best(machine)
    return found.entry.name if found else ""


def test_more_threads_more_memory_and_a_graphics_card_allow_larger_models() -> None:
    assert proposed(replace(LAPTOP, threads=1)) == ""
    assert proposed(LAPTOP) == "qwen3-1.7b"
    assert proposed(replace(LAPTOP, threads=8)) == "qwen3-4b"
    assert proposed(replace(LAPTOP, memory_mb=2000)) == ""
    assert proposed(replace(LAPTOP, threads=1, graphics="card", graphics_mb=8000)) == "qwen3-4b"
    assert proposed(replace(LAPTOP, graphics="card", graphics_mb=100)) == "qwen3-1.7b"


def test_half_of_the_memory_is_the_games() -> None:
    entry = models.find_entry("qwen3-1.7b")
    assert entry is not None
    share = reckoning().memory_share
    enough = int(entry.memory_mb / share)
    assert best(replace(LAPTOP, memory_mb=enough), [entry])
    assert best(replace(LAPTOP, memory_mb=enough - 2), [entry]) is None


def test_an_answer_is_reading_the_prompt_and_writing_the_reply_on_all_threads() -> None:
    entry = models.find_entry("qwen3-4b")
    assert entry is not None
    by = replace(reckoning(), prompt_tokens=350, read_per_thread=35.0, reply_tokens=40, write_per_thread=10.0)
    assert answer_s(entry, LAPTOP, by) == pytest.approx((350 * 4.02 / 35 + 40 * 2.5 / 10) / 4)
    found = best(replace(LAPTOP, threads=8), by=by)
    assert found is not None
    assert found.answer_s == pytest.approx((350 * 4.02 / 35 + 40 * 2.5 / 10) / 8)


def test_embedding_models_and_those_in_the_box_are_never_proposed() -> None:
    assert best(LAPTOP, [entry for entry in models.catalogue() if entry.kind == "embedding" or entry.name.startswith("npc-")]) is None


def test_only_a_larger_one_is_a_step_up_and_none_is_proposed_to_who_chose_by_hand() -> None:
    found = best(LAPTOP)
    assert better_than("npc-speak", found)
    assert better_than("qwen3-0.6b", found)
    for name in ("qwen3-1.7b", "qwen3-4b", "/my/own.gguf", "http://127.0.0.1:8080/v1", "none"):
        assert not better_than(name, found), name
    assert not better_than("npc-speak", None)


def test_this_machine_has_memory_and_cores_and_a_container_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = engine_settings()
    monkeypatch.setattr(step_up, "_CGROUP", tmp_path / "memory.max")
    whole = this_machine(settings)
    assert whole.memory_mb > 100
    assert 1 <= whole.threads <= whole.cores
    (tmp_path / "memory.max").write_text("max\n")
    assert this_machine(settings) == whole
    (tmp_path / "memory.max").write_text("50000000\n")
    assert this_machine(settings).memory_mb == 50


def test_graphics_cards_are_those_that_llama_cpp_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processor stands in for a card: llama.cpp lists it the same way."""
    monkeypatch.setattr(llama_cpp, "llama_supports_gpu_offload", lambda: True)
    monkeypatch.setattr(llama_tools, "_GPU", 0)
    [card] = llama_tools.graphics()
    assert card.name
    assert card.memory > 100_000_000
    machine = this_machine(engine_settings())
    assert (machine.graphics, machine.graphics_mb) == (card.name, card.memory // 1_000_000)
    assert this_machine(engine_settings(n_gpu_layers=0)).graphics == ""
    monkeypatch.setattr(llama_cpp, "llama_supports_gpu_offload", lambda: False)
    assert llama_tools.graphics() == ()
