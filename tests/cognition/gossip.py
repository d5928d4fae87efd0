"""A talk with news in it, for tests of conversations."""

from __future__ import annotations

from npc_server.mind.mind import Mind
from npc_server.records import Line, Memory, MemoryKind, MemorySource, Talk
from tests.minds import MORNING

SQUARE = "millbrook:lane:square"
PARTY = "Ines Calder gives a party at the Kettle Café on Tuesday 5 May from 17:00 to 19:00."


def talk(*lines: tuple[str, str], people: tuple[str, ...] = ("tobin_hale", "mara_voss")) -> Talk:
    spoken = tuple(Line(who, text, MORNING + 15 * i) for i, (who, text) in enumerate(lines))
    return Talk("tobin_hale+mara_voss@1", people, SQUARE, MORNING, spoken)


GOSSIP = talk(("tobin_hale", "Morning, Mara."), ("mara_voss", "Sit down, Tobin."), ("tobin_hale", PARTY))


async def knows(mind: Mind, text: str, importance: int = 5, **more: object) -> Memory:
    given = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.SEEN, "at": MORNING - 86_400, **more}
    return (await mind.remember([text], importance=[importance], **given))[0]  # type: ignore[arg-type]
