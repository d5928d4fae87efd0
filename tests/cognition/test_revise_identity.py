from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_eval.stand_in import StandIn
from npc_server.clock import DAY
from npc_server.cognition import revise_identity
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments, identity
from npc_server.mind.instinct import Invitation
from npc_server.mind.mind import Mind
from npc_server.records import CallOutcome, MemoryKind, MemorySource
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]


async def heard(mind: Mind, text: str, importance: int, at: int = MORNING - 3600) -> None:
    await mind.remember([text], kind=MemoryKind.OBSERVATION, at=at, importance=[importance], source=MemorySource.SEEN)


def invite(mind: Mind, day: int = 0) -> None:
    party = Invitation(MORNING + day * DAY + 11 * 3600, MORNING + day * DAY + 13 * 3600, "millbrook:cafe")
    assert appointments.keep(mind, party, "going to the party", MORNING)


IDENTITY = """nature: Mara is warm, and blunter than she was.
work: She bakes for the village.
feeling: She feels rested and a little proud.
currently: Mara is excited about the party.
mood: happy"""


async def test_each_morning_asks_what_is_on_the_mind_with_what_is_agreed_for_today(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"identity": [IDENTITY]})
    mind = make_mind(engine)
    await heard(mind, "Ines Calder invited Mara to a party", 7)
    invite(mind)
    invite(mind, day=1)
    await revise_identity.revise(mind, MORNING)
    assert mind.identity.currently == "Mara is excited about the party."
    assert (
        mind.identity.summary == "Mara is warm, and blunter than she was. She bakes for the village. She feels rested and a little proud."
    )
    assert mind.identity.summary in identity.paragraph(mind)
    assert identity.feels(mind, MORNING) == "You feel happy."
    assert "Mara is excited about the party." in identity.paragraph(mind)
    same_as_golden(engine.requests[0], "identity")


async def test_instinct_carries_the_most_important_thing_and_todays_appointments_into_the_day(make_mind: MakeMind) -> None:
    mind = make_mind()
    await heard(mind, "The mill is burning", 8)
    await heard(mind, "Tobin Hale is mending a chair", 3)
    invite(mind)
    await revise_identity.revise(mind, MORNING)
    assert mind.identity.currently == "The mill is burning. Today: 17:00 going to the party."


async def test_what_was_asked_of_yesterday_ends_with_it(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.persona = replace(mind.persona, currently="Mara worries about the rent.")
    invite(mind)
    await heard(mind, "The mill is burning", 8)
    await revise_identity.revise(mind, MORNING)
    assert "party" in mind.identity.currently
    await revise_identity.revise(mind, MORNING + 2 * DAY)
    assert mind.identity.currently == "Mara worries about the rent."


async def test_a_mind_with_nothing_in_it_says_so(make_mind: MakeMind) -> None:
    mind = make_mind()
    await revise_identity.revise(mind, MORNING)
    assert mind.identity.currently == "Mara has nothing special in mind."


async def test_what_instinct_suggests_is_a_whole_reply(make_mind: MakeMind) -> None:
    """An engine that stands in for a model answers it."""
    mind = make_mind(StandIn())
    invite(mind)
    await revise_identity.revise(mind, MORNING)
    assert [call.outcome for call in mind.draft.calls] == [CallOutcome.USED]
    assert mind.identity.summary.startswith("Mara is warm and blunt. Mara Voss bakes the bread of Millbrook")
    without = make_mind()
    await revise_identity.revise(without, MORNING)
    assert without.identity.summary == ""


async def test_nothing_is_asked_while_there_is_nothing_to_revise_from(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"identity": [IDENTITY, IDENTITY]})
    mind = make_mind(engine)
    await heard(mind, "Tobin Hale is mending a chair", 3)
    await revise_identity.revise(mind, MORNING)
    assert not engine.requests
    assert mind.identity.summary == ""
    kind, source = MemoryKind.REFLECTION, MemorySource.THOUGHT
    await mind.remember(["Mara is needed here"], at=MORNING + 3600, kind=kind, importance=[5], source=source)
    await revise_identity.revise(mind, MORNING + DAY)
    assert len(engine.requests) == 1
    summary = mind.identity.summary
    await revise_identity.revise(mind, MORNING + 2 * DAY)
    assert len(engine.requests) == 1
    assert mind.identity.summary == summary, "what it concluded of itself stays"
    assert mind.identity.currently != "Mara is excited about the party.", "what yesterday asked for ends with it"
