"""Who was told what, so that nobody tells it twice."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.records import MemoryKind, MemorySource
from npc_server.session.host import Host
from tests.session.test_talks import stage

MakeHost = Callable[..., Host]


async def test_nobody_is_told_the_same_twice(make_host: MakeHost) -> None:
    on = await stage(make_host())
    mara = on.agents["mara_voss"]
    await mara.mind.remember(["The old mill is burning"], kind=MemoryKind.OBSERVATION, at=on.now, importance=[8], source=MemorySource.SEEN)
    first = await on.hold("mara_voss", "tobin_hale")
    second = await on.hold("mara_voss", "tobin_hale")
    assert first is not None
    assert second is not None
    assert [any("mill" in line.text for line in talk.lines) for talk in (first, second)] == [True, False]


async def test_who_stood_by_is_not_told_what_was_told_there(make_host: MakeHost) -> None:
    on = await stage(make_host())
    mara = on.agents["mara_voss"]
    made = await mara.mind.remember(
        ["The old mill is burning"], kind=MemoryKind.OBSERVATION, at=on.now, importance=[8], source=MemorySource.SEEN
    )
    assert await on.hold("mara_voss", "tobin_hale") is not None
    assert ("ines_calder", made[0].id) in mara.doing.told
    then = await on.hold("mara_voss", "ines_calder")
    assert then is not None
    assert not any("mill" in line.text for line in then.lines)
