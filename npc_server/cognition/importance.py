"""How much a memory matters (Generative Agents, section 4.1): asked once for all that is new, and not for what rules are sure of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from npc_server.cognition import instinct, weigh
from npc_server.cognition.ask import ask
from npc_server.cognition.mind import Mind
from npc_server.cognition.reference import rate as reference
from npc_server.llm.reply import Integer, many
from npc_server.records import GameTime

MUNDANE = 1


@dataclass(frozen=True)
class Rating:
    importance: Annotated[int, Integer(1, 10)]


async def rate(mind: Mind, texts: Sequence[str], now: GameTime) -> list[int]:
    """Importance of each, 1 (mundane) to 10 (life changing); the model is asked for what rules are not sure of."""
    if not mind.engine.status().ready:
        found = [(value := instinct.importance(text), value == MUNDANE) for text in texts]
    else:
        found = [weigh.by_rules(text, mind.places.everyday()) for text in texts]
        if not mind.settings.uses("rule_importance"):
            # Things in a state nobody remarks on, and plans, are never asked about: the reference, too, rates what is idle 1 and plans 5.
            found = [
                (value, weigh.is_plan(text) or instinct.importance(text) == MUNDANE) for (value, _), text in zip(found, texts, strict=True)
            ]
    values = [value for value, _ in found]
    unsure = [i for i, (_, sure) in enumerate(found) if not sure]
    if not unsure:
        return values
    if not mind.settings.uses("fuller_calls"):
        for i in unsure:
            values[i] = await reference.rate(mind, texts[i], values[i], now)
        return values
    answer = await ask(
        mind,
        "importance",
        many(Rating, len(unsure), len(unsure)),
        lambda: tuple(Rating(values[i]) for i in unsure),
        now,
        max_tokens=4 * len(unsure) + 8,
        memories=[texts[i] for i in unsure],
    )
    for i, rating in zip(unsure, answer.value, strict=True):
        values[i] = rating.importance
    return values
