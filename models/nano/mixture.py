"""What the training text is made of: questions by weight, one sample after another, all from one seed."""

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
"""With what is asked in training alone."""
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
"""How often each is drawn. What the file is asked in play and is hardest is drawn most; the rest, which `export.NOT_ASKED` names, so
that it stays able to."""


def samples(seed: int, split: Split, weights: Mapping[str, float] = WEIGHTS, start: int = 0, each: int = 1) -> Iterator[Sample]:
    """An endless stream: sample `start`, and every `each`-th after it.

    Sample `n` depends on nothing but the seed, the split and `n`, so training can go on where it stopped.
    """
    number = start
    while True:
        draw = Draw(f"{seed}/{number}", split)
        number += each
        sample = _ALL[draw.rng.choices(list(weights), list(weights.values()))[0]](draw)
        if sample.turns:
            yield sample
