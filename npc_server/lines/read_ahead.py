"""Reads ahead what a talk begins with, so that an answer need not wait for it: while a player comes near, and while one reads and types.

A slow machine takes 12 s and more for it. What was read for a line that came too late counts for the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

from npc_server.errors import EngineError
from npc_server.lines.chat import QUESTION, SPOKEN, examples_of, shown_in_chat
from npc_server.llm.engine import Priority, Request
from npc_server.mind.answerer import Speaker
from npc_server.mind.chat import NOTHING_HEARD
from npc_server.mind.listening import listening
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Talk


def before_talk(mind: Mind, now: GameTime) -> None:
    """Get ready for a player who came near: the bank, the language model, and npc-rerank, which begins with who answers."""
    speaker = mind.answerer.for_player().speaker
    if mind.tools.chooser is not None and speaker is not Speaker.BY_QUESTION:
        mind.tools.chooser.bank.meet(mind.persona.manner)
    if speaker is Speaker.IN_CHAT:
        begin_chat(mind, now)
    if _reads_again(mind):
        mind.tools.embedder.read_ahead(listening(mind, "", (), now))


def next_line(mind: Mind, talk: Talk, player: str, now: GameTime) -> None:
    """Let npc-rerank read the talk to which the player's next line belongs, while they read the answer and type."""
    if player not in mind.people.names and _reads_again(mind):
        mind.tools.embedder.read_ahead(listening(mind, "", talk.lines, now, player))


def _reads_again(mind: Mind) -> bool:
    return (
        mind.tools.chooser is not None
        and mind.answerer.for_player().speaker is not Speaker.BY_QUESTION
        and bool(mind.tools.chooser.weights.rerank)
    )


def begin_chat(mind: Mind, now: GameTime) -> None:
    """Begin to read who speaks and the example turns, unless that is under way. Nothing waits for it."""
    if not mind.talks.reading.goes_on:
        rendered = mind.tools.prompts.render("chat", shown_in_chat(mind, now))
        request = Request(
            system=rendered.part("system"), user=NOTHING_HEARD, reply=SPOKEN, seed=0, npc=mind.npc, stage=QUESTION, max_tokens=1,
            priority=Priority.NEAR, at=now, turns=examples_of(mind), free=True,
        )  # fmt: skip
        mind.talks.reading.task = asyncio.get_running_loop().create_task(_read(mind, request))


def go_on(mind: Mind, request: Request) -> None:
    """Read the rest of a line's chat for which a player has waited too long. Memory or the bank answers meanwhile."""
    if not mind.talks.reading.goes_on:
        rest = replace(request, max_tokens=1, priority=Priority.NEAR)
        mind.talks.reading.task = asyncio.get_running_loop().create_task(_read(mind, rest))


async def stop(mind: Mind) -> None:
    """Stop reading ahead, since a line is asked for now. The model keeps what it has read, and goes on from there."""
    task = mind.talks.reading.task
    if task is not None and not task.done():
        task.cancel()
        await asyncio.wait({task})


async def _read(mind: Mind, request: Request) -> None:
    with contextlib.suppress(EngineError):  # then the line reads it itself
        await mind.tools.engine.complete(request)
