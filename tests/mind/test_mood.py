from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import HOUR
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import identity, mood, relationships
from npc_server.mind.mind import Mind
from npc_server.records import Emotion, MemoryKind, MemorySource, MemoryTopic, Mood
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def test_a_mood_fades_until_it_is_neutral() -> None:
    angry = Mood(Emotion.ANGRY, 6.0, MORNING)
    assert mood.faded(angry, MORNING + 2 * HOUR) == Mood(Emotion.ANGRY, 3.0, MORNING + 2 * HOUR)
    assert mood.faded(angry, MORNING + 8 * HOUR).emotion is Emotion.NEUTRAL


def test_the_same_emotion_grows_and_the_stronger_of_two_stays() -> None:
    angry = mood.stirred(Mood(), Emotion.ANGRY, 3.0, MORNING)
    assert mood.stirred(angry, Emotion.ANGRY, 3.0, MORNING).strength == 6.0
    assert mood.stirred(angry, Emotion.HAPPY, 2.5, MORNING) == angry
    assert mood.stirred(angry, Emotion.HAPPY, 4.0, MORNING).emotion is Emotion.HAPPY
    assert mood.stirred(angry, Emotion.ANGRY, 30.0, MORNING).strength == mood.STRONGEST


async def sees(mind: Mind, text: str, importance: int, topic: MemoryTopic = MemoryTopic.OTHER) -> None:
    kind, source = MemoryKind.OBSERVATION, MemorySource.SEEN
    await mind.remember([text], kind=kind, at=MORNING, importance=[importance], source=source, topics=[topic])


async def test_what_fails_angers_and_what_matters_surprises(make_mind: MakeMind) -> None:
    mind = make_mind()
    await sees(mind, "Tobin walks by", 2)
    assert identity.feels(mind, MORNING) == ""
    await sees(mind, "Mara could not bake", 3, MemoryTopic.FAILED)
    assert identity.feels(mind, MORNING) == "You feel angry: Mara could not bake."
    await sees(mind, "The mill is burning", 9)
    assert identity.feels(mind, MORNING) == "You feel surprised: The mill is burning."
    assert identity.feels(mind, MORNING + 8 * HOUR) == ""


@pytest.mark.parametrize(("closer", "emotion"), [(1, Emotion.HAPPY), (-1, Emotion.SAD), (0, Emotion.NEUTRAL)])
def test_a_talk_that_brings_people_closer_makes_happy_and_one_that_parts_them_sad(
    make_mind: MakeMind, closer: int, emotion: Emotion
) -> None:
    mind = make_mind()
    former = relationships.of(mind, "tobin_hale")
    relationships.keep(mind, replace(former, closeness=former.closeness + closer), [], MORNING)
    assert mind.feelings.mood.emotion is emotion


async def test_a_mood_fades_with_its_cause(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.mood = mood.left_by_talk(mind.feelings.mood, "sad", MORNING, "Robin called the bread stale")
    assert identity.feels(mind, MORNING) == "You feel sad: Robin called the bread stale."
    assert identity.feels(mind, MORNING + HOUR) == "You feel sad: Robin called the bread stale."
    assert identity.feels(mind, MORNING + 8 * HOUR) == ""
    assert mood.faded(mind.feelings.mood, MORNING + 8 * HOUR).cause == ""


async def test_a_mood_named_for_a_reason_outlasts_the_rule_about_closeness(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.feelings.mood = mood.left_by_talk(mind.feelings.mood, "angry", MORNING, "Tobin laughed at the sign")
    former = relationships.of(mind, "tobin_hale")
    relationships.keep(mind, replace(former, closeness=former.closeness - 2), [], MORNING, mood_named=True)
    assert identity.feels(mind, MORNING) == "You feel angry: Tobin laughed at the sign."


async def test_who_comes_closer_feels_nothing_by_rule_where_the_model_named_nothing(make_mind: MakeMind) -> None:
    for mood_named, felt in ((True, ""), (False, "You feel happy: the talk with Tobin Hale.")):
        mind = make_mind()
        former = relationships.of(mind, "tobin_hale")
        relationships.keep(mind, replace(former, closeness=former.closeness + 1), [], MORNING, mood_named=mood_named)
        assert identity.feels(mind, MORNING) == felt


async def test_what_is_said_surprises_by_rule_only_where_no_model_says_what_a_talk_leaves(make_mind: MakeMind) -> None:
    for engine, felt in ((None, Emotion.SURPRISED), (ScriptedEngine({}), Emotion.NEUTRAL)):
        mind = make_mind(engine)
        kind, source = MemoryKind.CONVERSATION, MemorySource.TOLD
        await mind.remember(["Robin said: Your bread is stale"], kind=kind, at=MORNING, importance=[8], source=source)
        assert mind.feelings.mood.emotion is felt
        await sees(mind, "The mill is burning", 9)
        assert mind.feelings.mood.emotion is Emotion.SURPRISED


async def test_a_mood_outlasts_its_cause_without_naming_it(make_mind: MakeMind) -> None:
    mind, stove = make_mind(), "millbrook:mara_house:kitchen:stove"
    mind.see(stove, MORNING, "burning")
    seen = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.SEEN, "triples": [(stove, "is", "burning")]}
    await mind.remember(["The stove is burning"], at=MORNING, importance=[8], **seen)  # type: ignore[arg-type]
    mind.feelings.mood = Mood(Emotion.SURPRISED, 6.0, MORNING, "The stove is burning")
    assert identity.feels(mind, MORNING) == "You feel surprised: The stove is burning."
    mind.see(stove, MORNING + HOUR, "off")
    assert identity.feels(mind, MORNING + HOUR) == "You feel surprised."


async def test_words_overheard_surprise_nobody_by_rule(make_mind: MakeMind) -> None:
    heard = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.HEARD, "topics": [MemoryTopic.SAID]}
    made = await make_mind().remember(['Tobin said: "Mine is fine."'], at=MORNING, importance=[9], **heard)  # type: ignore[arg-type]
    assert mood.after_memories(Mood(), made, MORNING).emotion is Emotion.NEUTRAL
