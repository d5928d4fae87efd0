from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from npc_server.cli.app import app
from npc_server.cli.bench import as_markdown

ROWS = {"model": "tiny", "rows": [{"requests": 4, "ratio": 1.23456}, {"requests": 16, "ratio": 12345.6}]}


def test_markdown_has_the_command_and_a_table(tmp_path: Path) -> None:
    file = tmp_path / "some.gguf"
    file.write_bytes(b"")
    assert as_markdown("engine", ROWS, str(file)).splitlines() == [
        "## `npc-server bench --only engine --model some.gguf`",
        "",
        "model tiny.",
        "",
        "| requests | ratio |",
        "|---|---|",
        "| 4 | 1.23 |",
        "| 16 | 12,346 |",
    ]
    assert as_markdown("frames", "not measured: no Godot") == "## `npc-server bench --only frames`\n\nnot measured: no Godot"


@pytest.mark.parametrize("wrong", ["", "0", "4,many", "65"])
def test_a_wrong_number_of_requests_is_refused_with_advice(wrong: str) -> None:
    done = CliRunner().invoke(app, ["bench", "--only", "engine", "--requests", wrong])
    assert done.exit_code != 0
    assert "--requests" in str(done.exception) + done.output


def test_no_model_is_said_and_not_measured() -> None:
    done = CliRunner().invoke(app, ["bench", "--only", "engine", "--model", "none"])
    assert "No model is configured" in done.output
    assert done.exit_code == 0
