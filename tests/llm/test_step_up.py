"""Which larger model is proposed to whom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import llama_cpp
import pytest

from npc_server.llm import llama_tools, models, step_up
from npc_server.llm.models import CatalogueModel
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import MeasuredModel, Setup, keep_speed
from npc_server.llm.step_up import Machine, best, better_than, line_s, reckoning, smallest, speed_of, this_machine, too_large
from tests.llm.conftest import engine_settings

SETUP = Setup("a processor", 4, -1, "a build")


def measured_as(parameters_m: float, size_mb: float, read: float, written: float, name: str = "one.gguf") -> MeasuredModel:
    return MeasuredModel(name, int(size_mb * 1e6), parameters_m, SETUP, Speed(read, written))


def laptop(read: float = 600, written: float = 100) -> Machine:
    """A laptop with 16 GB, where a model of 135 million parameters reads and writes so many tokens a second."""
    return Machine(memory_mb=16_000, cores=8, measured=(measured_as(135, 92, read, written),))


LAPTOP = laptop()


def named(name: str) -> CatalogueModel:
    found = models.find_entry(name)
    assert found is not None
    return found


def proposed(machine: Machine) -> str:
    found = best(machine)
    return found.entry.name if found else ""


def test_a_quicker_machine_more_memory_and_a_graphics_card_allow_larger_models() -> None:
    assert proposed(laptop(100, 10)) == ""
    assert proposed(LAPTOP) == "qwen3-4b-2507"
    assert proposed(laptop(2000, 300)) == "gemma-4-e4b"
    assert proposed(replace(laptop(2000, 300), memory_mb=8000)) == "qwen3-4b-2507"
    assert proposed(replace(LAPTOP, memory_mb=1000)) == ""
    assert proposed(replace(laptop(100, 10), graphics="card", graphics_mb=12_000)) == "gemma-4-e4b"
    assert proposed(replace(LAPTOP, graphics="card", graphics_mb=100)) == "qwen3-4b-2507"


def test_how_many_cores_there_are_says_nothing_of_how_fast_they_are() -> None:
    for cores in (1, 64):
        assert proposed(replace(LAPTOP, cores=cores)) == "qwen3-4b-2507"
        assert proposed(replace(laptop(100, 10), cores=cores)) == ""


def test_where_nothing_was_measured_only_a_graphics_card_allows_a_larger_model() -> None:
    unknown = replace(LAPTOP, measured=())
    assert speed_of(named("qwen3-1.7b"), (), reckoning()) is None
    assert best(unknown) is None
    assert too_large("", unknown) == "no model is here to measure how fast this machine is."
    assert proposed(replace(unknown, graphics="card", graphics_mb=12_000)) == "gemma-4-e4b"


def test_half_of_the_memory_is_the_games() -> None:
    entry = named("qwen3-1.7b")
    machine = laptop(2000, 300)
    enough = int(entry.memory_mb / reckoning().memory_share)
    assert best(replace(machine, memory_mb=enough), [entry])
    assert best(replace(machine, memory_mb=enough - 2), [entry]) is None


def test_an_answer_is_reading_the_prompt_and_writing_the_reply_at_a_speed_that_goes_with_size() -> None:
    entry = named("qwen3-1.7b")
    by = replace(reckoning(), line_tokens=120, prompt_tokens=350, reply_tokens=40, read_overhead_m=100, write_overhead_mb=50)
    assert line_s(entry, Speed(50, 8), by) == pytest.approx(120 / 50 + 40 / 8)
    half = speed_of(entry, [measured_as(810, 890, 50, 8)], by)
    assert half is not None
    assert line_s(entry, half, by) == pytest.approx(2 * (120 / 50 + 40 / 8))
    found = best(replace(LAPTOP, measured=(measured_as(entry.parameters_m, entry.size_mb, 100, 16),)), [entry], by)
    assert found is not None
    assert found.answer_s == pytest.approx((120 / 50 + 40 / 8) / 2)


def test_a_model_that_keeps_no_chat_reads_its_whole_prompt_for_every_line() -> None:
    by, keeps = reckoning(), named("qwen3-1.7b")
    forgets = replace(keeps, shares=False)
    assert line_s(keeps, Speed(50, 8), by) == pytest.approx(by.line_tokens / 50 + by.reply_tokens / 8)
    assert line_s(forgets, Speed(50, 8), by) == pytest.approx(by.prompt_tokens / 50 + by.reply_tokens / 8)
    machine = replace(LAPTOP, measured=(measured_as(keeps.parameters_m, keeps.size_mb, 45, 12),))
    assert best(machine, [keeps]) is not None
    assert best(machine, [forgets]) is None


def test_the_real_1_5b_on_two_cores_answers_in_time() -> None:
    """It reads 45 and writes 16 tokens a second there, and its lines took 4 to 6 seconds. As a whole prompt it was reckoned at 14."""
    coder, by = named("qwen2.5-coder-1.5b"), reckoning()
    assert line_s(coder, Speed(45, 16), by) == pytest.approx(5.2, abs=0.1)
    assert step_up.too_slow(coder, Speed(45, 16), 8.0, by) == ""


def test_a_first_word_after_engine_first_word_s_is_too_late() -> None:
    entry = replace(named("qwen3-1.7b"), shares=False)
    machine = replace(LAPTOP, measured=(measured_as(entry.parameters_m, entry.size_mb, 60, 100),), first_word_s=8.0)
    assert best(machine, [entry]) is None
    assert best(replace(machine, first_word_s=9.0), [entry]) is not None


def test_where_nothing_is_known_the_smallest_that_has_room_can_show_it() -> None:
    found = smallest(replace(LAPTOP, measured=()))
    assert found is not None
    assert (found.entry.name, found.answer_s) == ("gemma-3-1b", None)
    assert smallest(replace(LAPTOP, memory_mb=1000)) is None


def test_the_measured_model_that_is_nearest_in_size_counts_and_the_newest_of_equals() -> None:
    entry, by = named("qwen3-1.7b"), reckoning()
    small, old, new = measured_as(135, 92, 600, 100), measured_as(1544, 1117, 9, 3, "old"), measured_as(1544, 1117, 90, 30, "new")
    far, near = speed_of(entry, [small], by), speed_of(entry, [small, old, new], by)
    assert far is not None
    assert near is not None
    assert near.read_per_s == pytest.approx(90 * (1544 + by.read_overhead_m) / (entry.parameters_m + by.read_overhead_m))
    assert far.read_per_s == pytest.approx(600 * (135 + by.read_overhead_m) / (entry.parameters_m + by.read_overhead_m))


@pytest.mark.parametrize(("parameters_m", "size_mb", "read", "written"), [(494, 491, 75, 10.0), (1544, 1117, 33, 5.5)])
def test_from_a_small_model_larger_models_are_reckoned_within_a_third_of_what_they_did(
    parameters_m: int, size_mb: int, read: float, written: float
) -> None:
    """Measured on one thread of a Xeon, where a model of 135 million parameters read 187 and wrote 34 tokens a second."""
    entry = replace(named("qwen3-1.7b"), parameters_m=parameters_m, size_mb=size_mb)
    found = speed_of(entry, [measured_as(135, 92, 187, 34)], reckoning())
    assert found is not None
    assert found.read_per_s == pytest.approx(read, rel=0.34)
    assert found.written_per_s == pytest.approx(written, rel=0.34)


def test_embedding_models_those_in_the_box_and_those_made_for_code_are_never_proposed() -> None:
    kept = [entry for entry in models.catalogue() if entry.kind == "embedding" or entry.name.startswith(("npc-", "qwen2.5-coder"))]
    assert len(kept) >= 4
    assert best(laptop(10_000, 1000), kept) is None


def test_only_a_larger_one_is_a_step_up_and_none_is_proposed_to_who_chose_by_hand() -> None:
    found = best(LAPTOP)
    assert better_than("qwen3.5-0.8b", found)
    assert better_than("qwen2.5-coder-1.5b", found)
    for name in ("qwen3-4b-2507", "gemma-4-e4b", "/my/own.gguf", "http://127.0.0.1:8080/v1", "none"):
        assert not better_than(name, found), name
    assert not better_than("qwen3.5-0.8b", None)
    assert better_than("", found), "where none is used, any is"
    assert not better_than("", None)


def test_this_machine_has_memory_and_cores(tmp_path: Path) -> None:
    settings = engine_settings(models_folder=tmp_path)
    whole = this_machine(settings)
    assert whole.memory_mb > 100
    assert whole.cores >= 1
    assert whole.measured == ()


def test_this_machine_knows_what_was_measured_with_the_threads_of_the_settings(tmp_path: Path) -> None:
    settings = engine_settings(models_folder=tmp_path, threads=3)
    (tmp_path / "mine.gguf").write_bytes(bytes(1000))
    keep_speed(tmp_path, tmp_path / "mine.gguf", 7_000_000, Setup.of(settings), Speed(50.0, 5.0))
    [found] = this_machine(settings).measured
    assert (found.file, found.bytes, found.parameters_m, found.speed) == ("mine.gguf", 1000, 7.0, Speed(50.0, 5.0))
    assert this_machine(engine_settings(models_folder=tmp_path, threads=2)).measured == ()


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
