"""How much a memory matters (Generative Agents, section 4.1): asked once for all that is new, and not for what is plainly mundane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from npc_server.cognition import instinct
from npc_server.cognition.ask import ask
from npc_server.cognition.mind import Mind
from npc_server.llm.reply import Integer, many
from npc_server.records import GameTime


@dataclass(frozen=True)
class Rating:
    importance: Annotated[int, Integer(1, 10)]


async def rate(mind: Mind, texts: Sequence[str], now: GameTime) -> list[int]:
    """Importance of each, 1 (mundane) to 10 (life changing), asked of the model in one call; instinct knows what is mundane."""
    by_instinct = [instinct.importance(text) for text in texts]
    unsure = [i for i, value in enumerate(by_instinct) if value > 1]
    if not unsure:
        return by_instinct
    answer = await ask(
        mind,
        "importance",
        many(Rating, len(unsure), len(unsure)),
        lambda: tuple(Rating(by_instinct[i]) for i in unsure),
        now,
        max_tokens=4 * len(unsure) + 8,
        memories=[texts[i] for i in unsure],
    )
    for i, rating in zip(unsure, answer.value, strict=True):
        by_instinct[i] = rating.importance
    return by_instinct
