"""Draws several replies to one question, of which one is then chosen (`mind/choose_line.py`). A small model draws good ones and bad ones.

All draws read the prompt once and are written in one batch. One that cannot be read, or in which something is wrong, is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from npc_server.errors import EngineError, ReplyUnreadable
from npc_server.llm.engine import Request
from npc_server.llm.reply import ReplyType
from npc_server.mind.ask import MENDED, NOTHING, ReplyReader, completed, note, prompt_for, why_not_asked
from npc_server.mind.mind import Mind
from npc_server.prompts.budget import Prompt
from npc_server.prompts.load import Trusted
from npc_server.records import CallOutcome, GameTime

R = TypeVar("R")


@dataclass(frozen=True)
class Drawn(Generic[R]):
    """The replies to one question that can be used."""

    shown: str = ""
    """All that the model was shown; empty if it was not asked."""
    replies: tuple[R, ...] = ()


async def draw(
    mind: Mind,
    question: str,
    reply: ReplyType[R],
    now: GameTime,
    /,
    *,
    count: int,
    check: Callable[[R], str] | None = None,
    max_tokens: int = 256,
    **values: object,
) -> Drawn[R]:
    """The usable ones of `count` replies to the question whose template is `<question>.prompt`.

    `check` says what is wrong with a reply, or nothing. Each draw has a seed of its own, and the ledger counts each.
    """
    if reason := why_not_asked(mind, question, now):
        note(mind, question, now, NOTHING, CallOutcome.INSTINCT, reason)
        return Drawn()
    try:
        prompt = await prompt_for(mind, question, {"format": Trusted(reply.format_text()), **values}, max_tokens, now)
    except EngineError as error:
        note(mind, question, now, NOTHING, CallOutcome.INSTINCT, error.reason)
        return Drawn()
    shown = f"{prompt.system}\n{prompt.user}"
    reader = ReplyReader(reply, None, check, None, shown if mind.checks_replies() else "")
    asked = Request(
        prompt.system, prompt.user, reply, 0, mind.npc, question, max_tokens, priority=mind.budget.priority, at=now,
        wrong=lambda text: reader.wrong(text, mind), turns=prompt.turns,
    )  # fmt: skip
    before = len(mind.draft.calls)
    requests = [replace(asked, seed=mind.seed_for(question, now, before, number)) for number in range(count)]
    found = await asyncio.gather(*(_drawn(mind, request, prompt, reader, now) for request in requests))
    return Drawn(shown, tuple(it for part in found for it in part))


async def _drawn(mind: Mind, request: Request, prompt: Prompt, reader: ReplyReader[R], now: GameTime) -> tuple[R, ...]:
    """The reply, or nothing."""
    done = await completed(mind, request, prompt, None, now)
    if done is None:
        return ()
    try:
        value, mended = reader.read(done.text, mind)
    except ReplyUnreadable as error:
        note(mind, request.stage, now, done, CallOutcome.RETRIED, error.what)
        return ()
    note(mind, request.stage, now, done, CallOutcome.USED, f"{MENDED}{mended}" if mended else "")
    return (value,)
