"""Whether a line of memory or the bank fits what was heard: the model reads it, and writes nothing.

A line fits that is likelier after what was heard than after nothing (pointwise mutual information). How sure memory and the bank are says
less. Of their 60 lines to four people, judged blind, 12 of the 21 made sense of which they were surest (0.8 and more), 23 of the 31 that
are apt by the limits below, and 12 of the 13 that the model called e^5 times likelier or more.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace
from functools import cache

from npc_server.data_files import read_toml
from npc_server.errors import EngineError
from npc_server.lines import read_ahead
from npc_server.llm.engine import Request
from npc_server.llm.own_lines import CHAT_FILE
from npc_server.mind.chat import NOTHING_HEARD
from npc_server.mind.mind import Mind


@dataclass(frozen=True)
class Apt:
    """The section `[apt]` of `data/chat.toml`."""

    nats: float
    chance: float


async def is_apt(mind: Mind, request: Request, heard: str, text: str) -> bool:
    """Return whether `text` is to be said in place of a line of the model's own, which `request` would ask for.

    That is also so where the model has not read in time what a player said. A model that cannot score texts is not asked.
    """
    status = mind.engine.status()
    if not (status.scores and heard and request.user.endswith(heard)):
        return False
    nothing = replace(request, user=request.user.removesuffix(heard) + NOTHING_HEARD)
    limit = status.first_word_s if mind.budget.players else math.inf
    try:
        both = asyncio.gather(mind.engine.score(request, "", [text]), mind.engine.score(nothing, "", [text]))
        (after,), (anyway,) = await asyncio.wait_for(both, None if limit == math.inf else limit)
    except asyncio.TimeoutError:
        read_ahead.go_on(mind, request)
        return True
    except EngineError:
        return False
    return after.logprob - anyway.logprob >= apt().nats


@cache
def apt() -> Apt:
    """Return from when on a line fits."""
    return Apt(**read_toml(CHAT_FILE)["apt"])
