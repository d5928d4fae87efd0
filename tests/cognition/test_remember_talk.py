from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_server.clock import parse_datetime
from npc_server.cognition import remember_talk
from npc_server.english.text import PROMISED
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments
from npc_server.mind.mind import Mind
from npc_server.records import Line, MemoryKind, MemorySource
from tests.cognition.gossip import GOSSIP, PARTY, SQUARE, knows, talk
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]


async def test_a_talk_is_remembered_and_what_the_other_told_is_kept_as_its_claim(make_mind: MakeMind) -> None:
    summary = "Mara talked with Tobin Hale about a party at the café."
    engine = ScriptedEngine({"talk_summary": [summary], "talk_claims": [f"{PARTY}\nnothing"], "ga_importance": ["6", "7"]})
    mind = make_mind(engine, fuller_calls=False, rule_importance=False)
    made = await remember_talk.remember(mind, GOSSIP, MORNING)
    assert [(m.text, m.kind, m.source, m.source_person, m.importance) for m in made] == [
        (summary, MemoryKind.CONVERSATION, MemorySource.SEEN, "", 6),
        (PARTY, MemoryKind.CONVERSATION, MemorySource.TOLD, "tobin_hale", 7),
    ]
    assert made[0].address == SQUARE
    asked = {request.stage: request for request in engine.requests}
    same_as_golden(asked["talk_summary"], "talk_summary")
    same_as_golden(asked["talk_claims"], "talk_claims")


async def test_an_invitation_becomes_an_appointment_at_its_hour_and_place(make_mind: MakeMind) -> None:
    mind = make_mind()
    await remember_talk.remember(mind, GOSSIP, MORNING)
    tuesday = parse_datetime("2026-05-05 17:00")
    (kept,) = appointments.coming(mind, MORNING)
    assert (kept.address, kept.start, kept.end) == ("millbrook:cafe", tuesday - appointments.EARLY, parse_datetime("2026-05-05 19:00"))
    assert kept.text == "going to the party"


async def test_an_invitation_that_the_model_leaves_out_is_remembered_all_the_same_and_one_that_it_tells_once(make_mind: MakeMind) -> None:
    over = "about: They talked.\nrelation: neighbour\nfeeling: none\nbetween: They talked.\ncloseness: 4\npromised: nothing\ntold: {}"
    said = talk(
        ("tobin_hale", "It's my birthday tomorrow."), ("mara_voss", "Oh!"), ("tobin_hale", "Come to the Kettle Café at 17:00 for a party.")
    )
    for told in ("nothing", "Tobin gives a party at the Kettle Café tomorrow at 17:00."):
        mind = make_mind(ScriptedEngine({"talk_over": [over.format(told)] * 2}))
        made = await remember_talk.remember(mind, said, MORNING)
        assert sum("Kettle" in memory.text for memory in made) == 1
        assert not appointments.coming(mind, MORNING)  # she did not say that she comes


async def test_own_promises_are_remembered_as_own_and_not_as_told(make_mind: MakeMind) -> None:
    over = (
        "about: Mara and Tobin spoke of bread.\nrelation: neighbour\nfeeling: She likes him.\nbetween: They trade bread for wood.\n"
        "closeness: 5\npromised: to bring Tobin a loaf tomorrow\ntold: nothing"
    )
    engine = ScriptedEngine({"talk_over": [over], "importance": ["4"]})
    mind = make_mind(engine)
    made = await remember_talk.remember(mind, GOSSIP, MORNING)
    (promise,) = [memory for memory in made if memory.predicate == PROMISED]
    assert (promise.text, promise.source_person) == ("Mara promised Tobin Hale this: to bring Tobin a loaf tomorrow.", "")
    shown = next(request.user for request in engine.requests if request.stage == "talk_over")
    assert "Tobin Hale: Morning, Mara.\nMara Voss: Sit down, Tobin." in shown


async def test_a_summary_that_names_somebody_of_whom_nobody_spoke_is_asked_for_again(make_mind: MakeMind) -> None:
    rest = "\nrelation: neighbour\nfeeling: She likes him.\nbetween: They trade.\ncloseness: 5\npromised: nothing\ntold: nothing"
    wrong, right = f"about: Mara told Ada Finch of the bread.{rest}", f"about: Mara told Tobin Hale of the bread.{rest}"
    engine = ScriptedEngine({"talk_over": [wrong, right], "importance": ["4"]})
    mind = make_mind(engine)
    mind.people.names["ada_finch"] = "Ada Finch"
    made = await remember_talk.remember(mind, GOSSIP, MORNING)
    assert made[0].text == "Mara told Tobin Hale of the bread."
    again = [request.user for request in engine.requests if request.stage == "talk_over"][1]
    assert "because it names Ada Finch, of whom nobody spoke. Answer again" in again


async def test_what_one_said_oneself_is_not_what_one_was_told(make_mind: MakeMind) -> None:
    over = (
        "about: Mara and Tobin spoke of the mill.\nrelation: neighbour\nfeeling: She likes him.\nbetween: They trade.\ncloseness: 5\n"
        "promised: nothing\ntold: the mill is sold to a man from the city\ntold: the pond is high this year"
    )
    lines = talk(("tobin_hale", "The pond is high this year."), ("mara_voss", "And the mill is sold to a man from the city."))
    mind = make_mind(ScriptedEngine({"talk_over": [over], "importance": ["4", "4"]}))
    made = await remember_talk.remember(mind, lines, MORNING)
    assert [memory.text for memory in made if memory.source is MemorySource.TOLD] == ["the pond is high this year"]


async def test_nothing_is_remembered_of_a_talk_in_which_nobody_else_spoke(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert await remember_talk.remember(mind, talk(("mara_voss", PARTY)), MORNING) == []
    assert not appointments.coming(mind, MORNING)


async def test_one_answer_holds_all_that_stays_of_a_talk(make_mind: MakeMind) -> None:
    over = (
        "about: Mara heard of Ines Calder's party.\nrelation: neighbour\nfeeling: She is glad of his news.\n"
        f"between: He brought word of a party.\ncloseness: 6\npromised: nothing\ntold: {PARTY}\ntold: nothing"
    )
    engine = ScriptedEngine({"talk_over": [over], "importance": ["6", "7"]})
    mind = make_mind(engine)
    await knows(mind, "Tobin Hale is carving a spoon", 4, triples=[("Tobin Hale", "is", "carving a spoon")])
    made = await remember_talk.remember(mind, GOSSIP, MORNING)
    assert [(m.text, m.source_person) for m in made] == [("Mara heard of Ines Calder's party.", ""), (PARTY, "tobin_hale")]
    assert [request.stage for request in engine.requests if request.stage != "importance"] == ["talk_over"]
    same_as_golden(next(request for request in engine.requests if request.stage == "talk_over"), "talk_over")


async def test_one_answer_leaves_the_relationship_out_where_no_social_memory_is_kept(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"talk_over": [f"about: Mara heard of a party.\npromised: nothing\ntold: {PARTY}"], "importance": ["6", "7"]})
    mind = make_mind(engine, social_memory=False)
    made = await remember_talk.remember(mind, GOSSIP, MORNING)
    assert [m.text for m in made] == ["Mara heard of a party.", PARTY]
    assert not mind.relationships.social
    same_as_golden(next(request for request in engine.requests if request.stage == "talk_over"), "talk_over_plain")


async def test_what_instinct_told_is_known_and_not_asked_of_the_model_again(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"talk_summary": ["Mara heard of the mill."], "ga_importance": ["3", "8"]})
    mind = make_mind(engine, fuller_calls=False)
    line = Line("tobin_hale", "Have you heard? The old mill is burning", MORNING, ("The old mill is burning",))
    made = await remember_talk.remember(mind, replace(talk(), lines=(line,)), MORNING)
    assert [memory.text for memory in made] == ["Mara heard of the mill.", "The old mill is burning"]
    assert "talk_claims" not in {request.stage for request in engine.requests}


async def test_a_person_who_makes_no_memories_makes_none_of_a_talk(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.persona = replace(mind.persona, opt_out_of_memory=True)
    assert await remember_talk.remember(mind, GOSSIP, MORNING) == []
    assert (len(mind.stream), mind.draft.memories, mind.reflecting.importance_since) == (0, [], 0)
