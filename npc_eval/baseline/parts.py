"""Asks what several stages of the baseline need: subject, predicate and object of an event, and the importance of a thought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from npc_server.cognition.importance import rate
from npc_server.english.text import clipped
from npc_server.llm.reply import Text, many
from npc_server.mind.ask import ask
from npc_server.mind.baseline import Triple
from npc_server.mind.mind import Mind
from npc_server.records import GameTime


@dataclass(frozen=True)
class Event:
    subject: Annotated[str, Text(60)]
    predicate: Annotated[str, Text(40)]
    object: Annotated[str, Text(100)]


async def triple(mind: Mind, text: str, now: GameTime) -> Triple:
    """Asks for subject, predicate and object of an event or a thought."""
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


async def weigh(mind: Mind, text: str, now: GameTime) -> tuple[int, Triple]:
    """Asks for the importance of a thought and for its triple, in a call for each."""
    found = await triple(mind, text, now)
    return (await rate(mind, [text], now))[0], found
