from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import HOUR
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
    assert identity.feels(mind, MORNING) == "You feel angry."
    await sees(mind, "The mill is burning", 9)
    assert identity.feels(mind, MORNING) == "You feel surprised."
    assert identity.feels(mind, MORNING + 8 * HOUR) == ""


@pytest.mark.parametrize(("closer", "emotion"), [(1, Emotion.HAPPY), (-1, Emotion.SAD), (0, Emotion.NEUTRAL)])
def test_a_talk_that_brings_people_closer_makes_happy_and_one_that_parts_them_sad(
    make_mind: MakeMind, closer: int, emotion: Emotion
) -> None:
    mind = make_mind()
    former = relationships.of(mind, "tobin_hale")
    relationships.keep(mind, replace(former, closeness=former.closeness + closer), [], MORNING)
    assert mind.mood.emotion is emotion
