"""A mind's copy of a part, and what stays shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass

from npc_server.mind.mind import LIVED, Mind
from npc_server.mind.parts.copying import copied
from npc_server.records import PlanLevel, PlanStep, Social
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


def step(text: str) -> PlanStep:
    return PlanStep("mara_voss", 0, PlanLevel.HOUR, 0, MORNING, MORNING + 3600, text)


def test_what_changes_in_a_copy_leaves_the_part_alone_and_what_minds_share_stays_shared(make_mind: MakeMind) -> None:
    mind = make_mind()
    own = copied(mind.lifestyle)
    own.living[1], own.deeds = object(), (object(),)  # type: ignore[assignment]
    assert (mind.lifestyle.living, mind.lifestyle.deeds) == ({}, ())
    assert own.policies is mind.lifestyle.policies


def test_a_mind_aside_leaves_no_trace_in_any_part(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.add_steps([step("bake")])
    before = {name: copied(getattr(mind, name)) for name in LIVED}
    aside = mind.aside()
    aside.add_steps([step("swim")])
    aside.relationships.social["Robin"] = Social("mara_voss", "Robin", "stranger", "", "", 0, 0, 0)
    aside.feelings.needs_at, aside.identity.currently, aside.reflecting.importance_since = 7, "The sea calls.", 9
    assert {name: getattr(mind, name) for name in LIVED} == before
    assert [it.text for it in mind.planned().of_day[PlanLevel.HOUR, mind.day_of(MORNING)]] == ["bake"]


def test_every_part_that_is_lived_is_a_part(make_mind: MakeMind) -> None:
    parts = {it.name for it in fields(Mind) if is_dataclass(getattr(make_mind(), it.name))}
    assert set(LIVED) <= parts
