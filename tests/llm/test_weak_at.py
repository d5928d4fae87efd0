"""Which questions instinct answers better than a model."""

from __future__ import annotations

from pathlib import Path

from npc_server.llm import weak_at
from npc_server.llm.fitting_kinds import all_kinds


def file_of(folder: Path, name: str, megabytes: int) -> Path:
    path = folder / name
    with path.open("wb") as file:
        file.truncate(megabytes * 1_000_000)  # takes no room on the disk
    return path


def test_a_small_model_leaves_deeds_and_plans_to_instinct_and_a_larger_one_is_asked_everything(tmp_path: Path) -> None:
    small, large = file_of(tmp_path, "small.gguf", 900), file_of(tmp_path, "large.gguf", 2500)
    assert {"act", "plan_day", "plan_steps", "react", "talk_over"} <= weak_at.of_file(small)
    assert not weak_at.of_file(large)
    assert not weak_at.of_file(small) & {"say", "chat_after", "interview"}


def test_a_file_that_names_what_it_is_weak_at_decides_for_itself() -> None:
    of_its_size = frozenset({"react"})
    assert weak_at.of_loaded(of_its_size, None) == of_its_size
    assert weak_at.of_loaded(of_its_size, []) == frozenset()
    assert weak_at.of_loaded(of_its_size, ["act"]) == {"act"}


def test_the_catalogue_may_name_more_for_a_model(tmp_path: Path) -> None:
    path = file_of(tmp_path, "qwen2.5-coder-0.5b.gguf", 491)
    assert weak_at.of_file(path) == weak_at.of_file(file_of(tmp_path, "other.gguf", 491)) | {"chat_after"}


def test_only_questions_that_minds_ask_are_named(tmp_path: Path) -> None:
    kinds = all_kinds().kinds
    asked = {name for kind in kinds for name in kind.questions} | {kind.name for kind in kinds}
    assert weak_at.of_file(file_of(tmp_path, "small.gguf", 900)) <= asked
