from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from npc_eval.benchmarks.apart import ServerLook
from npc_eval.benchmarks.people import crowd, figure, people, towns
from npc_eval.benchmarks.slow_endpoint import drawn
from npc_server.llm.endpoint import as_json
from tests.llm.kinds import KINDS

WITH_BOUNDS = ("integer", "numbers", "record", "insights", "acts")
"""Replies with numbers of a range, which JSON schemas do not tell endpoints."""
NOTHING = ServerLook(0.0, 1.0, 100.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ())


def test_the_figures_are_those_of_the_time_measured() -> None:
    first = replace(NOTHING, at_s=10.0, cpu_s=3.0, thoughts=50, answers=40, failures=1, lags_ms=(900.0,))
    looks = [
        replace(first, at_s=11.0, at_work=2, lags_ms=(1.0, 1.0)),
        replace(first, at_s=12.0, at_work=6, cpu_s=3.5, memory_mb=150.0, thoughts=150, answers=240, failures=3, lags_ms=(1.0, 5.0)),
    ]
    found = figure(25, NOTHING, first, looks)
    assert (found.thoughts_per_s, found.questions_per_s, found.cpu_ms_a_thought) == (50.0, 100.0, 5.0)
    assert (found.active_percent, found.memory_mb_a_mind, found.refused) == (16.0, 2.0, 2)
    assert (found.lag_p50_ms, found.lag_max_ms) == (1.0, 5.0)


def test_a_crowd_has_everybody_of_the_town_and_others_with_names_of_their_own() -> None:
    cast = crowd(8, "millbrook")  # three people of its own, and copies of them
    assert len({person.id for person in cast.people}) == len({person.name for person in cast.people}) == 8
    assert {"mara_voss", "mara_voss_1", "mara_voss_2"} <= {person.id for person in cast.people}
    assert len({document.name for document in cast.persona_files}) == 8
    assert [person.id for person in crowd(2, "millbrook").people] == ["ines_calder", "mara_voss"]


def test_more_people_than_a_save_may_have_live_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("npc_eval.benchmarks.people.MOST_PEOPLE", 4)
    monkeypatch.setattr("npc_eval.benchmarks.people.crowd", lambda count: crowd(count, "millbrook"))
    assert [len(cast.people) for cast in towns(10)] == [4, 4, 2]


@pytest.mark.parametrize("name", [name for name in KINDS if name not in WITH_BOUNDS])
def test_a_drawn_reply_can_be_read(name: str) -> None:
    reply = KINDS[name]
    made = drawn(as_json.schema(reply), random.Random(3))
    reply.parse(as_json.lines(reply, json.dumps(made)))


@pytest.mark.slow
def test_bench_measures_a_few_people_with_endpoints() -> None:
    (found,) = people((3,), (0.5,), seconds=3.0)
    assert found.people == 3
    assert found.thoughts_per_s > 0
    assert found.questions_per_s > 0
    assert found.cpu_ms_a_thought > 0
