from __future__ import annotations

from npc_server.instinct import importance_rules
from npc_server.mind.places import Everyday


def test_things_that_belong_to_somebody_are_things() -> None:
    town = Everyday(states=frozenset({"made", "slept in"}))
    assert importance_rules.by_rules("Biddy's bed in the bedroom of the Drowned Bell is made", town)[1]
    assert importance_rules.by_rules("Biddy's bed in the bedroom of the Drowned Bell is on fire", town)[0] >= 7


def test_what_people_talk_about_while_they_sit_is_no_event() -> None:
    assert importance_rules.by_rules("Hester Vane is sitting and talking about what is broken")[1]
    assert not importance_rules.by_rules("Hester Vane is screaming and bleeding")[1]


def test_who_runs_for_an_office_does_nothing_everyday() -> None:
    assert importance_rules.by_rules("Ada Bell is running along the pier")[1]
    assert not importance_rules.by_rules("Ada Bell is running for head of the guild")[1]
