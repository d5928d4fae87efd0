"""Whether a line of memory or the bank fits what was heard: the model reads it, and writes nothing.

A line fits that is likelier after what was heard than after nothing (pointwise mutual information). How sure memory and the bank are says
less. Of their 60 lines to four people, judged blind, 12 of the 21 made sense of which they were surest (0.8 and more), 23 of the 31 that
are apt by the limits below, and 12 of the 13 that the model called e^5 times likelier or more.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from npc_server.data_files import read_toml
from npc_server.errors import DeadlinePassed, EngineError, Overloaded
from npc_server.lines import read_ahead
from npc_server.llm.deadline import Deadline
from npc_server.llm.engine import Completion, Likelihood, Request
from npc_server.llm.own_lines import CHAT_FILE
from npc_server.mind.ask import NOTHING, note
from npc_server.mind.chat import NOTHING_HEARD
from npc_server.mind.mind import Mind
from npc_server.prompts.budget import Prompt
from npc_server.records import CallOutcome, GameTime

QUESTION = "apt"
"""The ledger's name for it: no prompt asks it, since the model reads and writes nothing."""


@dataclass(frozen=True)
class Apt:
    """The section `[apt]` of `data/chat.toml`."""

    nats: float
    chance: float


@dataclass(frozen=True)
class HeardAndKnown:
    """What was heard, and what memory or the bank would say to it."""

    heard: str
    text: str


async def is_apt(mind: Mind, request: Request, prompt: Prompt, pair: HeardAndKnown, by: Deadline, now: GameTime) -> bool:
    """Return whether the text is to be said in place of a line of the model's own, which `request` would ask for with `prompt`.

    That is also so where the model has not read in time what a player said. A model that cannot score texts is not asked. The ledger gets
    one row for both readings.
    """
    if not (mind.tools.engine.status().scores and pair.heard and request.user.endswith(pair.heard)):
        return False
    if by.is_over():
        note(mind, QUESTION, now, NOTHING, CallOutcome.INSTINCT, DeadlinePassed.reason, asked=request)
        read_ahead.go_on(mind, request)
        return True
    nothing = replace(request, user=request.user.removesuffix(pair.heard) + NOTHING_HEARD)
    began = time.perf_counter()
    # What was heard comes last, so that llama.cpp's own server has it read for a line of the model's.
    both = asyncio.gather(*(mind.tools.engine.score(it, "", [pair.text]) for it in (nothing, request)))
    try:
        is_read = await by.wait_for(both)
        found = [score for scores in both.result() for score in scores] if is_read else []
    except (EngineError, Overloaded) as error:
        note(mind, QUESTION, now, _cost(prompt, (), began), CallOutcome.INSTINCT, error.reason, asked=request)
        return False
    finally:
        both.add_done_callback(lambda done: done.cancelled() or done.exception())  # else asyncio prints that nobody looked
        both.cancel()
    note(mind, QUESTION, now, _cost(prompt, found, began), CallOutcome.USED if is_read else CallOutcome.CANCELLED, "", asked=request)
    if not is_read:
        read_ahead.go_on(mind, request)
        return True
    anyway, after = found
    return after.logprob - anyway.logprob >= apt().nats


def _cost(prompt: Prompt, found: Sequence[Likelihood], began: float) -> Completion:
    """What both readings cost. Of one that was not finished nobody knows it; the whole prompt is the most."""
    read = sum(it.read_tokens for it in found) if found else prompt.tokens
    tokens = max(2 * prompt.tokens + sum(it.tokens for it in found), read)
    return Completion("", tokens, tokens - read, 0, (time.perf_counter() - began) * 1000)


@cache
def apt() -> Apt:
    """Return from when on a line fits."""
    return Apt(**read_toml(CHAT_FILE)["apt"])
