"""Measures candidates for a line: by how likely a model is to say them with and without what was said, and by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from npc_server.errors import EngineError
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Embedder, Engine, Request, Vectors
from npc_server.mind.candidates import CandidateLine, Maker
from npc_server.mind.line_features import Measured

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
    said: tuple[str, ...] = ()
    """The speaker's own lines before."""
    shown: str = ""
    """All that the model was shown for its draws."""
    after: Request | None = None
    """A short question for the line, with what was said; None where the model does not read the candidates."""
    anyway: Request | None = None
    """The same without what was said."""


async def measure(candidates: Sequence[CandidateLine], scene: LineScene, embedder: Embedder, engine: Engine) -> list[Measured]:
    """The candidates with what their features need. Likelihoods are None where the engine cannot score, or fails."""
    found = [Measured(it, scene.shown) for it in candidates]
    if embedder.name != HashedWordsEmbedder.name:  # hashed words know no meaning
        found = await _by_meaning(found, scene, embedder)
    fits = await embedder.answers(scene.asked, [it.text for it in candidates]) if scene.asked and candidates else None
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


async def _by_meaning(found: Sequence[Measured], scene: LineScene, embedder: Embedder) -> list[Measured]:
    texts = [it.candidate.text for it in found]
    rows = await embedder.embed([*texts, scene.asked or "", *scene.said])
    lines, asked, said = rows[: len(texts)], rows[len(texts)], rows[len(texts) + 1 :]
    to_asked = lines @ asked if scene.asked else np.zeros(len(texts), np.float32)
    to_said = (lines @ said.T).max(axis=1) if len(said) else np.zeros(len(texts), np.float32)
    to_draws = _to_draws(lines, np.array([it.candidate.maker is Maker.MODEL for it in found], bool))
    return [
        replace(it, to_asked=float(to_asked[i]), to_said=float(to_said[i]), to_draws=None if to_draws is None else float(to_draws[i]))
        for i, it in enumerate(found)
    ]


def _to_draws(lines: Vectors, drawn: NDArray[np.bool_]) -> Vectors | None:
    """Mean cosine of each line and the draws other than itself; None where there are fewer than two draws."""
    if drawn.sum() < 2:
        return None
    near = lines @ lines[drawn].T
    own = np.zeros(len(lines), np.float32)
    own[drawn] = 1.0  # a draw is as near as can be to itself
    others: Vectors = ((near.sum(axis=1) - own) / (drawn.sum() - own)).astype(np.float32)
    return others
