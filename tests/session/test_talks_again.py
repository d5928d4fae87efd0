"""Who talks with whom again, and when."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.agent import Wish
from npc_server.clock import HOUR
from npc_server.llm.scripted import ScriptedEngine
from npc_server.records import MemoryKind, MemorySource, PlanLevel, PlanStep
from npc_server.session import talks as talking
from npc_server.session.host import Host
from tests.session.test_talks import SQUARE, stage

MakeHost = Callable[..., Host]


async def test_nobody_begins_another_talk_while_the_words_of_one_are_being_said(make_host: MakeHost) -> None:
    on = await stage(make_host())
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    for who in ("ines_calder", "mara_voss"):
        on.agents["ines_calder"].wish = Wish("mara_voss", "the bread")
        on.agents["mara_voss"].wish = Wish("ines_calder", "the bread") if who == "mara_voss" else None
        assert not talking.meetings(on.floor, ())
    on.now += len(talk.lines) * on.floor.settings.talk_line_s
    on.agents["ines_calder"].wish = Wish("mara_voss", "the bread")
    assert len(talking.meetings(on.floor, ())) == 1


async def test_who_talked_today_already_is_not_greeted_again(make_host: MakeHost) -> None:
    on = await stage(make_host())
    first = await on.hold("mara_voss", "tobin_hale")
    on.now += 3 * HOUR
    again = await on.hold("mara_voss", "tobin_hale")
    assert first is not None
    assert again is not None
    assert (first.again, again.again) == (False, True)
    assert len(again.lines) < len(first.lines)
    assert {line.text for line in again.lines}.isdisjoint(on.agents["mara_voss"].mind.persona.voice.greetings)


async def test_a_goodbye_is_answered_where_characters_talk_by_instinct_though_a_model_answers_other_questions(make_host: MakeHost) -> None:
    engine = ScriptedEngine({"listen": ["yes"]}, weak_at=["say"])
    on = await stage(make_host(engine))
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert [line.leaves for line in talk.lines[-2:]] == [True, True]
    assert talk.lines[-1].speaker != talk.lines[-2].speaker
    assert "say" not in {request.stage for request in engine.requests}


async def test_who_tells_what_the_other_knew_is_not_told_it_back(make_host: MakeHost) -> None:
    """No new memory names the teller, since the words are known."""
    on = await stage(make_host())
    mara, tobin = on.agents["mara_voss"], on.agents["tobin_hale"]
    (own,) = await mara.mind.remember(["The mill burns"], kind=MemoryKind.OBSERVATION, source=MemorySource.SEEN, at=on.now, importance=[8])
    (known,) = await tobin.mind.remember(
        ["The mill burns"],
        kind=MemoryKind.CONVERSATION,
        source=MemorySource.TOLD,
        source_person="ines_calder",
        at=on.now,
        importance=[8],
    )
    await on.hold("mara_voss", "tobin_hale")
    assert ("tobin_hale", own.id) in mara.doing.told
    assert ("mara_voss", known.id) in tobin.doing.told


async def test_those_who_stay_where_they_are_end_their_talk_without_goodbyes(make_host: MakeHost) -> None:
    on = await stage(make_host())
    for agent in on.agents.values():
        agent.mind.plan.steps = []
        agent.mind.add_steps([PlanStep(agent.npc, 0, PlanLevel.STEP, 0, on.now, on.now + HOUR, "rest", SQUARE)])
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert len(talk.lines) == 6
    assert not any(line.leaves for line in talk.lines)
    for line in talk.lines:
        assert not any(it in line.text for it in on.agents[line.speaker].mind.persona.voice.farewells)
