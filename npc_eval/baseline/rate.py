"""Asks for importance as the reference does, in one question for each event."""

from __future__ import annotations

from npc_server.llm.reply import one
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import Rating
from npc_server.records import GameTime


async def rate(mind: Mind, text: str, by_instinct: int, now: GameTime) -> int:
    answer = await ask(mind, "ga_importance", one(Rating), lambda: Rating(by_instinct), now, max_tokens=8, memory=text)
    return answer.value.importance
