"""The head of npc-answers: turns the vector of a line and a text, read together, into how well the text answers the line."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from npc_server.errors import EngineError, ModelRejected
from npc_server.llm.adapters import Adapter, check_fits
from npc_server.llm.gguf_header import ANSWERS_HEAD, Header, read_header

ADAPTER = Path(__file__).parent.parent / "data" / "models" / "npc-answers.lora.gguf"
"""The adapter that makes npc-answers of the embedding model. `models/answers` trains it."""
BASE_NAME = "all-MiniLM-L6-v2"
"""The `general.name` of the model for which it was trained. Another model of the same shape gives nonsense with it."""
LINE_TOKENS, TEXT_TOKENS = 48, 72
"""Most tokens that are read of a line and of a text, as in training."""


@dataclass(frozen=True)
class AnswersHead:
    """Weights for a unit vector, and what is added."""

    weights: NDArray[np.float32]
    bias: float

    def log_odds(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """The log odds that the texts answer, from unit vectors of shape (texts, dimensions)."""
        found: NDArray[np.float32] = rows @ self.weights + np.float32(self.bias)
        return found


def read_head(header: Header, dimensions: int) -> AnswersHead:
    """The head in the header of an adapter. Raises ModelRejected when it has none that fits."""
    try:
        numbers = np.frombuffer(base64.b64decode(str(header.values.get(ANSWERS_HEAD, "")), validate=True), "<f4")
    except (binascii.Error, ValueError):
        numbers = np.zeros(0, "<f4")
    if len(numbers) != dimensions + 1 or not np.isfinite(numbers).all():
        what = f"The adapter {str(header.path)!r} has no {ANSWERS_HEAD} for {dimensions} dimensions."
        raise ModelRejected(what, "Install npc-server anew.", file=header.path)
    return AnswersHead(numbers[:-1].astype(np.float32), float(numbers[-1]))


def answers_adapter(model: Header, adapter: Path = ADAPTER) -> tuple[Adapter, ...]:
    """The adapter with which this embedding model reads answers; none for a model that it was not trained for."""
    if model.values.get("general.name") != BASE_NAME or not adapter.is_file():
        return ()
    try:
        header = read_header(adapter)
        check_fits(header, model)
        read_head(header, model.number("embedding_length"))
    except EngineError:
        return ()
    return (Adapter(adapter),)
