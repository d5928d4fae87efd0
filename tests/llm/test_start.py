"""The first start of a model measures it, and the next ones know."""

from __future__ import annotations

from pathlib import Path

import pytest

from npc_server.config import EngineSettings
from npc_server.llm import worker
from npc_server.llm.measure_here import measure_here
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import Setup, keep_speed, known_speed
from npc_server.llm.start import open_engine
from tests.llm.conftest import engine_settings

pytestmark = pytest.mark.model


async def speed_at_start(settings: EngineSettings, tmp_path: Path) -> Speed | None:
    engine = await open_engine(settings, log_file=tmp_path / "log")
    try:
        assert engine.status().problem == ""
        return engine.status().speed
    finally:
        await engine.close()


async def test_the_first_start_measures_the_model_and_the_next_ones_know(random_model: Path, tmp_path: Path) -> None:
    settings = engine_settings(model=str(random_model), models_folder=tmp_path, threads=1)
    first = await speed_at_start(settings, tmp_path)
    assert first is not None
    assert min(first.read_per_s, first.written_per_s) > 0
    setup = Setup.of(settings)
    assert known_speed(tmp_path, random_model, setup) == first
    told = Speed(1234.0, 5.0)
    keep_speed(tmp_path, random_model, 1, setup, told)
    assert await speed_at_start(settings, tmp_path) == told
    others = await speed_at_start(engine_settings(model=str(random_model), models_folder=tmp_path, threads=2), tmp_path)
    assert others is not None
    assert others != told


async def test_a_process_that_is_started_again_does_not_measure_again(random_model: Path, tmp_path: Path) -> None:
    kept: list[Speed] = []
    engine = worker.LlamaEngine(random_model, engine_settings(threads=1), log_file=tmp_path / "log", keep_speed=kept.append)
    try:
        assert (await engine.loaded()).speed == kept[0]
        assert engine.process.init["measure_s"] == 0.0
    finally:
        await engine.close()
    quiet = worker.LlamaEngine(random_model, engine_settings(threads=1), log_file=tmp_path / "log")
    try:
        assert (await quiet.loaded()).speed is None
    finally:
        await quiet.close()


async def test_a_machine_is_measured_with_the_model_of_the_settings_anew(random_model: Path, tmp_path: Path) -> None:
    settings = engine_settings(model=str(random_model), models_folder=tmp_path, threads=1)
    keep_speed(tmp_path, random_model, 1, Setup.of(settings), Speed(1.0, 1.0))
    [found] = await measure_here(settings, tmp_path / "log")
    assert found.path == random_model
    assert known_speed(tmp_path, random_model, Setup.of(settings)) == found.speed != Speed(1.0, 1.0)


async def test_else_it_is_measured_with_the_largest_of_the_catalogue_that_is_here(
    random_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("npc_server.llm.models.model_folders", lambda folder: (folder,))
    settings = engine_settings(model="http://127.0.0.1:9/v1", models_folder=tmp_path, threads=1)
    assert await measure_here(settings, tmp_path / "log") == ()
    (tmp_path / "qwen2.5-coder-0.5b.gguf").write_bytes(random_model.read_bytes())
    (tmp_path / "all-minilm-l6-v2.gguf").write_bytes(random_model.read_bytes() + b"larger, and no chat model")
    [found] = await measure_here(settings, tmp_path / "log")
    assert found.path.name == "qwen2.5-coder-0.5b.gguf"


async def test_where_the_best_is_taken_all_that_are_too_slow_are_measured_up_to_the_first_that_is_not(
    random_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("npc_server.llm.models.model_folders", lambda folder: (folder,))
    for name in ("gemma-3-1b-it-Q4_K_M", "qwen2.5-coder-1.5b"):
        (tmp_path / f"{name}.gguf").write_bytes(random_model.read_bytes())
    settings = engine_settings(model="best", models_folder=tmp_path, threads=1)
    assert [it.path.stem for it in await measure_here(settings, tmp_path / "log")] == ["qwen2.5-coder-1.5b"]
    slow = settings.model_copy(update={"first_word_s": 1e-9})
    assert [it.path.stem for it in await measure_here(slow, tmp_path / "log")] == ["qwen2.5-coder-1.5b", "gemma-3-1b-it-Q4_K_M"]
