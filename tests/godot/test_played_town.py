"""The demo's game, played: a real Godot with keys and clicks, and the real server without a model."""

from __future__ import annotations

import json
import re

import pytest

from tests.godot.conftest import PROJECT, RunCase
from tests.godot.test_real_server import REAL, SERVER
from tests.in_the_box import EMBEDDER, needs_embedder

pytestmark = [pytest.mark.godot, pytest.mark.slow]


AS_INSTALLED = {
    "NPC_SERVER_COMMAND": SERVER,
    "NPC_SERVER_ENGINE__MODEL": "none",
    "NPC_SERVER_ENGINE__RERANKER": "none",
    "NPC_SERVER_ENGINE__MODELS_FOLDER": str(EMBEDDER.parent),
}
"""With the embedding model that comes with it. It finds other things important than words do."""


@pytest.mark.parametrize("env", [REAL, pytest.param(AS_INSTALLED, marks=needs_embedder)], ids=["words", "embedder"])
def test_player_walks_buys_is_seen_stealing_hears_of_it_undoes_it_by_a_load_and_goes_on(run_case: RunCase, env: dict[str, str]) -> None:
    ran = run_case("played_town", env=env)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["knowers"] >= 2


def test_player_does_an_errand_follows_a_rumour_whispers_and_comes_to_the_party(run_case: RunCase) -> None:
    ran = run_case("played_stories", env=REAL)
    assert ran.code == 0, ran.output
    assert "SCRIPT ERROR" not in ran.output, ran.output
    assert ran.result["guests"] >= 0


def test_prices_are_where_people_and_models_read_them() -> None:
    """The game reads the prices from the descriptions of offers, as a model does."""
    town = json.loads((PROJECT / "demo" / "towns" / "alderwick" / "town.json").read_text(encoding="utf-8"))
    priced = re.compile(r"\ban? ([a-z ]+?)(?: costs)? (\d+)\b")
    sellers = set()
    for person in town["people"]:
        for offer in person.get("offers", []):
            if offer["name"].startswith("sell_"):
                (options,) = [it["options"] for it in offer["parameters"] if it["type"] == "choice"]
                assert [ware for ware, _ in priced.findall(offer["description"])] == options, offer
            if offer["name"].startswith("sell_") or offer["name"] == "open_shop":
                assert priced.findall(offer["description"]), offer
                sellers.add(person["id"])
    assert sellers == {"bram_oakes", "odile_wetherby", "marcus_penhallow", "biddy_corrigan"}
