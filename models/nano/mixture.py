"""The data mixture of the training text: prompts by weight, one sample after another, from one seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from models.nano.draw import Draw, Split
from models.nano.questions import (
    act,
    household,
    identity,
    importance,
    interview,
    listen,
    lookup,
    plan_day,
    plan_hour,
    react,
    reflect,
    say,
    talk_over,
)
from models.nano.render import Sample

Maker = Callable[[Draw], Sample]
MAKERS: Mapping[str, Maker] = {
    "interview": interview.interview,
    "importance": importance.importance,
    "say": say.say,
    "react": react.react,
    "listen": listen.listen,
    "identity": identity.identity,
    "reflect_questions": reflect.questions,
    "reflect_insights": reflect.insights,
    "act": act.act,
    "plan_steps": plan_hour.plan_steps,
    "replan": plan_hour.replan,
    "plan_day": plan_day.plan_day,
    "talk_over": talk_over.talk_over,
    "talk_relation": talk_over.relation,
    "commands": household.commands,
    "command": household.command,
    "critic": household.critic,
}
_ALL: Mapping[str, Maker] = {**MAKERS, "lookup": lookup.lookup}
"""With prompts that only training has."""
WEIGHTS: Mapping[str, float] = {
    "interview": 16,
    "importance": 0.1,
    "say": 12,
    "react": 0.5,
    "listen": 0.4,
    "identity": 0.4,
    "reflect_questions": 0.1,
    "reflect_insights": 0.2,
    "act": 0.2,
    "plan_steps": 0.1,
    "replan": 0.05,
    "plan_day": 0.1,
    "talk_over": 0.2,
    "talk_relation": 0.3,
    "commands": 0.05,
    "command": 0.05,
    "critic": 0.05,
    "lookup": 8,
}
"""Relative frequency of each prompt. Those asked in play have most; those in `export.NOT_ASKED` have little, so that the model keeps
the ability."""


def samples(seed: int, split: Split, weights: Mapping[str, float] = WEIGHTS, start: int = 0, each: int = 1) -> Iterator[Sample]:
    """An endless stream of samples: sample `start`, and every `each`-th after it.

    Sample `n` depends only on the seed, the split and `n`, so training can continue where it stopped.
    """
    number = start
    while True:
        draw = Draw(f"{seed}/{number}", split)
        number += each
        sample = _ALL[draw.rng.choices(list(weights), list(weights.values()))[0]](draw)
        if sample.turns:
            yield sample
