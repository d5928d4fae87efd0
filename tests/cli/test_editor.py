"""`npc-server editor`, which answers Godot's editor in JSON."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import npc_server
from npc_server.cli.editor import app
from tests.cli.test_save import ENVIRONMENT, save
from tests.session.conftest import settings

__all__ = ["save", "settings"]
TOWN = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"


def test_index_is_json_that_no_console_changes(tmp_path: Path) -> None:
    (tmp_path / "zoe.yaml").write_text('name: "Zoë \\u202e"\n', encoding="utf-8")
    result = CliRunner().invoke(app, ["index", "--town", str(TOWN / "town.yaml"), "--personas", str(tmp_path)])
    assert result.exit_code == 0
    assert result.output.isascii()
    found = json.loads(result.output)
    assert found["town"]["id"] == "millbrook"
    assert [person["id"] for person in found["people"]] == ["zoe"]


def test_town_of_nodes_prints_a_file_and_writes_none(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.json"
    nodes.write_text(json.dumps({"places": [{"address": "bay:pier", "rect": [1, 1, 4, 4], "open": True}]}), encoding="utf-8")
    found = json.loads(CliRunner().invoke(app, ["town-of-nodes", str(nodes)]).output)
    assert "id: pier" in found["text"]
    assert found["problems"] == []
    assert [file.name for file in tmp_path.iterdir()] == ["nodes.json"]


def test_mistakes_of_the_town_that_would_be_written_are_told(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.json"
    places = [{"address": f"bay:{name}", "rect": [1, 1, 4, 4], "open": True} for name in ("pier", "quay")]
    nodes.write_text(json.dumps({"places": places}), encoding="utf-8")
    (problem,) = json.loads(CliRunner().invoke(app, ["town-of-nodes", str(nodes)]).output)["problems"]
    assert "overlap" in problem["what"]


def test_memories_of_a_save_are_listed_the_newest_first(save: Path) -> None:
    result = CliRunner().invoke(app, ["memories", str(save), "Mara"], env=ENVIRONMENT)
    assert result.exit_code == 0, result.output
    assert result.output.isascii()
    found = json.loads(result.output)
    assert found["person"] == "mara_voss"
    assert {"id": "tobin_hale", "name": "Tobin Hale"} in found["people"]
    numbers = [memory["id"] for memory in found["memories"]]
    assert numbers == sorted(numbers, reverse=True)
    assert any("Bello" in memory["text"] for memory in found["memories"])
    assert {"at", "importance", "kind", "source", "key", "doubt"} <= set(found["memories"][0])
    few = json.loads(CliRunner().invoke(app, ["memories", str(save), "--count", "1"], env=ENVIRONMENT).output)
    assert len(few["memories"]) == 1
    assert few["person"] == few["people"][0]["id"]


def test_a_person_is_printed_with_what_a_form_holds_and_nothing_is_written(tmp_path: Path) -> None:
    file, form = tmp_path / "ada.yaml", tmp_path / "form.json"
    offers = [{"name": "sell", "description": "sell bread"}]
    form.write_text(json.dumps({"text": "name: Ada\n", "values": {"age": 40, "offers": offers}}), encoding="utf-8")
    result = CliRunner().invoke(app, ["person", str(file), "--form", str(form), "--town", str(TOWN / "town.yaml")])
    found = json.loads(result.output)
    assert found["text"] == "name: Ada\nage: 40\noffers:\n  - name: sell\n    description: sell bread\n"
    assert [it["what"] for it in found["problems"]] == ["Key 'identity' is missing.", "Key 'home' is missing."]
    assert found["values"]["offers"][0]["name"] == "sell"
    assert not file.exists()
    file.write_text(found["text"], encoding="utf-8")
    again = json.loads(CliRunner().invoke(app, ["person", str(file)]).output)
    assert (again["text"], again["values"]) == (found["text"], found["values"])
