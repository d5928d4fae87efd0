"""The panel of a running game: a real Godot, a real server without a model, and the keyboard."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from npc_eval.benchmarks.panel import bench_panel
from tests.godot.conftest import PROJECT, RunCase

pytestmark = pytest.mark.godot
SERVER = str(Path(sys.executable).parent / "npc-server")
NO_MODEL = {"NPC_SERVER_ENGINE__MODEL": "none", "NPC_SERVER_ENGINE__EMBEDDING_MODEL": "none"}
REAL = {"NPC_SERVER_COMMAND": SERVER, **NO_MODEL}
PAGES = ["closed", "Everybody", "Mind", "Memories", "Recall", "Relations", "Reflections", "Questions"]
MOST = 50
"""Memories of one page."""


def test_a_key_opens_the_panel_and_each_page_shows_what_goes_on(run_case: RunCase) -> None:
    ran = run_case("panel", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    found = ran.result
    assert found["errors"] == []
    assert found["closed_at_first"]
    assert {npc for npc, _, _ in found["everybody"]} == {"ines_calder", "mara_voss", "tobin_hale"}
    assert any("because: " in why and "decided by instinct" in why for _, _, why in found["everybody"])
    assert any(note.startswith(("now", "done")) for _, note in found["plan"]), "the plan does not tell what became of it"
    assert found["came"], "a memory that was made while somebody looked did not appear"
    assert found["chosen_by_key"] == 1, "the arrow keys do not move the choice"
    text, parts = found["recalled"][0]
    assert "red balloon" in text
    assert len(parts) == 3
    assert parts[2] == 1.0, "the memory in the question's own words is not the most relevant"
    assert {"mara_voss", "tobin_hale", "ines_calder"} <= set(found["relations"])
    assert any(title.startswith("say:") for title, _ in found["questions"])
    assert any("No model is installed. Get one: npc-server setup" in note for _, note in found["questions"])
    assert found["asked_while_closed"] == 0


def test_no_name_covers_another_in_the_graph_of_relationships(run_case: RunCase) -> None:
    ran = run_case("graph", "--no-server")
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["named"][0] == ran.result["people"], "somebody in the circle has no name"
    assert min(ran.result["named"][:4]) > 15


def test_a_release_has_no_panel_unless_a_setting_allows_it(run_case: RunCase) -> None:
    ran = run_case("panel_allowed", "--no-server")
    assert ran.code == 0, ran.output
    assert ran.result == {"allowed": [True, False, True], "keys": [True, False]}


@pytest.mark.parametrize("transport", ["socket"], indirect=True)
def test_with_25_people_and_many_memories_answers_stay_small(godot: str, transport: str) -> None:
    """How long it takes is no part of the test: `npc-server bench --only panel` measures it with 20,000 memories each."""
    found = bench_panel(Path(godot), PROJECT, each=400, frames=60, hour=0)
    assert (found.people, [row.page for row in found.rows]) == (25, PAGES)
    assert found.memories >= 25 * 400
    for row in found.rows:
        assert row.most_memories <= MOST, f"{row.page} gets {row.most_memories} memories at once"
    assert found.rows[0].calls == 0, "a closed panel asks"
    assert next(row for row in found.rows if row.page == "Memories").most_memories == MOST
