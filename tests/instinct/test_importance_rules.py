from __future__ import annotations

import pytest

from npc_server.instinct import importance_rules
from npc_server.mind.places import Everyday
from npc_server.records import MemoryTopic


def test_things_that_belong_to_somebody_are_things() -> None:
    town = Everyday(states=frozenset({"made", "slept in"}))
    assert importance_rules.by_rules("Biddy's bed in the bedroom of the Drowned Bell is made", town)[1]
    assert importance_rules.by_rules("Biddy's bed in the bedroom of the Drowned Bell is on fire", town)[0] >= 7


def test_what_people_talk_about_while_they_sit_is_no_event() -> None:
    assert importance_rules.by_rules("Hester Vane is sitting and talking about what is broken")[1]
    assert not importance_rules.by_rules("Hester Vane is screaming and bleeding")[1]


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        (MemoryTopic.PLAN, (5, True)),
        (MemoryTopic.FAILED, (4, True)),
        (MemoryTopic.MET, (3, True)),
        (MemoryTopic.SMALL_TALK, (3, True)),
    ],
)
def test_what_the_mind_wrote_itself_is_rated_by_its_topic_whatever_the_words(topic: MemoryTopic, expected: tuple[int, bool]) -> None:
    assert importance_rules.by_rules("Ada hat heute keine Zeit", topic=topic) == expected


def test_words_that_look_like_a_sentence_of_the_minds_own_are_read_as_any_others() -> None:
    assert not importance_rules.by_rules("Ada's plan for the bridge was voted down")[1]
