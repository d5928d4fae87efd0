"""What a stand-in for a model replies when it is asked to reflect (`evaluation.stand_in`), so that the costs of reflecting are counted.

Without a model nobody reflects: what follows from memories takes one that reads. So `cognition.reflect` never stores these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from npc_server import clock
from npc_server.english.text import clipped
from npc_server.mind.mind import Mind
from npc_server.mind.replies import INSIGHTS, QUESTIONS, FocalQuestion, Insight
from npc_server.records import GameTime, Memory

CITED = 5
"""Memories that an insight cites, at most."""


def reflect_insights(mind: Mind, shown: Sequence[Memory], now: GameTime) -> tuple[Insight, ...]:
    """The reply to the prompt `reflect_insights`: whom and what the NPC thought about much."""
    first, day = mind.persona.first_name, clock.date(now)
    about: dict[str, list[int]] = {}
    for number, memory in enumerate(shown, start=1):
        subject = mind.world.describe(memory.subject) if memory.subject in mind.world else memory.subject
        about.setdefault(subject or "the days gone by", []).append(number)
    return tuple(
        Insight(clipped(f"On {day} {first} thought much of {subject}", 180), tuple(numbers[:CITED]))
        for subject, numbers in list(about.items())[:INSIGHTS]
    )


def reflect_questions(mind: Mind, latest: Sequence[Memory]) -> tuple[FocalQuestion, ...]:
    """The reply to the prompt `reflect_questions`: about the people whom the NPC meets most, and about itself."""
    first = mind.persona.first_name
    met = Counter(memory.subject for memory in latest if memory.subject in mind.people.names.values())
    about = [f"What is {name} to {first}?" for name, _ in met.most_common(QUESTIONS)]
    own = [f"What matters most to {first} now?", f"What has changed for {first} lately?", f"What should {first} do next?"]
    return tuple(FocalQuestion(clipped(question, 140)) for question in (about + own)[:QUESTIONS])
