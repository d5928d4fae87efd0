"""Every town lives a day by the least instinct there can be: no stage leans on a rule of English."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from npc_eval.simulation.report import Report
from npc_eval.simulation.run import Simulation, simulate
from npc_server.clock import DAY, HOUR
from npc_server.cognition import converse, interview
from npc_server.config import load_settings
from npc_server.local.server import local_server
from npc_server.mind.mind import Mind
from npc_server.personas.voice import OnlyThere
from npc_server.records import Line, Source, Talk
from npc_server.sandbox.towns import find_cast
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def live(folder: Path, town: str) -> Report:
    async def run() -> Report:
        settings = load_settings(save={"folder": folder}, engine={"model": "none", "embedding_model": "none"}, mind={"instinct": "minimal"})
        async with local_server(settings) as local:
            return await simulate(local.connection, find_cast(town), Simulation("day", 7, 1.0))

    return asyncio.run(run())


@pytest.mark.parametrize("town", ["millbrook", "alderwick", "household"])
def test_a_town_lives_a_day_by_the_routine_and_i_dont_know(tmp_path: Path, town: str) -> None:
    report = live(tmp_path, town)
    for persona in find_cast(town).people:
        mine = [it for it in report.actions if it.npc == persona.id]
        done = [it for it in mine if not it.failure]
        assert mine[0].start == report.start, persona.id
        assert mine[-1].end == report.end == report.start + DAY, persona.id
        assert all(after.start - before.end <= HOUR for before, after in pairwise(mine)), persona.id
        assert any(it.address == persona.home for it in done), f"{persona.id} is never in its own bed"
        assert len({it.address for it in done}) >= 3, f"{persona.id} hardly moves: {sorted({it.address for it in done})}"
        assert len(done) * 4 >= len(mine) * 3, f"{persona.id} fails at {len(mine) - len(done)} of {len(mine)}"


async def test_it_greets_with_the_first_line_that_fits(make_mind: MakeMind) -> None:
    mind = make_mind(instinct="minimal")
    voice = replace(mind.persona.voice, greetings=("Come in.", "Hello."), only=(OnlyThere("Come in.", "millbrook:cafe"),))
    mind.persona = replace(mind.persona, voice=voice)
    for place, line in (("millbrook:lane", "Hello."), ("millbrook:cafe:kitchen", "Come in.")):
        said = await converse.say(mind, Talk("t", (mind.npc, "Ada"), place, MORNING), MORNING, frozenset())
        assert said.text == line


async def test_whoever_is_asked_says_that_they_do_not_know(make_mind: MakeMind) -> None:
    mind = make_mind(instinct="minimal")
    lines = (Line("Ada", "Where is the mill?", MORNING),)
    said = await converse.say(mind, Talk("t", ("Ada", mind.npc), "", MORNING, lines), MORNING, frozenset())
    answer, _ = await interview.interview(mind.aside(), "Where is the mill?", MORNING)
    assert (said.text, said.leaves, said.source) == ("I don't know.", False, Source.INSTINCT)
    assert answer.value == "I don't know."
