"""A talk of several is asked about once (AGA, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from npc_server.affordable import social_memory
from npc_server.cognition import remember_talk
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import relationships
from npc_server.mind.mind import Mind
from npc_server.records import Emotion, MemorySource, Talk
from tests.cognition.gossip import PARTY, knows, talk
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
MARA, TOBIN, INES = "mara_voss", "tobin_hale", "ines_calder"
HEAD = "about: They spoke of the mill.\nmood: happy\nbecause: Ines found the key\npromised: to bring flour\n"
OF_TOBIN = "person: Tobin | neighbour | She is glad of him. | He brought word of the mill. | 6 | The mill is for sale."
OF_INES = "person: Ines | mayor | She trusts her. | They want the mill. | 2 | nothing"


def round_of(*lines: tuple[str, str]) -> Talk:
    said = lines or ((TOBIN, "The mill is for sale."), (INES, "I found the key."), (MARA, "I'll bring flour."))
    return talk(*said, people=(TOBIN, MARA, INES))


def with_ines(mind: Mind) -> Mind:
    mind.people.names = {**mind.people.names, INES: "Ines Calder"}
    return mind


def asked(engine: ScriptedEngine) -> list[str]:
    return [request.stage for request in engine.requests if request.stage != "importance"]


async def remembered(mind: Mind) -> Sequence[tuple[str, str]]:
    return [(memory.text, memory.source_person) for memory in await remember_talk.remember(mind, round_of(), MORNING)]


async def test_one_answer_holds_all_that_stays_of_a_talk_with_several(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"talk_round": [f"{HEAD}{OF_TOBIN}\n{OF_INES}"], "importance": ["4"] * 4})
    mind = with_ines(make_mind(engine))
    await knows(mind, "Ines Calder is reading a letter", 4, triples=[("Ines Calder", "is", "reading a letter")])
    assert await remembered(mind) == [
        ("They spoke of the mill.", ""),
        ("Mara talked with Ines Calder in a round of 3.", ""),
        ("The mill is for sale.", TOBIN),
        ("Mara promised Tobin Hale this: to bring flour.", ""),
    ]
    assert asked(engine) == ["talk_round"]
    assert (mind.relationships.social[TOBIN].between, mind.relationships.social[INES].relation) == ("He brought word of the mill.", "mayor")
    assert mind.feelings.mood.emotion is Emotion.HAPPY
    assert relationships.unseen(mind, mind.relationships.social[INES]) == []
    same_as_golden(next(request for request in engine.requests if request.stage == "talk_round"), "talk_round")


async def test_an_answer_that_leaves_somebody_out_is_asked_for_again(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"talk_round": [f"{HEAD}{OF_TOBIN}\n{OF_TOBIN}", f"{HEAD}{OF_TOBIN}\n{OF_INES}"], "importance": ["4"] * 4})
    mind = with_ines(make_mind(engine))
    await remembered(mind)
    assert asked(engine) == ["talk_round"] * 2
    assert "it has no line for Ines" in engine.requests[1].user
    assert mind.relationships.social[INES].relation == "mayor"


async def test_without_an_answer_instinct_keeps_what_each_told(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "?")
    mind = with_ines(make_mind(engine))
    made = await remember_talk.remember(mind, round_of((TOBIN, PARTY), (INES, "I had soup."), (MARA, "I'll come.")), MORNING)
    assert [(memory.text, memory.source_person) for memory in made if memory.source is MemorySource.TOLD] == [(PARTY, TOBIN)]
    assert mind.relationships.social[INES].relation == relationships.ACQUAINTANCE


async def test_a_model_that_is_weak_at_it_is_asked_about_each_person(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "?")
    await remembered(with_ines(make_mind(engine, by_instinct=("talk_round",))))
    assert set(asked(engine)) == {"talk_over"}


async def test_who_said_nothing_is_not_asked_about(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "?")
    await remember_talk.remember(with_ines(make_mind(engine)), round_of((TOBIN, "Good morning."), (MARA, "Morning.")), MORNING)
    assert set(asked(engine)) == {"talk_over"}


async def test_a_long_round_is_summed_up_in_one_question_while_it_goes_on(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"talk_round": [f"{HEAD}{OF_TOBIN}\n{OF_INES}"] * 2, "importance": ["4"] * 9})
    mind = with_ines(make_mind(engine, social_memory_lines=4))
    long = round_of(*(((TOBIN, INES, MARA)[i % 3], f"Line {i} is new.") for i in range(8)))
    await social_memory.revise_during(mind, Talk(long.id, long.people, long.place, long.started, long.lines[:5]), MORNING)
    assert mind.relationships.social[TOBIN].between == "He brought word of the mill."
    await remember_talk.remember(mind, long, MORNING)
    assert asked(engine) == ["talk_round"] * 2
    rest = [request.user for request in engine.requests if request.stage == "talk_round"][-1]
    assert "The beginning of the conversation: They spoke of the mill." in rest
    assert "Line 4" not in rest
    assert "Line 5" in rest
