"""Importance as the reference asks for it: one question for each event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from npc_server.llm.reply import Integer, one
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.records import GameTime


@dataclass(frozen=True)
class SingleRating:
    importance: Annotated[int, Integer(1, 10)]


async def rate(mind: Mind, text: str, by_instinct: int, now: GameTime) -> int:
    answer = await ask(mind, "ga_importance", one(SingleRating), lambda: SingleRating(by_instinct), now, max_tokens=8, memory=text)
    return answer.value.importance
