"""The file of what was measured here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from npc_server.llm.models import find_entry
from npc_server.llm.speed import Speed
from npc_server.llm.speed_file import FILE_NAME, MOST_KEPT, Setup, keep_speed, known_speed, measured
from npc_server.platform import machine
from tests.llm.conftest import engine_settings

SETUP = Setup("a processor x 8", 4, -1, "0.3.36 1")
FAST, SLOW = Speed(50.0, 5.0), Speed(5.0, 0.5)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "mine.gguf"
    path.write_bytes(bytes(1000))
    return path


def test_a_kept_speed_is_known_at_the_next_start(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "not there yet"
    assert known_speed(folder, model, SETUP) is None
    keep_speed(folder, model, 7_000_000, SETUP, SLOW)
    keep_speed(folder, model, 7_000_000, SETUP, FAST)
    assert known_speed(folder, model, SETUP) == FAST
    [found] = measured(folder, SETUP)
    assert (found.parameters_m, found.bytes) == (7.0, 1000)


@pytest.mark.parametrize(
    "other",
    [
        replace(SETUP, threads=2),
        replace(SETUP, processor="another processor x 8"),
        replace(SETUP, gpu_layers=0),
        replace(SETUP, build="0.3.36 2"),
    ],
)
def test_with_other_threads_processor_layers_or_build_it_is_measured_anew(model: Path, tmp_path: Path, other: Setup) -> None:
    keep_speed(tmp_path, model, 7_000_000, SETUP, FAST)
    assert known_speed(tmp_path, model, other) is None
    keep_speed(tmp_path, model, 7_000_000, other, SLOW)
    assert (known_speed(tmp_path, model, SETUP), known_speed(tmp_path, model, other)) == (FAST, SLOW)


def test_another_model_of_the_same_name_is_measured_anew(model: Path, tmp_path: Path) -> None:
    keep_speed(tmp_path, model, 7_000_000, SETUP, FAST)
    model.write_bytes(bytes(1001))
    assert known_speed(tmp_path, model, SETUP) is None


def test_parameters_of_a_model_of_the_catalogue_are_those_that_it_computes_with(tmp_path: Path) -> None:
    entry = find_entry("gemma-4-e2b")
    assert entry is not None
    (tmp_path / entry.file).write_bytes(b"x")
    keep_speed(tmp_path, tmp_path / entry.file, 5_100_000_000, SETUP, FAST)
    assert measured(tmp_path, SETUP)[0].parameters_m == entry.parameters_m


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"measured": 1}', '{"measured": [1, {}]}', '{"measured": [{"speed": {"read_per_s": 0, "written_per_s": 1}}]}']
)
def test_a_broken_file_counts_as_not_measured_and_is_written_anew(model: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    assert measured(tmp_path, SETUP) == ()
    keep_speed(tmp_path, model, 7_000_000, SETUP, FAST)
    assert known_speed(tmp_path, model, SETUP) == FAST


@pytest.mark.parametrize("rate", [0, -1, float("nan"), "fast", None])
def test_a_speed_that_cannot_be_is_not_believed(model: Path, tmp_path: Path, rate: object) -> None:
    keep_speed(tmp_path, model, 7_000_000, SETUP, FAST)
    found = json.loads((tmp_path / FILE_NAME).read_text())
    found["measured"][0]["speed"]["written_per_s"] = rate
    (tmp_path / FILE_NAME).write_text(json.dumps(found))
    assert measured(tmp_path, SETUP) == ()


def test_the_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    for number in range(MOST_KEPT + 3):
        path = tmp_path / f"{number}.gguf"
        path.write_bytes(b"x")
        keep_speed(tmp_path, path, 1, SETUP, FAST)
    found = measured(tmp_path, SETUP)
    assert [found[0].file, len(found)] == ["3.gguf", MOST_KEPT]


def test_where_the_file_cannot_be_written_nothing_fails(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    keep_speed(tmp_path / "file", model, 7_000_000, SETUP, FAST)
    assert measured(tmp_path / "file", SETUP) == ()


def test_the_setup_is_that_of_this_machine_and_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Setup.of(engine_settings(threads=3, n_gpu_layers=0))
    assert (here.threads, here.gpu_layers) == (3, 0)
    assert here.processor.rpartition(" x ")[2].isdecimal()
    assert here.build.split()[0][0].isdecimal()
    monkeypatch.setattr(machine, "processor", lambda: "another x 2")
    assert Setup.of(engine_settings(threads=3, n_gpu_layers=0)) != here
