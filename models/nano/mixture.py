"""What the training text is made of: questions by weight, one sample after another, all from one seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from models.nano.draw import Draw, Split
from models.nano.questions import household, identity, importance, interview, listen, plan, react, reflect, say, talk_over
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
WEIGHTS: Mapping[str, float] = {
    "interview": 8,
    "importance": 1.5,
    "say": 6,
    "react": 3,
    "listen": 0.4,
    "identity": 0.8,
    "reflect_questions": 0.6,
    "reflect_insights": 1,
    "act": 2.5,
    "plan_steps": 2.5,
    "replan": 0.6,
    "plan_day": 2,
    "talk_over": 2,
    "talk_relation": 0.2,
    "commands": 1,
    "command": 0.3,
    "critic": 0.3,
}


def samples(seed: int, split: Split, weights: Mapping[str, float] = WEIGHTS, start: int = 0, each: int = 1) -> Iterator[Sample]:
    """An endless stream: sample `start`, and every `each`-th after it.

    Sample `n` depends on nothing but the seed, the split and `n`, so training can go on where it stopped.
    """
    names, sizes = list(weights), list(weights.values())
    number = start
    while True:
        draw = Draw(f"{seed}/{number}", split)
        number += each
        sample = MAKERS[draw.rng.choices(names, sizes)[0]](draw)
        if sample.turns:
            yield sample
