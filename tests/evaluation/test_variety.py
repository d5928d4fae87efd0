from __future__ import annotations

from npc_server.evaluation.variety import new_activities
from npc_server.llm.embed import HashedWordsEmbedder


async def test_an_activity_is_new_when_it_is_like_none_before() -> None:
    days = [
        ["bake bread", "serve customers", "bake bread"],
        [],
        ["serve customers", "bake rye bread", "fish in the pond"],
        ["fish in the pond"],
    ]
    assert await new_activities(days, HashedWordsEmbedder()) == [2, 0, 2, 0]
    assert await new_activities(days, HashedWordsEmbedder(), similarity=0.7) == [2, 0, 1, 0]
