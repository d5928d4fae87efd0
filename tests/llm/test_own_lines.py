"""How much a model's own lines weigh."""

from __future__ import annotations

from pathlib import Path

from npc_server.llm import own_lines


def test_a_measured_model_is_known_by_its_name_and_others_by_their_size(tmp_path: Path) -> None:
    small, large = tmp_path / "small.gguf", tmp_path / "large.gguf"
    for path, size in ((small, 450_000_000), (large, 2_500_000_000)):
        with path.open("wb") as file:
            file.truncate(size)  # takes no room on the disk
    assert own_lines.of_file(small) < own_lines.of_file(large)
    assert own_lines.of_file(tmp_path / "qwen2.5-coder-1.5b.gguf") == 0.67  # as the catalogue has it
    assert own_lines.of_file(tmp_path / "gone.gguf") == 0.2


def test_whoever_plays_is_told_of_a_model_that_is_no_step_up() -> None:
    assert own_lines.caveat("tiny", 0.21) == "tiny is taken to make less sense than memory and the bank do, so these speak first."
    assert own_lines.caveat("large", 0.8) == ""
