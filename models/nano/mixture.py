"""What the training text is made of: questions by weight, one sample after another, all from one seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from models.nano.draw import BRIEF, Draw, Split
from models.nano.questions import household, identity, importance, interview, listen, lookup, plan, react, reflect, say, talk_over
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
    "act": plan.act,
    "plan_steps": plan.steps,
    "replan": plan.replan,
    "plan_day": plan.day,
    "talk_over": talk_over.talk_over,
    "talk_relation": talk_over.relation,
    "commands": household.commands,
    "command": household.command,
    "critic": household.critic,
}
_ALL: Mapping[str, Maker] = {**MAKERS, "lookup": lookup.lookup}
"""With what is asked in training alone."""
WEIGHTS: Mapping[str, float] = {
    "interview": 10,
    "importance": 0.2,
    "say": 14,
    "react": 6,
    "listen": 0.2,
    "identity": 0.6,
    "reflect_questions": 0.8,
    "reflect_insights": 4,
    "act": 0.3,
    "plan_steps": 0.3,
    "replan": 0.1,
    "plan_day": 1,
    "talk_over": 4,
    "talk_relation": 0.2,
    "commands": 0.1,
    "command": 0.1,
    "critic": 0.1,
    "lookup": 3,
}
"""What instinct answers well, or a model of this size did not learn in the time there was, is drawn now and then only, so that its form
is known: a few questions learned are worth more than all of them begun."""

SCHOOL: Sequence[tuple[int, Mapping[str, float], float]] = (
    (120_000, {"lookup": 1}, 1.0),
    (148_000, {**WEIGHTS, "lookup": 40, "say": 5}, 1.0),
)
"""What training begins with: until which sample, questions by weight, and the share of brief prompts. Reading first, in short prompts: a
model that meets everything at once settles on "I don't know", and no longer learns to look up."""


def samples(
    seed: int, split: Split, weights: Mapping[str, float] = WEIGHTS, start: int = 0, each: int = 1, school: bool = False
) -> Iterator[Sample]:
    """An endless stream: sample `start`, and every `each`-th after it. With `school` it begins with reading alone.

    Sample `n` depends on nothing but the seed, the split, `school` and `n`, so training can go on where it stopped.
    """
    number = start
    while True:
        drawn, brief = next(((of, brief) for until, of, brief in SCHOOL if school and number < until), (weights, BRIEF))
        draw = Draw(f"{seed}/{number}", split, brief)
        number += each
        sample = _ALL[draw.rng.choices(list(drawn), list(drawn.values()))[0]](draw)
        if sample.turns:
            yield sample
