"""Days that were answered by hand are lived again, and the same follows from them."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from npc_eval.engines.near_match import NearMatchEngine
from npc_eval.engines.recorded import RecordedEngine, Recording
from npc_eval.engines.recording_file import FILE, PROMPTS
from npc_eval.stand_in import StandIn
from npc_server import clock
from npc_server.errors import BadInput
from npc_server.llm.engine import Completion, OnText, Request
from tests.recorded.keep_life import compared
from tests.recorded.lives import DAY, HERE, REKEY, PlayedLife, live, names, read_life

MOST_BYTES = 1_000_000
"""What a life may take in the repository."""


@pytest.mark.parametrize("name", names())
def test_a_recorded_life_is_lived_again_with_every_prompt_answered(name: str, tmp_path: Path) -> None:
    folder = HERE / name
    life = read_life(folder)
    engine = RecordedEngine(Recording(folder), asked_as=life.asked_as)
    try:
        told = asyncio.run(live(life, engine, tmp_path))
    except BadInput as error:
        pytest.fail(f"{error}\n{REKEY.format(name=name)}")
    different = compared(folder / DAY, told)
    assert not different, f"{different}\n{REKEY.format(name=name)}"


@pytest.mark.parametrize("name", names())
def test_every_recorded_answer_is_asked_for(name: str, tmp_path: Path) -> None:
    """An answer that nobody asks for would be dead weight, and a sign that the life went another way."""
    folder = HERE / name
    life = read_life(folder)
    engine = NearMatchEngine(Recording(folder), asked_as=life.asked_as)
    asyncio.run(live(life, engine, tmp_path))
    assert not engine.unused
    assert not engine.unanswered
    assert engine.near == 0


@pytest.mark.parametrize("name", names())
def test_a_recording_stays_small_enough_for_the_repository(name: str) -> None:
    assert sum((HERE / name / file).stat().st_size for file in (FILE, PROMPTS)) < MOST_BYTES


class AnyOrder(StandIn):
    """Answers what instinct suggests, and lets questions that wait together overtake each other."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        for _ in range(self._random.randrange(30)):
            await asyncio.sleep(0)
        return await super().complete(request, on_text)


def test_it_does_not_matter_who_answers_first(tmp_path: Path) -> None:
    """A recording would be worth nothing if a day depended on the order in which people write their answers."""
    noon = PlayedLife("millbrook", (), clock.parse_datetime("2026-05-04 11:40"), 1 / 24, seed=3)
    recording = Recording(tmp_path / "answers")
    told = asyncio.run(live(noon, RecordedEngine(recording, AnyOrder(1)), tmp_path / "one"))
    assert told == asyncio.run(live(noon, RecordedEngine(Recording(tmp_path / "other"), AnyOrder(2)), tmp_path / "two"))
    again = RecordedEngine(Recording(tmp_path / "answers"))
    assert told == asyncio.run(live(noon, again, tmp_path / "three"))
    assert not again.missing
    assert "“" in told
