"""Reads what a talk begins with while a player comes near, so that the first answer need not wait for it: 12 s on two slow cores."""

from __future__ import annotations

import asyncio
import contextlib

from npc_server.errors import EngineError
from npc_server.lines.chat import examples_of, shown_in_chat
from npc_server.lines.model import QUESTION, SPOKEN
from npc_server.llm.engine import Priority, Request
from npc_server.mind.mind import Mind
from npc_server.records import GameTime

NEXT = "…"
"""Stands for the talk's first line, which is not known yet."""


def begin(mind: Mind, now: GameTime) -> None:
    """Begin to read who speaks and the example turns, unless that is under way. Nothing waits for it."""
    if mind.reading is None or mind.reading.done():
        rendered = mind.prompts.render("chat", shown_in_chat(mind, now))
        request = Request(
            system=rendered.part("system"), user=NEXT, reply=SPOKEN, seed=0, npc=mind.npc, stage=QUESTION, max_tokens=1,
            priority=Priority.NEAR, at=now, turns=examples_of(mind), free=True,
        )  # fmt: skip
        mind.reading = asyncio.get_running_loop().create_task(_read(mind, request))


async def _read(mind: Mind, request: Request) -> None:
    with contextlib.suppress(EngineError):  # then the line reads it itself
        await mind.engine.complete(request)
