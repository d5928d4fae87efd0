"""Talks between NPCs that go on for long (Affordable Generative Agents, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.session.host import Host
from tests.session.test_talks import says, script, stage

MakeHost = Callable[..., Host]


async def test_in_a_long_talk_each_sums_up_what_the_other_is_before_its_next_line(make_host: MakeHost) -> None:
    words = "bread wool rain cats ships gold moss bells".split()  # noqa: SIM905
    engine = script([says(f"Let us speak about {word}") for word in words])
    on = await stage(make_host(engine))
    for agent in on.agents.values():
        agent.mind.settings = agent.mind.settings.model_copy(update={"social_memory_lines": 4})
    assert await on.hold("mara_voss", "tobin_hale") is not None
    order = [(request.stage, request.npc) for request in engine.requests if request.stage in ("say", "talk_over")]
    mara, tobin = "mara_voss", "tobin_hale"
    said = [("say", mara), ("say", tobin)]
    revised = [("talk_over", mara), ("say", mara), ("talk_over", tobin), ("say", tobin)]
    goodbye = [("say", mara)]  # with a model and no player near it is not answered
    assert order == [*said, *said, *revised, *goodbye, ("talk_over", mara), ("talk_over", tobin)]
