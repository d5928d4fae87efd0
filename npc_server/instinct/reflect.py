"""Reflecting without a model: focal questions, insights, and conclusions from patterns (Generative Agents, section 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from npc_server import clock
from npc_server.english.text import clipped
from npc_server.instinct.conclusions import conclude
from npc_server.mind.instinct import Conclusion
from npc_server.mind.mind import Mind
from npc_server.mind.replies import INSIGHTS, KNOWN_INSIGHTS, QUESTIONS, FocalQuestion, Insight
from npc_server.records import GameTime, Memory, MemoryKind, MemoryTopic

OFTEN = 5
"""Sights of a person in the latest records from which on the NPC sees them often."""


def reflect_insights(mind: Mind, shown: Sequence[Memory], now: GameTime) -> tuple[Insight, ...]:
    """The reply to the prompt `reflect_insights`: whom and what the NPC thought about much."""
    first, day = mind.persona.first_name, clock.date(now)
    about: dict[str, list[int]] = {}
    for number, memory in enumerate(shown, start=1):
        subject = mind.world.describe(memory.subject) if memory.subject in mind.world else memory.subject
        about.setdefault(subject or "the days gone by", []).append(number)
    return tuple(
        Insight(clipped(f"On {day} {first} thought much of {subject}", 180), tuple(numbers[:OFTEN]))
        for subject, numbers in list(about.items())[:INSIGHTS]
    )


def reflect_questions(mind: Mind, latest: Sequence[Memory]) -> tuple[FocalQuestion, ...]:
    """The reply to the prompt `reflect_questions`: about the people whom the NPC meets most, and about itself."""
    first = mind.persona.first_name
    met = Counter(memory.subject for memory in latest if memory.subject in mind.names.values())
    about = [f"What is {name} to {first}?" for name, _ in met.most_common(QUESTIONS)]
    own = [f"What matters most to {first} now?", f"What has changed for {first} lately?", f"What should {first} do next?"]
    return tuple(FocalQuestion(clipped(question, 140)) for question in (about + own)[:QUESTIONS])


def conclusions(mind: Mind, latest: Sequence[Memory]) -> list[Conclusion]:
    """Conclusions from patterns, and whom the NPC sees often."""
    known = [memory.text for memory in mind.stream.latest(KNOWN_INSIGHTS, (MemoryKind.REFLECTION,))]
    names, everyday = mind.names.values(), mind.places.everyday()
    drawn = conclude(
        [memory for memory in latest if memory.topic is not MemoryTopic.ASKED],  # nobody concludes anything from a question
        mind.persona.name,
        names,
        known,
        lambda key: mind.seed_for("concluded", key),
        everyday,
    )
    return ([Conclusion(text, evidence) for text, evidence in drawn] + _seen_often(mind, latest))[:INSIGHTS]


def _seen_often(mind: Mind, latest: Sequence[Memory]) -> list[Conclusion]:
    met = Counter(memory.subject for memory in latest if memory.subject in mind.names.values())
    return [
        Conclusion(
            f"{mind.persona.first_name} often sees {name} these days",
            tuple(memory.id for memory in latest if memory.subject == name)[:OFTEN],
            MemoryTopic.MET,
        )
        for name, times in met.most_common(INSIGHTS)
        if times >= OFTEN
    ]
