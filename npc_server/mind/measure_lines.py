"""Measures candidates for a line: how well npc-answers finds that they answer, and how likely a model is to say them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from npc_server.errors import EngineError
from npc_server.llm.engine import Embedder, Engine, LineInTalk, Request
from npc_server.mind.candidates import CandidateLine
from npc_server.mind.line_features import Measured
from npc_server.mind.listening import read_again

WITHOUT_CONTEXT: Mapping[str, object] = {
    "memories": [], "wandering": [], "today": [], "promises": [], "news": "", "place": "", "doing": "", "next": "", "met": [],
    "present": [], "alone": False, "feels": "", "between": [], "relations": [], "offers": [], "about": "", "last_words": False,
}  # fmt: skip
"""Values of `say.prompt` by which a prompt shows neither memories nor the moment. Who speaks, and what was said, stays."""


SAY = "say: "
"""What stands before the words of a plain reply."""


@dataclass(frozen=True)
class LineScene:
    """What the candidates for one line are measured by."""

    asked: str
    """What the line answers; empty for the first line of a talk."""
    shown: str = ""
    """All that the model was shown for its draws."""
    after: Request | None = None
    """A short question for the line, with what was said; None where the model does not read the candidates."""
    anyway: Request | None = None
    """The same without what was said."""


async def measure_again(
    measured: Sequence[Measured], candidates: Sequence[CandidateLine], heard: LineInTalk, embedder: Embedder
) -> list[Measured] | None:
    """The same with what npc-rerank says of these `candidates` among them; None without it."""
    odds = await read_again(embedder, heard, [it.read_as or it.text for it in candidates], [bool(it.read_as) for it in candidates])
    if odds is None:
        return None
    read = {it.text: float(log_odds) for it, log_odds in zip(candidates, odds, strict=True)}
    return [replace(it, reranked=read.get(it.candidate.text)) for it in measured]


async def measure(candidates: Sequence[CandidateLine], scene: LineScene, embedder: Embedder, engine: Engine) -> list[Measured]:
    """The candidates with what their features need. Likelihoods are None where the engine cannot score, or fails."""
    found = [Measured(it, scene.shown) for it in candidates]
    fits = await embedder.answers(scene.asked, [it.read_as or it.text for it in candidates]) if scene.asked and candidates else None
    if fits is not None:
        found = [replace(it, fits=float(odds)) for it, odds in zip(found, fits, strict=True)]
    if not candidates or scene.after is None or scene.anyway is None or not engine.status().scores:
        return found
    texts = [it.text for it in candidates]
    try:
        after, anyway = await asyncio.gather(*(engine.score(it, SAY, texts) for it in (scene.after, scene.anyway)))
    except EngineError:
        return found
    return [replace(it, after=high, anyway=low) for it, high, low in zip(found, after, anyway, strict=True)]
