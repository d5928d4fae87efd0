"""Reflects as the reference does: three focal points, and five insights from the memories of each (`generate_insights_and_evidence`)."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server.llm.reply import Numbers, Text, many
from npc_server.mind.ask import ask
from npc_server.mind.baseline import Conclusion
from npc_server.mind.mind import Mind
from npc_server.mind.replies import INSIGHTS, QUESTIONS, FocalQuestion, Insight
from npc_server.mind.retrieve import retrieve
from npc_server.records import GameTime, Memory, Source

FOR_EACH = 30
"""How many memories the prompt shows for each focal point."""


async def insights(mind: Mind, latest: Sequence[Memory], now: GameTime) -> list[Conclusion]:
    """The insights with the ids of their evidence; none if the model gave no focal points."""
    asked = await ask(
        mind,
        "ga_focal_points",
        many(FocalQuestion, QUESTIONS, QUESTIONS),
        lambda: mind.instinct.reflect_questions(mind, latest),
        now,
        max_tokens=40 * QUESTIONS,
        memories=[memory.text for memory in reversed(latest)],
    )
    if asked.source is Source.INSTINCT:
        return []
    found: list[Conclusion] = []
    for point in asked.value:
        shown = [scored.memory for scored in await retrieve(mind, point.question, now, FOR_EACH)]
        if not shown:
            continue
        suggested = mind.instinct.reflect_insights(mind, shown, now)
        answer = await ask(
            mind,
            "ga_insights",
            many(Insight, 1, INSIGHTS, insight=Text(180), memories=Numbers(tuple(range(1, len(shown) + 1)))),
            lambda suggested=suggested: suggested,  # type: ignore[misc]
            now,
            max_tokens=60 * INSIGHTS,
            memories=[f"{i}. {memory.text}" for i, memory in enumerate(shown, start=1)],
            wanted=INSIGHTS,
        )
        if answer.source is Source.MODEL:
            found += [Conclusion(item.insight, tuple(shown[i - 1].id for i in item.memories)) for item in answer.value]
    return found
