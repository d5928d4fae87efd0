"""People of a save that begins late in the day have lived the day until then, and are where their routine has them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from npc_server.clock import HOUR, MINUTE, parse_datetime
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.today import today_so_far
from npc_server.records import Document, Memory, MemoryKind, MemoryTopic
from npc_server.session.game_files import GameFiles
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.session.conftest import Game, document, personas, town

MakeHost = Callable[..., Host]
MARA, TOBIN, INES = "mara_voss", "tobin_hale", "ines_calder"


async def begun(host: Host, at: str, people: list[Document] | None = None) -> Session:
    await host.create_save("one", town(), people or personas(), seed=7, start=parse_datetime(at))
    return await host.open_save("one")


def deeds(session: Session, npc: str) -> list[Memory]:
    found = session.memories(npc, (MemoryKind.OBSERVATION,), 0, 100)
    return [memory for memory in reversed(found) if memory.topic is MemoryTopic.OWN_DEEDS]


async def test_a_save_that_begins_at_ten_has_people_at_work_with_a_morning_behind_them(make_host: MakeHost) -> None:
    session = await begun(make_host(), "2026-05-04 10:07")
    assert session.mind(MARA).address == "millbrook:cafe:kitchen:sink"
    assert session.mind(TOBIN).address.startswith("millbrook:workshop:work_floor")
    assert [memory.text.partition(":")[0] for memory in deeds(session, MARA)] == ["Mara, 06", "Mara, 07", "Mara, 08", "Mara, 09"]
    assert "baking the first loaves" in deeds(session, MARA)[0].text
    assert all(memory.created <= session.now and memory.importance == 2 for memory in deeds(session, MARA))
    told = today_so_far(session.agent(MARA).mind, session.now)
    assert len(told) == 5
    assert "washing the dishes" in told[-1]
    assert "-now" in told[-1]
    assert "could not" not in " ".join(told)
    assert "did not" not in " ".join(told)


async def test_the_morning_before_a_save_asks_no_model(make_host: MakeHost) -> None:
    def answer(request: Request) -> str:
        raise AssertionError(f"the model was asked {request.stage}")

    session = await begun(make_host(ScriptedEngine(answer)), "2026-05-04 10:07")
    assert deeds(session, MARA)


async def test_who_is_not_up_yet_is_at_home_and_has_done_nothing(make_host: MakeHost) -> None:
    session = await begun(make_host(), "2026-05-04 06:00")
    assert session.mind(TOBIN).address == "millbrook:tobin_house:bedroom:bed"
    assert not deeds(session, TOBIN)
    assert not today_so_far(session.agent(TOBIN).mind, session.now)


async def test_a_save_that_begins_at_night_tells_of_the_day_that_is_over_only_before_midnight(make_host: MakeHost) -> None:
    late = await begun(make_host(), "2026-05-04 22:30")
    assert late.mind(MARA).address == "millbrook:mara_house:bedroom:bed"
    assert "lying down" in deeds(late, MARA)[-1].text
    await late.close(save=False)
    host = make_host()
    await host.delete_save("one")
    before_dawn = await begun(host, "2026-05-05 03:00")
    assert not deeds(before_dawn, MARA)


async def test_the_first_thought_goes_on_where_the_morning_ended(make_host: MakeHost) -> None:
    session = await begun(make_host(), "2026-05-04 10:07")
    game = Game(session)
    await game.tick(session.now + 1)
    now = session.now + HOUR
    for at in range(session.now + 5 * MINUTE, now, 5 * MINUTE):
        await game.tick(at)
    texts = [memory.text for memory in deeds(session, MARA)]
    assert len({text.partition("-")[0] for text in texts}) == len(texts), "no hour is told twice"
    assert "10:05-10:17 at the kitchen in the Kettle Café: washing the dishes. 10:22" in texts[-1]


async def test_what_is_lived_before_play_is_in_the_save_once(make_host: MakeHost) -> None:
    session = await begun(make_host(), "2026-05-04 10:07")
    first = [memory.text for memory in deeds(session, MARA)]
    await session.close(save=True)
    again = await make_host().open_save("one")
    assert [memory.text for memory in deeds(again, MARA)] == first
    assert len(today_so_far(again.agent(MARA).mind, again.now)) == 5


async def test_a_person_who_joins_at_noon_has_lived_the_morning_too(make_host: MakeHost) -> None:
    session = await begun(make_host(), "2026-05-04 11:55", [document("personas/tobin_hale.yaml")])
    await session.apply_files(GameFiles(personas=tuple(personas())))
    assert session.mind(MARA).address.startswith("millbrook:cafe")
    assert len(deeds(session, MARA)) == 5
    game = Game(session)
    await asyncio.wait_for(game.tick(session.now + 1), 60)
    assert len(deeds(session, MARA)) == 5
