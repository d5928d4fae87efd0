"""What minds cost, with the stand-in on a short morning."""

from __future__ import annotations

import asyncio

import pytest

from npc_eval.cost.runs import BASELINE, VARIANTS, Run, in_order, run
from npc_eval.stand_in import StandIn
from npc_server.config import load_settings
from npc_server.sandbox.towns import find_cast

SOME = {variant.name: variant for variant in VARIANTS}

# One process of pytest-xdist, so that the fixture of the module is made once.
pytestmark = pytest.mark.xdist_group("cost runs")


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """A day's beginning in Millbrook as the baseline, with all parts cold, and warm."""

    async def play() -> dict[str, Run]:
        settings = load_settings(None, engine={"embedding_model": "none", "model": "none"})
        cast = find_cast("millbrook")
        found: dict[str, Run] = {}
        for name in (BASELINE, "all", "all, warm"):
            before = found[SOME[name].warm].policies if SOME[name].warm else None
            found[name] = await run(settings, SOME[name], cast, 0.45, 7, StandIn(), before)
        return found

    return asyncio.run(play())


def test_the_baseline_asks_eight_questions_for_an_action(runs: dict[str, Run]) -> None:
    stages = runs[BASELINE].spent.by_stage
    assert stages["ga_sector"][0] == stages["ga_emoji"][0] > 20
    assert {"ga_arena", "ga_object", "ga_triple", "ga_object_state", "ga_object_emoji"} <= set(stages)
    assert not {"plan_steps", "act", "talk_over"} & set(stages)


def test_affordable_minds_ask_for_far_less_and_do_as_much(runs: dict[str, Run]) -> None:
    baseline, cold = runs[BASELINE], runs["all"]
    assert cold.spent.tokens < baseline.spent.tokens / 3
    assert cold.behaviour.actions > baseline.behaviour.actions / 2
    assert not [stage for stage in cold.spent.by_stage if stage.startswith("ga_")]


def test_policies_of_an_earlier_run_spare_the_questions_for_steps(runs: dict[str, Run]) -> None:
    cold, warm = runs["all"].spent.by_stage, runs["all, warm"].spent.by_stage
    # The second hour of a long activity is planned on its own: no policy serves it.
    assert warm.get("plan_steps", (0, 0))[0] < cold["plan_steps"][0] / 2
    assert runs["all, warm"].behaviour.by_source["policy"] > runs["all"].behaviour.by_source.get("policy", 0)


def test_every_question_had_a_reply(runs: dict[str, Run]) -> None:
    assert [run.spent.unanswered for run in runs.values()] == [0, 0, 0]


def test_plans_are_valid_and_places_fit_in_both(runs: dict[str, Run]) -> None:
    for name in (BASELINE, "all"):
        assert runs[name].behaviour.steps_valid > 0.95
        assert runs[name].behaviour.places_fit > 0.8


def test_a_warm_run_brings_the_run_it_begins_with_and_the_baseline() -> None:
    assert [variant.name for variant in in_order([SOME["all, warm"]])] == [BASELINE, "all", "all, warm"]


def test_other_words_in_plans_make_policies_fit_less_often() -> None:
    async def policy_actions(reword: float) -> int:
        settings = load_settings(None, engine={"embedding_model": "none", "model": "none"})
        done = await run(settings, SOME["all"], find_cast("millbrook"), 0.45, 7, StandIn(reword=reword))
        return done.behaviour.by_source.get("policy", 0)

    assert asyncio.run(policy_actions(1.0)) < asyncio.run(policy_actions(0.0))
