from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npc_server.clock import DAY, HOUR
from npc_server.cognition import own_deeds, perceive
from npc_server.cognition.importance import catch_up
from npc_server.instinct import news
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import overheard
from npc_server.mind.mind import Mind
from npc_server.records import Line, MemorySource, Perception, PerceptionKind
from tests.minds import MORNING, same_as_golden

MakeMind = Callable[..., Mind]
KITCHEN = "millbrook:mara_house:kitchen"


def person(subject: str, text: str, distance: float = 1.0) -> Perception:
    return Perception("mara_voss", PerceptionKind.PERSON, subject, text, KITCHEN, distance, MORNING)


def thing(subject: str, text: str) -> Perception:
    return Perception("mara_voss", PerceptionKind.OBJECT, subject, text, KITCHEN, 2.0, MORNING)


async def test_what_is_seen_becomes_a_sentence_with_subject_predicate_object(make_mind: MakeMind) -> None:
    mind = make_mind()
    (memory,) = await perceive.perceive(mind, [person("tobin_hale", "is mending a chair")], MORNING)
    assert memory.text == "Tobin Hale is mending a chair"
    assert (memory.subject, memory.predicate, memory.object) == ("Tobin Hale", "is", "mending a chair")
    assert memory.source is MemorySource.SEEN


async def test_words_overheard_are_remembered_as_heard_from_their_speaker(make_mind: MakeMind) -> None:
    mind = make_mind()
    heard = Perception("mara_voss", PerceptionKind.SPEECH, "tobin_hale", "The mill is sold.", KITCHEN, 3.0, MORNING)
    (memory,) = await perceive.perceive(mind, [heard], MORNING)
    assert memory.text == 'Tobin Hale said: "The mill is sold."'
    assert (memory.source, memory.source_person) == (MemorySource.HEARD, "tobin_hale")


async def test_of_a_line_that_was_said_lately_is_known_what_it_tells(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({})
    mind = make_mind(engine)
    greeting, gossip = "Hello. You look like a flood.", "Well, I never. Have you heard? The mill is sold"
    mind.talks.said_lately.note(Line("tobin_hale", greeting, MORNING, ()))
    mind.talks.said_lately.note(Line("tobin_hale", gossip, MORNING, ("It rains", "The mill is sold")))
    heard = [Perception("mara_voss", PerceptionKind.SPEECH, "tobin_hale", text, KITCHEN, 3.0, MORNING) for text in (greeting, gossip)]
    idle, told = await perceive.perceive(mind, heard, MORNING)
    assert (idle.importance, idle.predicate) == (perceive.IDLE, "said")
    assert (told.text, told.predicate) == (f'Tobin Hale said: "{gossip}"', "told")
    assert news.as_claim(mind, told) == "The mill is sold"
    assert told.importance > perceive.IDLE


def test_lines_of_long_ago_are_forgotten_and_a_models_own_words_tell_nobody_knows_what() -> None:
    lately = overheard.SaidLately()
    hush = Line("tobin_hale", "Hush.", MORNING)
    lately.note(replace(hush, claims=("a",)))
    lately.note(hush)
    assert lately.line("tobin_hale", "Hush.") == hush
    lately.note(Line("tobin_hale", "First.", MORNING, ()))
    for i in range(overheard.KEPT):
        lately.note(Line("tobin_hale", f"Line {i}.", MORNING, ()))
    assert lately.line("tobin_hale", "First.") is None
    assert lately.line("tobin_hale", "Line 0.") == Line("tobin_hale", "Line 0.", MORNING, ())


async def test_who_overhears_where_somebody_was_does_not_pass_it_on(make_mind: MakeMind) -> None:
    mind = make_mind()
    claim = "Tobin was at the fair."
    for is_outing in (True, False):
        line = Line("tobin_hale", f"I was at the fair{' today' * is_outing}.", MORNING, (claim,), of_occasion=is_outing)
        mind.talks.said_lately.note(line)
        heard = Perception("mara_voss", PerceptionKind.SPEECH, "tobin_hale", line.text, KITCHEN, 3.0, MORNING)
        (memory,) = await perceive.perceive(mind, [heard], MORNING)
        assert news.as_claim(mind, memory) == claim
        mind.stream.set_importance(memory.id, 9)
        assert (news.news(mind, ["ines_calder"], MORNING, frozenset()) is None) == is_outing


async def test_only_the_nearest_events_fit_into_attention(make_mind: MakeMind) -> None:
    mind = make_mind(attention_bandwidth=2)
    made = await perceive.perceive(mind, [person(f"guest {i}", "is waiting", distance=9.0 - i) for i in range(5)], MORNING)
    assert sorted(memory.subject for memory in made) == ["guest 3", "guest 4"]


async def test_the_same_event_is_not_noticed_twice_within_retention(make_mind: MakeMind) -> None:
    mind = make_mind(retention=2)
    assert await perceive.perceive(mind, [person("tobin_hale", "is reading")], MORNING)
    assert not await perceive.perceive(mind, [person("tobin_hale", "is reading")], MORNING + 60)
    await perceive.perceive(mind, [person("tobin_hale", "is eating")], MORNING + 120)
    await perceive.perceive(mind, [person("ines_calder", "is eating")], MORNING + 180)
    assert await perceive.perceive(mind, [person("tobin_hale", "is reading")], MORNING + 240)


async def test_the_model_rates_what_instinct_is_not_sure_of(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9"]})
    mind = make_mind(engine)
    made = await perceive.perceive(mind, [thing(f"{KITCHEN}:table", "is laid"), thing(f"{KITCHEN}:stove", "is humming a tune")], MORNING)
    assert {memory.subject: memory.importance for memory in made} == {f"{KITCHEN}:table": 1, f"{KITCHEN}:stove": 9}
    same_as_golden(engine.requests[0], "importance")


async def test_what_rules_find_grave_is_reacted_to_at_once_and_rated_with_the_next(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9\n9"]})
    mind = make_mind(engine)
    (fire,) = await perceive.perceive(mind, [thing(f"{KITCHEN}:stove", "is burning")], MORNING)
    assert (fire.importance, engine.requests) == (8, [])
    await perceive.perceive(mind, [person("tobin_hale", "is weeping for his sister")], MORNING + 60)
    await catch_up(mind, MORNING + 60, least=2)
    assert len(engine.requests) == 1
    assert {memory.importance for memory in mind.stream.latest(2)} == {9}


def heard(speaker: str, text: str, at: int) -> Perception:
    return Perception("mara_voss", PerceptionKind.SPEECH, speaker, text, KITCHEN, 2.0, at)


async def test_of_a_talk_that_is_overheard_the_model_rates_the_weightiest_line(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9\n7"]})
    mind = make_mind(engine)
    lines = [heard("tobin_hale", "The well rope frays.", MORNING), heard("ines_calder", "Ambrose died last night.", MORNING + 15)]
    await perceive.perceive(mind, [*lines, heard("tobin_hale", "The rope is new.", MORNING + HOUR)], MORNING + HOUR)
    await catch_up(mind, MORNING + HOUR, least=2)
    (asked,) = engine.requests
    assert "Ambrose died" in asked.user
    assert "The rope is new" in asked.user
    assert "rope frays" not in asked.user
    assert sorted(memory.importance for memory in mind.stream.latest(3)) == [3, 7, 9]


async def test_of_what_a_player_is_overheard_saying_the_model_rates_each_line(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9\n7"]})
    mind = make_mind(engine)
    mind.talks.players = {**mind.talks.players, "Robin": frozenset[int]()}
    await perceive.perceive(mind, [heard("Robin", "The rope frays.", MORNING), heard("Robin", "Ambrose died.", MORNING + 15)], MORNING + 15)
    await catch_up(mind, MORNING + 15, least=2)
    assert sorted(memory.importance for memory in mind.stream.latest(2)) == [7, 9]


async def test_instinct_rates_when_the_model_answers_nonsense(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine(lambda request: "very important"))
    (memory,) = await perceive.perceive(mind, [thing(f"{KITCHEN}:stove", "is humming a tune")], MORNING)
    assert memory.importance == 3


async def test_a_place_entered_and_an_object_seen_are_known_from_then_on(make_mind: MakeMind) -> None:
    mind = make_mind()
    secret = "millbrook:tobin_house:kitchen"
    assert secret not in mind.knowledge
    await perceive.perceive(mind, [Perception("mara_voss", PerceptionKind.PLACE, "", "", secret, 0.0, MORNING)], MORNING)
    assert secret in mind.knowledge
    assert "millbrook:tobin_house" in mind.knowledge
    mind.world.set_state(f"{KITCHEN}:stove", "burning")
    await perceive.perceive(mind, [thing(f"{KITCHEN}:stove", "is burning")], MORNING)
    assert mind.knowledge.state(f"{KITCHEN}:stove") == "burning"


async def test_an_npc_does_not_notice_itself_nor_empty_events(make_mind: MakeMind) -> None:
    mind = make_mind()
    nothing = Perception("mara_voss", PerceptionKind.EVENT, "", "  ", KITCHEN, 0.0, MORNING)
    assert not await perceive.perceive(mind, [person("mara_voss", "is here"), nothing], MORNING)


async def test_an_npc_does_not_hear_its_own_words(make_mind: MakeMind) -> None:
    mind = make_mind()
    before = len(mind.stream)
    for subject in ("mara_voss", "Mara Voss", "MARA_VOSS "):
        heard = Perception("mara_voss", PerceptionKind.SPEECH, subject, "The bakery burned down!", KITCHEN, 0.0, MORNING)
        assert await perceive.perceive(mind, [heard, person(subject, "is baking bread")], MORNING) == []
    assert len(mind.stream) == before


def walking(subject: str, to: str, at: int = MORNING) -> Perception:
    return Perception("mara_voss", PerceptionKind.PERSON, subject, "is walking by", KITCHEN, 1.0, at, to)


async def test_who_walks_is_seen_on_the_way_and_not_doing_what_is_planned_there(make_mind: MakeMind) -> None:
    mind = make_mind()
    (memory,) = await perceive.perceive(mind, [walking("tobin_hale", "millbrook:cafe:dining_room:counter")], MORNING)
    assert memory.text == "Tobin Hale is on the way to the Kettle Café"
    (memory,) = await perceive.perceive(mind, [walking("ines_calder", "millbrook:mara_house:bedroom:bed")], MORNING)
    assert memory.text == "ines_calder is on the way to the bedroom in Mara's house"
    (memory,) = await perceive.perceive(mind, [walking("rosa_bell", f"{KITCHEN}:stove")], MORNING)
    assert memory.text == "rosa_bell is on the way to the stove in the kitchen of Mara's house"


async def test_somebody_who_walks_by_again_within_the_hour_is_noticed_and_not_remembered(make_mind: MakeMind) -> None:
    mind = make_mind()
    await perceive.perceive(mind, [person("tobin_hale", "is reading")], MORNING)
    (memory,) = await perceive.perceive(mind, [walking("tobin_hale", "millbrook:cafe", MORNING + 600)], MORNING + 600)
    assert (memory.id, memory.subject, memory.importance > 0) == (0, "Tobin Hale", True)
    assert len(mind.stream) == 1
    later = MORNING + perceive.PASSERS_BY_EVERY_S + 60
    (memory,) = await perceive.perceive(mind, [walking("tobin_hale", "millbrook:cafe", later)], later)
    assert memory.id == 2
    assert len(mind.stream) == 2


async def test_no_model_rates_somebody_who_only_walks_by(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9"]})
    mind = make_mind(engine, rule_importance=False)
    await perceive.perceive(mind, [person("tobin_hale", "is juggling knives")], MORNING)
    asked = len(engine.requests)
    await perceive.perceive(mind, [walking("tobin_hale", "millbrook:cafe", MORNING + 60)], MORNING + 60)
    assert len(engine.requests) == asked


async def test_a_state_is_remembered_when_it_is_news_and_once_a_day_while_it_lasts(make_mind: MakeMind) -> None:
    mind = make_mind()
    stove = f"{KITCHEN}:stove"
    assert await perceive.perceive(mind, [thing(stove, "is off")], MORNING) == []
    (fire,) = await perceive.perceive(mind, [thing(stove, "is burning")], MORNING)
    assert fire.id == 1
    assert mind.knowledge.state(stove) == "burning"
    for _ in range(10):  # more than the retention
        await perceive.perceive(mind, [person("tobin_hale", f"is doing his task number {len(mind.stream)}")], MORNING)
    (still,) = await perceive.perceive(mind, [thing(stove, "is burning")], MORNING + 3600)
    assert still.id == 0, "somebody may react to it again"
    (memory,) = await perceive.perceive(mind, [replace(thing(stove, "is burning"), at=MORNING + DAY + 60)], MORNING + DAY + 60)
    assert memory.id == 12


async def test_an_everyday_state_is_known_and_not_remembered(make_mind: MakeMind) -> None:
    mind = make_mind()
    table = f"{KITCHEN}:table"
    (memory,) = await perceive.perceive(mind, [thing(table, "is laid")], MORNING)
    assert memory.id == 0, "somebody may react to it"
    assert mind.knowledge.state(table) == "laid"
    assert len(mind.stream) == 0


async def test_what_happens_to_an_object_is_remembered_though_it_is_no_state(make_mind: MakeMind) -> None:
    mind = make_mind()
    (memory,) = await perceive.perceive(mind, [thing(f"{KITCHEN}:stove", "is making a strange noise")], MORNING)
    assert memory.id == 1
    assert mind.knowledge.state(f"{KITCHEN}:stove") == "off"


async def test_who_bakes_knows_the_oven_is_hot_and_does_not_notice_it(make_mind: MakeMind) -> None:
    mind = make_mind()
    oven = "millbrook:cafe:kitchen:oven"
    own_deeds.begin(mind, "Mara is baking bread", oven, MORNING)
    own_deeds.arrive(mind, MORNING)
    assert await perceive.perceive(mind, [thing(oven, "is hot")], MORNING) == []
    assert mind.knowledge.state(oven) == "hot"
    (fire,) = await perceive.perceive(mind, [thing(oven, "is burning")], MORNING)
    assert fire.id == 1


async def test_rules_rate_who_only_walks_or_stands_somewhere(make_mind: MakeMind) -> None:
    engine = ScriptedEngine({"importance": ["9"]})
    mind = make_mind(engine)
    there = person("tobin_hale", "is at the table in the kitchen of Mara's house")
    found = await perceive.perceive(mind, [walking("ines_calder", "millbrook:green:lawn:bench"), there], MORNING)
    assert [(memory.importance, memory.id > 0) for memory in found] == [(perceive.PASSES_BY, True)] * 2
    assert engine.requests == []
    (memory,) = await perceive.perceive(mind, [person("tobin_hale", "is juggling knives")], MORNING + 60)
    assert memory.importance == 9


async def test_of_a_talk_only_those_who_stand_by_remember_that_it_was_seen(make_mind: MakeMind) -> None:
    mind, seen = make_mind(), [person("tobin_hale", "is talking with Mara Voss")]
    own_deeds.begin_talk(mind, ["tobin_hale"], KITCHEN, MORNING)
    assert await perceive.perceive(mind, seen, MORNING) == []
    others = [person("ines_calder", "is talking with Tobin Hale")]
    assert [memory.text for memory in await perceive.perceive(mind, others, MORNING)] == ["ines_calder is talking with Tobin Hale"]
