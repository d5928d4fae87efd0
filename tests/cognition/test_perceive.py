from __future__ import annotations

from collections.abc import Callable

from npc_server.cognition import perceive
from npc_server.instinct import news
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import overheard
from npc_server.mind.mind import Mind
from npc_server.records import MemorySource, Perception, PerceptionKind
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
    mind.said_lately.note("tobin_hale", greeting, ())
    mind.said_lately.note("tobin_hale", gossip, ("It rains", "The mill is sold"))
    heard = [Perception("mara_voss", PerceptionKind.SPEECH, "tobin_hale", text, KITCHEN, 3.0, MORNING) for text in (greeting, gossip)]
    idle, told = await perceive.perceive(mind, heard, MORNING)
    assert (idle.importance, idle.predicate) == (perceive.IDLE, "said")
    assert (told.text, told.predicate) == (f'Tobin Hale said: "{gossip}"', "told")
    assert news.as_claim(mind, told) == "The mill is sold"
    assert told.importance > perceive.IDLE


def test_lines_of_long_ago_are_forgotten_and_a_models_own_words_tell_nobody_knows_what() -> None:
    lately = overheard.SaidLately()
    lately.note("tobin_hale", "Hush.", ("a",))
    lately.note("tobin_hale", "Hush.", None)
    assert lately.tells("tobin_hale", "Hush.") is None
    lately.note("tobin_hale", "First.", ())
    for i in range(overheard.KEPT):
        lately.note("tobin_hale", f"Line {i}.", ())
    assert lately.tells("tobin_hale", "First.") is None
    assert lately.tells("tobin_hale", "Line 0.") == ()


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
    made = await perceive.perceive(mind, [thing(f"{KITCHEN}:sink", "is clean"), thing(f"{KITCHEN}:stove", "is burning")], MORNING)
    assert {memory.subject: memory.importance for memory in made} == {f"{KITCHEN}:sink": 1, f"{KITCHEN}:stove": 9}
    same_as_golden(engine.requests[0], "importance")


async def test_instinct_rates_when_the_model_answers_nonsense(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine(lambda request: "very important"))
    (memory,) = await perceive.perceive(mind, [thing(f"{KITCHEN}:stove", "is burning")], MORNING)
    assert memory.importance == 8


async def test_a_place_entered_and_an_object_seen_are_known_from_then_on(make_mind: MakeMind) -> None:
    mind = make_mind()
    secret = "millbrook:tobin_house:kitchen"
    assert secret not in mind.known
    await perceive.perceive(mind, [Perception("mara_voss", PerceptionKind.PLACE, "", "", secret, 0.0, MORNING)], MORNING)
    assert secret in mind.known
    assert "millbrook:tobin_house" in mind.known
    mind.world.set_state(f"{KITCHEN}:stove", "burning")
    await perceive.perceive(mind, [thing(f"{KITCHEN}:stove", "is burning")], MORNING)
    assert mind.known.state(f"{KITCHEN}:stove") == "burning"


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
