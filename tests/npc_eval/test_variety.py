from __future__ import annotations

from npc_eval.stand_in import StandIn
from npc_eval.variety import new_activities, run
from npc_server.config import load_settings
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.sandbox.towns import find_cast


async def test_an_activity_is_new_when_it_is_like_none_before() -> None:
    days = [
        ["bake bread", "serve customers", "bake bread"],
        [],
        ["serve customers", "bake rye bread", "fish in the pond"],
        ["fish in the pond"],
    ]
    assert await new_activities(days, HashedWordsEmbedder()) == [2, 0, 2, 0]
    assert await new_activities(days, HashedWordsEmbedder(), similarity=0.7) == [2, 0, 1, 0]


async def test_minds_that_wander_find_more_to_do_from_day_to_day() -> None:
    settings = load_settings(None, engine={"embedding_model": "none", "model": "none"})
    cast = find_cast("millbrook", ["tobin_hale"])
    found = {on: await run(settings, cast, 2, 1, StandIn(), wandering=on) for on in (True, False)}
    assert found[True].after_the_first_day > found[False].after_the_first_day
    assert len(found[True].new) == len(found[True].planned) == 2
    assert found[True].planned[0] > 5
