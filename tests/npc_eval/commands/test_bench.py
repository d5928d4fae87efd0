from __future__ import annotations

import pytest
from typer.testing import CliRunner

from npc_eval.benchmarks.parts import Wanted
from npc_eval.commands import bench as bench_command
from npc_eval.commands.bench import as_markdown
from npc_server.cli.app import app

ROWS = {"model": "tiny", "rows": [{"requests": 4, "ratio": 1.23456}, {"requests": 16, "ratio": 12345.6}]}


def test_markdown_has_the_command_and_a_table() -> None:
    assert as_markdown("engine", ROWS, " --model some.gguf").splitlines() == [
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


def test_the_command_in_markdown_measures_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Wanted] = []

    def measured(part: str, wanted: Wanted) -> str:
        asked.append(wanted)
        return "not measured: a test"

    monkeypatch.setattr(bench_command, "measure_part", measured)
    options = ["--only", "engine", "--model", "http://localhost:1/v1", "--requests", "2,8", "--sharing", "most", "--repeats", "3"]
    done = CliRunner().invoke(app, ["bench", *options, "--markdown"])
    assert (asked[0].requests, asked[0].sharings, asked[0].repeats) == ((2, 8), ("most",), 3)
    assert "`npc-server bench " + " ".join(options) + "`" in done.output
    assert "not measured: a test" in done.output
