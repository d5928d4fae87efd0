"""npc-rerank in llama.cpp's own server: how likely the words for yes and no are after each text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.adapters import Adapter
from npc_server.llm.gguf_header import Header
from npc_server.llm.protocol import Frame
from npc_server.llm.rerank_form import RerankForm, Tokens
from npc_server.llm.rerank_worker import BATCH, CELLS
from npc_server.llm.runtime import Runtime
from npc_server.llm.served.server import LlamaCppServer, ServerShape, start
from npc_server.llm.served.vocab import ServedVocabulary
from npc_server.llm.tokenizer import Tokenizer

ABOVE_ALL = 100.0
"""Added to the logits of the two words, so that no other is among the two likeliest. Their difference stays what it was."""
LEAST = 1e-30
"""A probability that was too small to be told."""


class ServedVerdicts:
    """Implements `rerank_worker.Verdicts`. There is one slot, so that the talk is read once for all texts."""

    def __init__(self, server: LlamaCppServer, tokenizer: Tokenizer) -> None:
        self.form = RerankForm.of(tokenizer)
        self._server, self._kept = server, Tokens()

    @classmethod
    def start(cls, runtime: Runtime, header: Header, init: Frame, adapters: Sequence[Adapter]) -> ServedVerdicts:
        threads, layers = int(init["threads"]), int(init["n_gpu_layers"])
        server = start(runtime, ServerShape(header.path, threads, 1, CELLS, BATCH, gpu_layers=layers, adapters=adapters))
        return cls(server, Tokenizer(ServedVocabulary(server, header)))

    def keep(self, tokens: Tokens) -> None:
        self._kept = tokens
        self._server.post("/completion", {"prompt": tokens, "n_predict": 0, "cache_prompt": True})

    def of_group(self, texts: Sequence[Tokens]) -> NDArray[np.float32]:
        return np.array([self._odds([*self._kept, *text]) for text in texts], np.float32)

    def _odds(self, tokens: Tokens) -> float:
        asked = {
            "prompt": tokens,
            "n_predict": 1,
            "cache_prompt": True,
            "samplers": ["temperature"],
            "temperature": 1.0,
            "logit_bias": [[verdict, ABOVE_ALL] for verdict in self.form.verdicts],
            "n_probs": 2,
            "post_sampling_probs": True,
        }
        found = self._server.post("/completion", asked)["completion_probabilities"][0]["top_probs"]
        known = {int(it["id"]): float(it["prob"]) for it in found}
        yes, no = (math.log(max(known.get(verdict, 0.0), LEAST)) for verdict in self.form.verdicts)
        return yes - no
