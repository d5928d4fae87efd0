"""What several stages of the baseline ask: the subject, predicate and object of an event, and how much one thought matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from npc_server.cognition.importance import rate
from npc_server.english.text import clipped
from npc_server.llm.reply import Text, many
from npc_server.mind.ask import ask
from npc_server.mind.baseline import Triple
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, MemoryTopic


@dataclass(frozen=True)
class Event:
    subject: Annotated[str, Text(60)]
    predicate: Annotated[str, Text(40)]
    object: Annotated[str, Text(100)]


async def triple(mind: Mind, text: str, now: GameTime) -> Triple:
    """Of an event or a thought, in a call of its own."""
    first = mind.persona.first_name
    answer = await ask(
        mind,
        "ga_triple",
        many(Event, 1, 1),
        lambda: (Event(first, "thinks", clipped(text, 100, "nothing")),),
        now,
        max_tokens=40,
        event=text,
    )
    event = answer.value[0]
    return event.subject, event.predicate, event.object


async def weigh(mind: Mind, text: str, now: GameTime, topic: MemoryTopic = MemoryTopic.OTHER) -> tuple[int, Triple]:
    """How much a thought matters, and what it is of: a call for each."""
    found = await triple(mind, text, now)
    return (await rate(mind, [text], now, topics=[topic]))[0], found
