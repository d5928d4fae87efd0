"""Which of the models on this machine is the best that it carries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from npc_server.config import EngineSettings, load_settings
from npc_server.llm import models, step_up
from npc_server.llm.best_here import NONE_HERE, choice_of, models_here, named
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import Setup, keep_speed
from npc_server.llm.step_up import Machine
from tests.llm.conftest import engine_settings

QUICK, SLOW = Speed(400.0, 40.0), Speed(9.0, 3.0)
BIG, SMALL, TINY = "qwen2.5-coder-1.5b", "gemma-3-1b", "qwen2.5-coder-0.5b"
Here = Callable[..., EngineSettings]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Makes a folder with files of these models of the catalogue, and with the speeds that were measured of them."""
    monkeypatch.setattr(models, "model_folders", lambda folder: (folder,))

    def make(memory_mb: int = 16_000, **speeds: Speed | None) -> EngineSettings:
        monkeypatch.setattr(step_up, "this_machine", lambda settings: Machine(memory_mb, 4, first_word_s=settings.first_word_s))
        settings = engine_settings(model="best", models_folder=tmp_path)
        for word, speed in speeds.items():
            entry = models.find_entry(word.replace("_", "-").replace("-5-coder", ".5-coder").replace("-5b", ".5b"))
            assert entry is not None, word
            path = tmp_path / entry.file
            path.write_bytes(b"x")
            if speed is not None:
                keep_speed(tmp_path, path, entry.parameters_m * 1_000_000, Setup.of(settings), speed)
        return settings

    return make


def test_best_is_the_default_and_none_is_the_small_profile() -> None:
    assert EngineSettings().takes_best
    assert not EngineSettings().instinct_only
    assert load_settings(engine={"model": "Best"}).engine.takes_best
    none = EngineSettings(model="none")
    assert none.instinct_only
    assert not none.takes_best


def test_whose_lines_are_likelier_to_be_fine_comes_first(here: Here) -> None:
    found, _ = models_here(here(gemma_3_1b=QUICK, qwen2_5_coder_1_5b=QUICK))
    assert [it.entry.name for it in found] == [BIG, SMALL]
    chosen, why = choice_of(here(gemma_3_1b=QUICK, qwen2_5_coder_1_5b=QUICK))
    assert chosen is not None
    assert chosen.entry.name == BIG
    assert why == f"{BIG} is the best model here that this machine carries: it reads 400 and writes 40 tokens a second."


def test_a_model_that_is_too_slow_here_leaves_the_place_to_the_next(here: Here) -> None:
    settings = here(gemma_3_1b=QUICK, qwen2_5_coder_1_5b=SLOW)
    assert named(settings).model == SMALL
    settings = here(gemma_3_1b=SLOW, qwen2_5_coder_1_5b=SLOW)
    chosen, why = choice_of(settings)
    assert chosen is None
    assert f"an answer of {BIG} takes about 27 s here, and a player should not wait more than 10 s" in why
    assert named(settings).instinct_only


def test_a_first_word_that_comes_too_late_is_too_slow_as_well(here: Here) -> None:
    late = Speed(14.0, 1000.0)
    settings = here(qwen2_5_coder_1_5b=late)
    assert named(settings.model_copy(update={"first_word_s": 9.0})).model == BIG
    assert f"the first word of {BIG} takes about 9 s here, and engine.first_word_s is 8" in choice_of(settings)[1]


def test_a_speed_that_nobody_measured_stands_in_nobodys_way(here: Here) -> None:
    chosen, why = choice_of(here(gemma_3_1b=QUICK, qwen2_5_coder_1_5b=None))
    assert chosen is not None
    assert chosen.entry.name == BIG
    assert why == f"{BIG} is the best model here that this machine carries."


def test_a_model_without_room_in_the_memory_is_left_out_with_the_reason(here: Here) -> None:
    settings = here(memory_mb=2800, gemma_3_1b=QUICK, qwen2_5_coder_1_5b=QUICK)
    assert named(settings).model == SMALL
    assert models_here(settings)[1] == (f"{BIG} needs 1500 MB of memory, and a game leaves it 1400 MB",)


def test_a_model_that_makes_less_sense_than_the_small_profile_is_left_out_with_the_reason(here: Here) -> None:
    chosen, why = choice_of(here(qwen2_5_coder_0_5b=QUICK))
    assert chosen is None
    assert f"{TINY} makes less sense than memory and the bank do without a model" in why
    assert named(here(qwen2_5_coder_0_5b=QUICK, gemma_3_1b=QUICK)).model == SMALL


def test_what_is_no_instruct_model_of_the_catalogue_is_never_chosen(here: Here, tmp_path: Path) -> None:
    settings = here()
    for name in ("mine.gguf", "all-minilm-l6-v2.gguf", "npc-rerank.gguf"):
        (tmp_path / name).write_bytes(b"x")
    assert models_here(settings) == ((), ())
    assert choice_of(settings) == (None, NONE_HERE)


def test_a_model_that_is_named_wins(here: Here) -> None:
    settings = here(qwen2_5_coder_1_5b=SLOW).model_copy(update={"model": BIG})
    assert named(settings) is settings


def test_the_memory_of_a_graphics_card_counts(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = here(qwen2_5_coder_1_5b=QUICK)
    monkeypatch.setattr(step_up, "this_machine", lambda settings: Machine(1000, 4, graphics="card", graphics_mb=8000))
    assert named(settings).model == BIG
