"""Talks of players that were answered by hand are held again. What the hand wrote is what was said, and what it agreed to is kept."""

from __future__ import annotations

import asyncio

import pytest

from npc_eval.engines.recorded import Recording
from tests.recorded.keep_life import compared
from tests.recorded.keep_talks import played_again
from tests.recorded.lives import REKEY
from tests.recorded.player_talks import FOLDER, TALKS, PlayedTalk, as_text

AGREES = "agrees: yes"

# One process of pytest-xdist, so that the fixture of the module is made once.
pytestmark = pytest.mark.xdist_group("player lines")


@pytest.fixture(scope="module")
def played() -> list[PlayedTalk]:
    return asyncio.run(played_again(FOLDER))


def said_by_hand(talk: PlayedTalk) -> list[str]:
    return [it.answer for it in Recording(FOLDER / talk.talk.slot) if it.stage == "say" and it.npc == talk.talk.npc]


def test_recorded_talks_are_held_again(played: list[PlayedTalk]) -> None:
    different = compared(FOLDER / TALKS, as_text(played))
    assert not different, f"{different}\n{REKEY.format(name=FOLDER.name)}"


def test_no_rule_overrules_an_answer(played: list[PlayedTalk]) -> None:
    for talk in played:
        hand = said_by_hand(talk)
        for line in talk.lines:
            assert line.source == "model", (talk.talk.slot, line)
            assert any(line.answer in answer for answer in hand), (talk.talk.slot, line)


def test_each_agreement_is_a_promise_and_a_step_of_the_plan(played: list[PlayedTalk]) -> None:
    for talk in played:
        # Who says yes again to the same agrees to one thing.
        agreements = len({line for answer in said_by_hand(talk) for line in answer.splitlines() if AGREES in line})
        assert len(talk.promises) == agreements, talk.talk.slot
        assert len(talk.agreed) >= agreements, talk.talk.slot
