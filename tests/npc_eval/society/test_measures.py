"""The measures of a society, on a save of four people made by hand."""

from __future__ import annotations

import pytest

from npc_eval.society import measures, report
from npc_eval.society.measures import Life
from npc_server.records import MemorySource
from tests.npc_eval.society.conftest import STORY


def test_news_are_counted_by_who_holds_a_memory_that_names_them_without_the_starter(lives: list[Life]) -> None:
    found = measures.news(STORY, lives)
    assert (found.heard, found.of) == (("ben", "cid", "dot"), 4)


def test_tree_says_who_first_told_whom_and_leaves_what_was_seen_without_a_teller(lives: list[Life]) -> None:
    tree = measures.news(STORY, lives).tree
    assert [(it.who, it.source, it.how) for it in tree] == [
        ("ben", "ann", MemorySource.TOLD),
        ("cid", "ben", MemorySource.HEARD),
        ("dot", "", MemorySource.SEEN),
    ]
    lines = report.tree_lines(measures.news(STORY, lives))
    assert [line.index(line.strip()) for line in lines] == [0, 2, 0]


def test_a_word_names_a_story_only_as_a_whole_word() -> None:
    assert measures.mentions("A PARTY!", ("party",))
    assert not measures.mentions("partying", ("party",))


def test_density_counts_pairs_that_know_each_other_both_ways_and_then_those_who_talked(lives: list[Life]) -> None:
    assert measures.density(lives, talks=False) == pytest.approx(1 / 6)
    assert measures.density(lives, talks=True) == pytest.approx(2 / 6)


def test_party_counts_who_was_invited_before_it_and_stayed(lives: list[Life]) -> None:
    found = measures.party(STORY, lives)
    assert found.invited == ("ben", "cid")
    assert found.came == ("ben",)
    assert found.by_chance == ("dot",)


def test_a_conversation_that_both_remember_counts_once(lives: list[Life]) -> None:
    assert measures.measure([STORY], lives).conversations == 2


def test_changes_of_plan_are_reactions_appointments_and_dropped_steps(lives: list[Life]) -> None:
    found = measures.plan_changes(lives)
    assert (found.reactions, found.appointments, found.dropped, found.total) == (1, 1, 1, 3)
