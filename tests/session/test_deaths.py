"""Servers that die at operations on files, in the middle of a write, or by kill -9: nothing acknowledged is lost, doubled or locked.

`python -m tests.session.deaths --count 20000` lets more of them die.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.session.deaths import build, in_memory, in_new_process
from tests.session.expected import Content, Expected


@pytest.fixture
def folder() -> Iterator[Path]:
    with in_memory() as made:
        if not build(made / "deaths.so"):
            pytest.skip("making operations on files die needs Linux and a C compiler")
        yield made


@pytest.mark.kill
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("count", [150, pytest.param(5000, marks=pytest.mark.slow)])
def test_after_each_death_what_was_acknowledged_is_there_once_and_the_slot_opens(folder: Path, count: int) -> None:
    told = in_new_process(count, 20260504, folder)
    assert told["problems"] == [], f"after {told['deaths']} deaths"
    assert told["deaths"] == count
    assert {"killed", "write", "torn write"} <= told["at"].keys(), "the library was not loaded, or saw no file"


@pytest.mark.kill
def test_acknowledging_before_the_commit_is_found_in_a_few_deaths(folder: Path) -> None:
    told = in_new_process(100, 7, folder, early=True)
    assert any("lost" in problem for problem in told["problems"])


def played() -> Expected:
    """One event is acknowledged, and another is on its way."""
    expected = Expected(epoch=3)
    expected.hear("take", [[1, 0], [2, 11]])
    expected.hear("stored", 2)
    expected.hear("take", [[3, 12]])
    return expected


@pytest.mark.parametrize(
    ("opened", "problem"),
    [
        ((3, 2, [11], []), ""),
        ((3, 3, [11, 12], []), ""),
        ((3, 3, [12], []), "lost"),
        ((3, 3, [11, 12, 13], []), "too many"),
        ((3, 1, [11], []), "acknowledged"),
        ((3, 3, [11, 12], [12]), "twice"),
        ((4, 0, [11], []), "nothing was loaded"),
    ],
)
def test_what_is_lost_doubled_or_of_a_wrong_epoch_is_a_problem(opened: tuple[int, int, list[int], list[int]], problem: str) -> None:
    expected = played()
    expected.died()
    expected.hear("opened", *opened)
    assert (problem in expected.problems[0]) if problem else not expected.problems


def test_a_load_that_was_never_answered_may_have_happened_or_not() -> None:
    for epoch, found, sound in ((3, [11], True), (4, [], True), (4, [11], False)):
        expected = played()
        expected.hear("ask", "load", "s1", "")
        expected.died()
        expected.hear("opened", epoch, 2 if epoch == 3 else 0, found, [])
        assert bool(expected.problems) is not sound


def test_a_save_holds_what_was_acknowledged_before_it_and_perhaps_what_came_meanwhile() -> None:
    expected = played()
    expected.hear("ask", "save", "s1", "yes")
    expected.hear("saved")
    assert expected.slots["s1"] == [Content(frozenset({11}), frozenset({11, 12}))]
