from __future__ import annotations

from npc_eval.real_time import run
from npc_eval.stand_in import StandIn
from npc_server.config import load_settings
from npc_server.sandbox.towns import find_cast


async def test_a_town_by_the_wall_clock_counts_what_the_model_answered() -> None:
    settings = load_settings(None, engine={"embedding_model": "none", "model": "stand-in"})
    found = await run(settings, find_cast("millbrook", ["tobin_hale", "mara_voss"]), 0.4, 120, 7, StandIn())
    assert found.people == 2
    assert found.game_min == 24
    assert found.questions > 0
    assert found.by_model == 1
    assert not found.why_not


async def test_without_a_model_instinct_answers_everything_and_it_is_said_why() -> None:
    settings = load_settings(None, engine={"embedding_model": "none", "model": "none"})
    found = await run(settings, find_cast("millbrook", ["tobin_hale"]), 0.1, 60, 7)
    assert found.by_model == 0
    assert sum(found.why_not.values()) == found.questions
