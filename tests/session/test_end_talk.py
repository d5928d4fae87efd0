"""Players who walk off while they talk to somebody."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.clock import MINUTE
from npc_server.session.host import Host
from tests.session.test_dialogue import MARA, play, silent, texts

MakeHost = Callable[..., Host]


async def test_a_player_who_walks_off_leaves_her_free_and_begins_another_talk_later(make_host: MakeHost) -> None:
    game = await play(make_host())
    session = game.session
    await session.say(MARA, "Ada", "Hello, Mara.", silent)
    assert session.agent(MARA).is_talking(session.now)
    assert not await session.end_talk(MARA, "Bob")
    assert session.agent(MARA).is_talking(session.now)
    assert await session.end_talk(MARA, "Ada")
    assert not session.agent(MARA).is_talking(session.now)
    assert not await session.end_talk(MARA, "Ada")
    assert any("Hello, Mara." in text for text in texts(session)), "she forgot what was said"
    first = session.mind(MARA).action
    await game.tick(session.now + MINUTE)
    assert session.mind(MARA).action != first, "she does not go on with her day"
