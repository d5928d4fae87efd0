from __future__ import annotations

import asyncio
import time

from npc_eval.benchmarks.saves import saves, watched


def test_bench_measures_listing_opening_saving_loading_and_closing() -> None:
    found = saves(memories=60, town="millbrook")
    assert [it.what for it in found] == ["open unlisted", "list", "list again", "open", "save", "load", "close"]
    assert all(it.memories == 60 and it.seconds > 0 for it in found)
    assert [it.what for it in found if it.longest_ack_ms > 0] == ["save"]


async def test_work_that_holds_the_loop_up_shows_as_a_stall() -> None:
    async def busy() -> str:
        await asyncio.sleep(0.02)
        time.sleep(0.2)  # noqa: ASYNC251
        await asyncio.sleep(0.02)
        return "done"

    result, seconds, _, stall, ack = await watched(busy(), None)
    assert (result, ack) == ("done", 0)
    assert 150 <= stall <= 1000 * seconds
