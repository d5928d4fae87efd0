"""A deed that somebody saw is told on, and the game's news sheet can read who told whom."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.json_format import MessageToDict

from npc_server.clock import MINUTE
from npc_server.records import Memory, MemoryKind, MemorySource, Perception, PerceptionKind, PlayerPresence, Speech
from npc_server.session.host import Host
from npc_server.wire import convert_minds
from tests.godot.conftest import PROJECT
from tests.session.test_talks import SQUARE, Stage, stage

MakeHost = Callable[..., Host]
MARA, TOBIN, INES = "mara_voss", "tobin_hale", "ines_calder"
DEED = "Robin steals a rye loaf from Ines's bread shelf"
NEWS = (PROJECT / "demo" / "play" / "news.gd").read_text(encoding="utf-8")


async def a_theft_is_told(on: Stage) -> None:
    """Mara sees it and tells Tobin; Ines stands by and hears it."""
    seen = Perception(MARA, PerceptionKind.EVENT, "Robin", DEED.removeprefix("Robin "), SQUARE, 3.0, on.now, player=PlayerPresence.GONE)
    await on.game.tick(on.now, seen)
    on.now = on.game.session.now + 30 * MINUTE
    for _ in range(2):  # the second time there is nothing left to tell
        await on.hold(MARA, TOBIN)
    lines = [it for it in on.spoken if isinstance(it, Speech) and it.npc == MARA]
    heard = [Perception(INES, PerceptionKind.SPEECH, MARA, line.text, SQUARE, 3.0, on.now) for line in lines]
    await on.game.tick(on.now + MINUTE, *heard)


def as_the_game_gets_them(memories: Iterable[Memory]) -> list[dict[str, Any]]:
    return [MessageToDict(convert_minds.memory_to_wire(it), preserving_proto_field_name=True) for it in memories]


def kinds_of_the_sheet() -> tuple[MemoryKind, ...]:
    """The kinds of memories that `news.gd` asks for."""
    listed = re.search(r"const KINDS[^=]*= (\[.*?\])", NEWS, re.DOTALL)
    assert listed is not None
    return tuple(MemoryKind(name.removeprefix("MEMORY_KIND_").lower()) for name in json.loads(listed[1]))


async def test_who_sees_a_theft_tells_it_once_to_whom_they_meet_and_who_stands_by_hears_it(make_host: MakeHost) -> None:
    on = await stage(make_host())
    await a_theft_is_told(on)
    said = [it.text for it in on.spoken if isinstance(it, Speech) and "rye loaf" in it.text]
    assert len(said) == 1
    assert (DEED, MARA) in on.told(TOBIN)
    (heard,) = [it for it in on.agents[INES].mind.stream.latest(20) if it.source is MemorySource.HEARD and "rye loaf" in it.text]
    assert (heard.predicate, heard.object.rstrip("."), heard.source_person) == ("told", DEED, MARA)


async def test_the_news_sheet_is_given_what_was_told_and_what_was_overheard(make_host: MakeHost) -> None:
    on = await stage(make_host())
    await a_theft_is_told(on)
    sources = {}
    for npc in on.agents:
        found = as_the_game_gets_them(on.game.session.memories(npc, kinds_of_the_sheet(), 0, 500))
        sources[npc] = {it["source"] for it in found if "rye loaf" in it["text"] and it.get("topic") != "MEMORY_TOPIC_TALKED"}
    assert sources == {MARA: {"MEMORY_SOURCE_SEEN"}, TOBIN: {"MEMORY_SOURCE_TOLD"}, INES: {"MEMORY_SOURCE_HEARD"}}


async def test_whoever_heard_of_it_says_from_whom_to_the_one_who_did_it_and_to_nobody_else(make_host: MakeHost) -> None:
    on = await stage(make_host())
    await a_theft_is_told(on)
    spoken = await on.game.session.say(TOBIN, "Robin", "What do people say about me?", lambda text: None)
    assert spoken.text == "I have that from Mara: You steal a rye loaf from Ines's bread shelf."
    overheard = await on.game.session.say(INES, "Robin", "What have you heard about me?", lambda text: None)
    assert overheard.text == "I have that from Mara: You steal a rye loaf from my bread shelf."
    assert "loaf" not in (await on.game.session.say(TOBIN, "Ada", "What do people say about me?", lambda text: None)).text
