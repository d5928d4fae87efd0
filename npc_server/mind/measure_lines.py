"""Measures candidates for a line: how well npc-answers and npc-rerank find that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npc_server.llm.engine import Embedder, LineInTalk
from npc_server.mind.candidates import CandidateLine
from npc_server.mind.line_features import Measured
from npc_server.mind.listening import read_again


async def measure_again(
    measured: Sequence[Measured], candidates: Sequence[CandidateLine], heard: LineInTalk, embedder: Embedder
) -> list[Measured] | None:
    """The same with what npc-rerank says of these `candidates` among them; None without it."""
    odds = await read_again(embedder, heard, [it.read_as or it.text for it in candidates], [bool(it.read_as) for it in candidates])
    if odds is None:
        return None
    read = {it.text: float(log_odds) for it, log_odds in zip(candidates, odds, strict=True)}
    return [replace(it, reranked=read.get(it.candidate.text)) for it in measured]


async def measure(candidates: Sequence[CandidateLine], asked: str, embedder: Embedder) -> list[Measured]:
    """The candidates with what npc-answers says of them. `asked` is what they answer; empty for the first line of a talk."""
    texts = [it.read_as or it.text for it in candidates]
    fits = await embedder.answers(asked, texts) if asked and candidates else None
    if fits is None:
        return [Measured(it) for it in candidates]
    return [Measured(it, float(odds)) for it, odds in zip(candidates, fits, strict=True)]
