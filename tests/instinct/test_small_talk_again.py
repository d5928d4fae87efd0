"""How people talk with each other without a model when they meet again, take leave, answer news, and are invited."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npc_server.instinct import news, phrases, small_talk
from npc_server.mind.mind import Mind
from npc_server.records import Line, MemoryKind, MemorySource, Social
from tests.instinct.talking import VOICE, knows, mind, said, talk
from tests.minds import MORNING

__all__ = ["mind"]
PARTY = "I want to give a party at the village green on Tuesday 5 May from 18:00 to 20:00"


async def test_who_has_talked_today_is_not_greeted_again_and_the_talk_is_shorter(mind: Mind) -> None:
    first = said(mind, replace(talk(), again=True))
    assert (first.text, first.leaves) == ("The plums are early.", False)
    second = said(mind, replace(talk(("mara_voss", first.text), ("tobin_hale", "Early, yes.")), again=True))
    assert (second.text, second.leaves) == ("Mind yourself.", True)


async def test_who_joins_a_talk_does_not_begin_it_anew(mind: Mind) -> None:
    joined = replace(talk(("tobin_hale", "Hello."), ("ines_calder", "Good day.")), people=("tobin_hale", "ines_calder", "mara_voss"))
    mind.people.names = {**mind.people.names, "ines_calder": "Ines Calder"}
    assert said(mind, joined).text not in VOICE.greetings


async def test_a_player_is_greeted_however_often_they_come(mind: Mind) -> None:
    line = small_talk.say(mind, replace(talk(("Alex", "Hello.")), people=("mara_voss", "Alex"), again=True), MORNING, frozenset())
    assert line.text == "Morning, love."


async def test_news_is_answered_before_the_farewell(mind: Mind) -> None:
    lines = (
        ("mara_voss", "Morning, love."),
        ("tobin_hale", "Hello."),
        ("mara_voss", "The plums are early."),
        ("tobin_hale", "The mill burns."),
    )
    line = said(mind, talk(*lines, claims=("The mill burns",)))
    assert line.leaves
    assert line.text in {f"{surprise} Mind yourself." for surprise in phrases.lines("surprise")}


@pytest.mark.parametrize(("leaves", "text"), [(True, "Off with you."), (False, "Come where I can see you.")])
async def test_whether_instinct_takes_leave_is_known_and_not_read_in_its_words(mind: Mind, leaves: bool, text: str) -> None:
    heard = talk(("tobin_hale", text), claims=())
    heard = replace(heard, lines=(replace(heard.lines[0], leaves=leaves),))
    assert said(mind, heard).leaves is leaves
    assert said(mind, talk(("tobin_hale", "See you."))).leaves, "a model's words are read"


async def test_a_line_comes_again_when_all_others_have_been_said_since(mind: Mind) -> None:
    mind.persona = replace(mind.persona, voice=replace(VOICE, smalltalk=("The plums are early.", "The oven sulks.", "Rain tonight.")))
    opened = [replace(talk(("mara_voss", "a"), ("tobin_hale", "b")), id=f"t{i}") for i in range(9)]
    heard = []
    for again in opened:
        heard.append(said(mind, again).text)
        mind.talks.said_lately.note(Line(mind.npc, heard[-1], MORNING, ()))
    assert len(set(heard[:3])) == 3
    assert heard == heard[:3] * 3


@pytest.mark.parametrize(("closeness", "bank"), [(8, "accepts"), (1, "declines")])
async def test_an_invitation_of_another_character_is_answered(mind: Mind, closeness: int, bank: str) -> None:
    mind.relationships.social["tobin_hale"] = Social("mara_voss", "tobin_hale", "friend", "", "", closeness, 0, 0)
    lines = (("tobin_hale", "Hello."), ("mara_voss", "Morning, love."), ("tobin_hale", f"Listen: {PARTY}"))
    line = said(mind, talk(*lines, claims=(f'Tobin Hale says: "{PARTY}"',)))
    assert (line.text in phrases.lines(bank), line.agreed) == (True, None)
    passed_on = said(mind, talk(*lines, claims=(f'Ines Calder says: "{PARTY}"',)))
    assert not {*phrases.lines("accepts"), *phrases.lines("declines")} & {passed_on.text}, "who passes it on invites nobody"


async def test_what_two_people_have_told_is_no_longer_passed_on(mind: Mind) -> None:
    told = {"kind": MemoryKind.CONVERSATION, "source": MemorySource.TOLD}
    first = await knows(mind, "The mayor resigns", 9, source_person="ines_calder", **told)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) == first
    await knows(mind, "The mayor resigns.", 9, source_person="orla_finch", **told)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) is None
    own = await knows(mind, PARTY, 8, kind=MemoryKind.INTENTION, source=MemorySource.THOUGHT)
    for person in ("ines_calder", "orla_finch"):
        await knows(mind, f'Mara Voss says: "{PARTY}"', 8, source_person=person, **told)
    assert news.news(mind, ["tobin_hale"], MORNING, frozenset()) == own, "one's own plan is told to all"
