"""Reads ahead what a talk begins with, so that an answer need not wait for it: when nothing else is to be done, while a player comes near,
and while one reads and types.

A slow machine takes 12 s and more for it. What was read for a line that came too late counts for the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace

from npc_server.errors import EngineError, Overloaded
from npc_server.lines.chat import QUESTION, SPOKEN, begun, examples_of, shown_in_chat
from npc_server.lines.context import expected
from npc_server.llm.engine import Priority, Request
from npc_server.mind.answerer import Speaker
from npc_server.mind.chat import NOTHING_HEARD
from npc_server.mind.listening import listening
from npc_server.mind.mind import Mind
from npc_server.records import Address, GameTime, Talk, Turn

READ_IN_S = 600.0
"""Wall seconds in which a person is read when nothing else is to be done."""


def before_talk(mind: Mind, now: GameTime, place: Address = "") -> None:
    """Get ready at a place for a player who came near: the bank, the language model, and npc-rerank, which begins with who answers."""
    speaker = mind.answerer.for_player().speaker
    if mind.tools.chooser is not None and speaker is not Speaker.BY_QUESTION:
        mind.tools.chooser.bank.meet(mind.persona.manner)
    if speaker is Speaker.IN_CHAT:
        begin_chat(mind, now, place)
    if _reads_again(mind):
        mind.tools.embedder.read_ahead(listening(mind, "", (), now))


def next_line(mind: Mind, talk: Talk, player: str, now: GameTime) -> None:
    """Read the talk to which the player's next line belongs, while they read the answer and type: npc-rerank and the language model do."""
    if player not in mind.people.names and _reads_again(mind):
        mind.tools.embedder.read_ahead(listening(mind, "", talk.lines, now, player))
    chat = mind.talks.chat
    if chat is not None and chat.talk == talk.id and mind.answerer.for_player().speaker is Speaker.IN_CHAT:
        so_far = _reading(mind, now, chat.system, chat.turns(talk, mind.npc, mind.people.names), len(chat.examples))
        mind.talks.reading.task = asyncio.get_running_loop().create_task(_read_after(mind, so_far, mind.talks.reading.task))


async def _read_after(mind: Mind, request: Request, earlier: asyncio.Task[None] | None) -> None:
    """Read once an earlier reading is over: it has read a part of it."""
    if earlier is not None:
        try:
            await asyncio.wait({earlier})
        finally:
            earlier.cancel()
    await _read(mind, request)


def _reads_again(mind: Mind) -> bool:
    return (
        mind.tools.chooser is not None
        and mind.answerer.for_player().speaker is not Speaker.BY_QUESTION
        and bool(mind.tools.chooser.weights.rerank)
    )


def begin_chat(mind: Mind, now: GameTime, place: Address = "") -> None:
    """Begin to read who speaks, the example turns, and the note with which a talk would begin now, unless that is under way.

    Nothing waits for it.
    """
    if not mind.talks.reading.goes_on:
        mind.talks.reading.task = asyncio.get_running_loop().create_task(_read_opening(mind, now, place))


async def _read_opening(mind: Mind, now: GameTime, place: Address) -> None:
    player = next(reversed(mind.talks.players), "")
    opening = NOTHING_HEARD
    if player:
        with contextlib.suppress(EngineError):  # what lasts may be read all the same
            talk = Talk("", (mind.npc, player), place, now)
            opening = (await begun(mind, talk, now, expected(mind, talk, now))).opening
    await _read(mind, replace(_lasting(mind, now), user=opening))


async def read_person(mind: Mind, now: GameTime) -> None:
    """Let the model read who speaks and the example turns, and keep that on disk, if it is not there yet. Nobody waits for it."""
    if mind.answerer.for_player().speaker is Speaker.IN_CHAT and not mind.talks.reading.goes_on:
        request = replace(_lasting(mind, now), priority=Priority.IDLE, only_reads=True, deadline_s=READ_IN_S)
        reading = mind.talks.reading.task = asyncio.get_running_loop().create_task(_read(mind, request))
        try:
            await asyncio.wait({reading})
        finally:
            reading.cancel()


def _lasting(mind: Mind, now: GameTime) -> Request:
    """What asks the model to read what every talk of this mind begins with."""
    rendered, examples = mind.tools.prompts.render("chat", shown_in_chat(mind, now)), examples_of(mind)
    return _reading(mind, now, rendered.part("system"), examples, len(examples))


def _reading(mind: Mind, now: GameTime, system: str, turns: Sequence[Turn], lasting: int) -> Request:
    """What asks the model to read a chat, of which the first `lasting` turns stand in every talk."""
    return Request(
        system=system, user=NOTHING_HEARD, reply=SPOKEN, seed=0, npc=mind.npc, stage=QUESTION, max_tokens=1,
        priority=Priority.NEAR, at=now, turns=tuple(turns), lasting_turns=lasting, free=True,
    )  # fmt: skip


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
    with contextlib.suppress(EngineError, Overloaded):  # then the line reads it itself
        await mind.tools.engine.complete(request)
