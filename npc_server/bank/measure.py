"""Measures candidates for a line: how well npc-answers and npc-rerank find that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from npc_server.bank.features import Measured
from npc_server.llm.engine import Embedder, LineInTalk, Scores


async def measure(measured: Sequence[Measured], asked: str, embedder: Embedder) -> list[Measured]:
    """Return the candidates with what npc-answers says of them. `asked` is what they answer; empty for the first line of a talk."""
    texts = [it.candidate.read_as or it.candidate.text for it in measured]
    fits = await embedder.answers(asked, texts) if asked and texts else None
    if fits is None:
        return list(measured)
    return [replace(it, fits=float(odds)) for it, odds in zip(measured, fits, strict=True)]


async def measure_again(measured: Sequence[Measured], heard: LineInTalk, embedder: Embedder) -> list[Measured] | None:
    """Return the candidates with what npc-rerank says of them, where that is not known yet; None without it, or where it is late."""
    unread = [it.candidate for it in measured if it.reranked is None]
    odds = await read_again(embedder, heard, [it.read_as or it.text for it in unread], [bool(it.read_as) for it in unread])
    if odds is None:
        return None
    found = iter(odds)
    return [replace(it, reranked=float(next(found))) if it.reranked is None else it for it in measured]


async def read_again(embedder: Embedder, heard: LineInTalk, texts: Sequence[str], own: Sequence[bool]) -> Scores | None:
    """Return the log odds of npc-rerank that each text answers, shape (len(texts),). None without it.

    Those that are the asker's `own` words are read without the talk, in which they would be a repetition.
    """
    found = np.zeros(len(texts), np.float32)
    for line, is_own in ((heard, False), (heard.alone(), True)):
        places = [place for place, it in enumerate(own) if it is is_own]
        odds = await embedder.rerank(line, [texts[place] for place in places]) if places else ()
        if odds is None:
            return None
        found[places] = odds
    return found
