"""`npc-server eval`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from npc_eval.commands.evaluate import app
from npc_eval.random_model import make_random_model
from npc_server.errors import BadInput, FileProblem, ModelMissing

CASE = {"kind": "react", "npc": "Mara Voss", "doing": "reading", "observation": "A leaf is falling", "expect": "continue"}


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    monkeypatch.setenv("NPC_SERVER_ENGINE__THREADS", "1")
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["model", *words], catch_exceptions=False, env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    return result.stdout


def file(folder: Path, *cases: object) -> str:
    path = folder / "mine.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    return str(path)


def test_instinct_alone_is_the_line_to_be_above() -> None:
    shown = run("none", "--kinds", "react,recall", "--limit", "3")
    rows = {line.split()[0]: line for line in shown.splitlines() if line.strip()}
    assert {"question", "recall", "react", "knows"} <= rows.keys()
    assert "0.90" in rows["react"]
    assert "place" not in rows
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_cases_of_ones_own_and_json(tmp_path: Path) -> None:
    made = json.loads(run("none", "--cases", file(tmp_path, CASE), "--json"))
    assert made["kinds"]["react"]["n"] == 1
    assert made["kinds"]["react"]["score"] == 1.0
    assert made["kinds"]["react"]["cases"][0]["reply"] == "continue"


def test_several_models_stand_side_by_side_and_json_is_a_list(tmp_path: Path) -> None:
    cases = file(tmp_path, CASE)
    shown = run("none", "none", "--cases", cases)
    assert ["question", "goal", "none", "none"] in [line.split() for line in shown.splitlines()]
    assert len(json.loads(run("none", "none", "--cases", cases, "--json"))) == 2


def test_what_cannot_be_asked_is_said_before_anything_is(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"mine.jsonl:2: There is no kind 'reakt'. Did you mean 'react'\?"):
        run("none", "--cases", file(tmp_path, CASE, {"kind": "reakt"}))
    with pytest.raises(BadInput, match=r"There is no kind 'sya'. Did you mean 'say'\?"):
        run("none", "--kinds", "sya")
    with pytest.raises(BadInput, match="There are no cases of say"):
        run("none", "--kinds", "say", "--cases", file(tmp_path, CASE))
    with pytest.raises(ModelMissing, match="no model file"):
        run("none", "nowhere.gguf")
    with pytest.raises(FileProblem, match="has no cases"):
        run("none", "--cases", file(tmp_path))


@pytest.mark.model
def test_a_gguf_file_from_end_to_end(tmp_path: Path) -> None:
    model = str(make_random_model(tmp_path / "random.gguf"))
    made = json.loads(run(model, "--cases", file(tmp_path, CASE), "--json"))
    assert made["kinds"].keys() == {"react", "parse"}
    assert made["kinds"]["react"]["cases"][0]["reply"] in ("continue", "wait", "change")
    assert made["speed"]["decode"] > 0
    assert made["parameters_m"] > 0.1
    shown = run(model, "--cases", file(tmp_path, CASE))
    assert "tokens/s" in shown
    assert "Loaded in" in shown
    assert "react" in run(model, "none", "--cases", file(tmp_path, CASE), "--no-grammar")


def test_costs_are_printed_as_ratios_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    done = CliRunner().invoke(app, ["cost", "--scenes", "3 people", "--variants", "all", "--days", "0.3", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["scenes"]["3 people"]
    assert found["baseline"]["percent"] == 100
    assert 0 < found["all"]["percent"] < 60
    assert found["all"]["aga_percent"] == 31.1


@pytest.mark.parametrize(("option", "value"), [("--scenes", "5 people"), ("--variants", "nothing")])
def test_what_is_not_there_is_named_with_the_choices(option: str, value: str) -> None:
    with pytest.raises(BadInput, match=value):
        CliRunner().invoke(app, ["cost", option, value], catch_exceptions=False)


def test_a_town_by_the_wall_clock_is_printed_as_json_and_as_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    words = ["town", "none", "--town", "millbrook", "--hours", "0.05"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["people"] == 3
    shown = CliRunner().invoke(app, words)
    assert "by the model" in shown.stdout


def test_variety_is_counted_with_and_without_wandering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPC_SERVER_ENGINE__EMBEDDING_MODEL", "none")
    done = CliRunner().invoke(app, ["variety", "--days", "2", "--json"])
    assert done.exit_code == 0, done.output
    on, off = json.loads(done.stdout)["runs"]
    assert (on["wandering"], off["wandering"]) == (True, False)
    assert sum(on["new"][1:]) > sum(off["new"][1:])
