"""What a line of a player or of an NPC leads to: who is a stranger, what comes to mind, and what is agreed to aloud."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from npc_server.clock import HOUR, hhmm
from npc_server.english.text import PROMISED
from npc_server.llm.engine import Vectors
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments, promises
from npc_server.mind.instinct import Invitation
from npc_server.records import Source
from npc_server.session.host import Host
from tests.session.test_dialogue import MARA, answering, play, silent, texts
from tests.session.test_talks import says, script, stage

MakeHost = Callable[..., Host]


async def test_a_player_that_was_never_met_is_a_stranger_for_the_whole_first_talk(make_host: MakeHost) -> None:
    engine = answering(say="say: Hm.\nthen: go on")
    session = (await play(make_host(engine))).session
    for line in ("Good morning.", "I am new here."):
        await session.say(MARA, "Ada", line, silent)
    asked = [request.user for request in engine.requests if request.stage == "say"]
    assert all("- Ada: stranger, closeness 0 of 10." in user and "You have never met Ada before." in user for user in asked)


async def test_what_a_player_says_does_not_come_to_mind_while_it_is_answered(make_host: MakeHost) -> None:
    engine = answering(say="say: Hm.\nthen: go on")
    session = (await play(make_host(engine))).session
    for line in ("The mill is sold.", "What do you think of the mill?"):
        await session.say(MARA, "Ada", line, silent)
    last = [request.user for request in engine.requests if request.stage == "say"][-1]
    assert last.count("The mill is sold.") == last.count("What do you think of the mill?") == 1


async def test_before_the_first_word_a_player_waits_for_one_question_and_one_embedding(make_host: MakeHost) -> None:
    engine = answering(say="agrees: no\nsay: It is dear.\nthen: go on")
    session = (await play(make_host(engine))).session
    mind, asked, embedded = session.agent(MARA).mind, list[str](), list[int]()
    embed = mind.tools.embedder.embed

    async def counted(texts: Sequence[str]) -> Vectors:
        embedded.append(len(texts))
        return await embed(texts)

    def first_word(_: str) -> None:
        if not asked:
            asked.extend(request.stage for request in engine.requests[before:])
            asked.append(f"{len(embedded)} embedded")

    before = len(engine.requests)
    mind.tools.embedder.embed = counted  # type: ignore[method-assign]
    await session.say(MARA, "Ada", "My uncle has bought the old mill and wants to tear it down. What do you say?", first_word)
    assert asked == ["say", "1 embedded"]
    assert [request.stage for request in engine.requests[before:]] == ["say"], "the model rates both lines in a later thought"
    assert len(mind.reflecting.unrated) == 2


async def test_who_agrees_to_a_players_wish_goes_and_knows_it_as_an_own_promise(make_host: MakeHost) -> None:
    agrees = "agrees: yes, tomorrow 09:00 at the village green to help Ada with the tables\n"
    engine = answering(say=f"{agrees}say: With pleasure.\nthen: go on")
    session = (await play(make_host(engine))).session
    await session.say(MARA, "Ada", "Will you help me with the tables on the green tomorrow at nine?", silent)
    mind = session.agent(MARA).mind
    (kept,) = appointments.coming(mind, session.now)
    assert (kept.address, hhmm(kept.start), kept.text) == ("millbrook:green", "08:50", "help Ada with the tables")
    promise = "Mara promised Ada to help Ada with the tables at the village green, on Tuesday 5 May at 09:00."
    assert promise in texts(session)
    await session.say(MARA, "Ada", "Thank you.", silent)
    assert f"What you promised:\n- (just now) {promise}" in [r.user for r in engine.requests if r.stage == "say"][-1]


@pytest.mark.parametrize("agreed", ["no", "yes, today 05:00 at the village green to dance", "yes, tomorrow 23:30 at the pond to swim"])
async def test_nobody_agrees_to_what_cannot_be(make_host: MakeHost, agreed: str) -> None:
    session = (await play(make_host(answering(say=f"say: I'll see.\nthen: go on\nagrees: {agreed}")))).session
    answer = await session.say(MARA, "Ada", "Will you come?", silent)
    assert not appointments.coming(session.agent(MARA).mind, session.now)
    assert answer.source is (Source.MODEL if agreed == "no" else Source.INSTINCT), "it says nothing aloud that it will not do"


async def test_a_line_that_agrees_to_what_cannot_be_is_asked_for_again_before_a_word_of_it_is_heard(make_host: MakeHost) -> None:
    """Otherwise the player reads a promise, and then another line in its place."""
    answers = ["agrees: yes, tomorrow 23:30 at the pond to swim\nsay: Gladly, I shall swim.", "agrees: no\nsay: Not at that hour, Ada."]
    engine = ScriptedEngine(lambda request: answers.pop(0) if request.stage == "say" else "4")
    session = (await play(make_host(engine))).session
    heard: list[str] = []
    answer = await session.say(MARA, "Ada", "Will you swim with me tomorrow night?", heard.append)
    assert "".join(heard) == answer.text == "Not at that hour, Ada."
    again = [request.user for request in engine.requests if request.stage == "say"][1]
    assert "because it agrees to come at 23:30, when Mara sleeps. Answer again" in again


async def test_a_line_that_says_again_what_was_said_is_asked_for_again_before_a_word_of_it_is_heard(make_host: MakeHost) -> None:
    answers = ["agrees: no\nsay: The bread is warm today.", "agrees: no\nsay: The bread is warm today.", "agrees: no\nsay: Take the rye."]
    session = (await play(make_host(ScriptedEngine(lambda request: answers.pop(0) if request.stage == "say" else "4")))).session
    heard: list[str] = []
    await session.say(MARA, "Ada", "How is the bread?", silent)
    answer = await session.say(MARA, "Ada", "Which one?", heard.append)
    assert "".join(heard) == answer.text == "Take the rye."


async def test_who_agrees_aloud_goes_there_with_the_one_who_asked(make_host: MakeHost) -> None:
    lines = [
        says("Will you eat with me at the Kettle at four?"),
        says("Gladly.") + "\nagrees: yes, today 16:00 at the Kettle Café to eat cake with Mara",
        says("Good.", "leave"),
    ]
    on = await stage(make_host(script(lines)))
    assert await on.hold("mara_voss", "tobin_hale") is not None
    for npc, other, text in (
        ("tobin_hale", "mara_voss", "eat cake with Mara"),
        ("mara_voss", "tobin_hale", "meet Tobin, who means to eat cake with Mara"),
    ):
        (kept,) = appointments.coming(on.agents[npc].mind, on.now)
        assert kept.people == (other,)
        assert (kept.address, kept.start, kept.text) == ("millbrook:cafe", on.now + 4 * HOUR - appointments.EARLY, text)
    promised = [m.text for m in on.agents["tobin_hale"].mind.stream.latest(20) if m.predicate == PROMISED]
    assert promised == ["Tobin promised Mara Voss to eat cake with Mara at the Kettle Café, on Monday 4 May at 16:00."]
    assert not [m for m in on.agents["mara_voss"].mind.stream.latest(20) if m.predicate == PROMISED]


async def test_who_agrees_with_two_people_on_one_place_and_hour_meets_both(make_host: MakeHost) -> None:
    on = await stage(make_host())
    mara, at = on.agents["mara_voss"].mind, on.now + 4 * HOUR
    tables = Invitation(at, at + HOUR, "millbrook:green", "pace out the tables")
    assert await appointments.promise(mara, tables, ["tobin_hale"], on.now)
    assert not await appointments.promise(mara, tables, ["ines_calder"], on.now)
    (kept,) = appointments.coming(mara, on.now)
    assert (kept.people, kept.text) == (("tobin_hale", "ines_calder"), "pace out the tables")
    assert not promises.without_hour(mara, on.now), "a promise with an hour stands in the plan"


async def test_a_line_names_who_can_hear_it(make_host: MakeHost) -> None:
    engine = script([says("Hello."), says("Bye.", "leave")])
    on = await stage(make_host(engine))
    await on.hold("mara_voss", "tobin_hale")
    assert all("Ines Calder can hear you." in request.user for request in engine.requests if request.stage == "say")
