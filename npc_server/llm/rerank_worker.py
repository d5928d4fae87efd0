"""The process of npc-rerank: a chat model with an adapter that says how well each of some texts answers a line of a talk.

The model reads who answers, the latest lines and the line, as its chat template writes a talk. All texts share that in the KV cache, and
the next question shares what is the same. After each text the model says "yes" or "no", and the difference of their logits is the answer.
"""

from __future__ import annotations

import queue
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.embed_worker import in_groups
from npc_server.llm.engine import LineInTalk
from npc_server.llm.protocol import Frame, Send, pack_vectors
from npc_server.llm.rerank_form import RerankForm, Tokens
from npc_server.llm.shared_start import shared_start

CELLS, BATCH, TOGETHER = 1024, 256, 16
"""Cells of the KV cache, tokens of a decode, and texts that are decoded together."""


def wanted(items: Sequence[Frame]) -> list[Frame]:
    """The questions among frames, without those that were cancelled. Where there are none, the latest line to read ahead."""
    cancelled = {item["id"] for item in items if item["op"] == "cancel"}
    asked = [item for item in items if item["op"] == "rerank" and item["id"] not in cancelled]
    return asked or [item for item in items if item["op"] == "read"][-1:]


class Verdicts(Protocol):
    """A model that says how well texts answer. `form` makes its tokens."""

    form: RerankForm

    def keep(self, tokens: Tokens) -> None:
        """Reads the talk up to where an answer begins. What it has of it already is not read again."""
        ...

    def of_group(self, texts: Sequence[Tokens]) -> NDArray[np.float32]:
        """Returns the log odds that each text answers, shape (texts,): at most `TOGETHER` texts, and `BATCH` tokens of all."""
        ...


class LibraryVerdicts:
    """Implements `Verdicts` with a model that llama-cpp-python has loaded."""

    def __init__(self, model: Any, threads: int) -> None:
        from npc_server.llm.llama import LlamaContext, Shape

        self.form = RerankForm.of(model.tokenizer)
        self.context = LlamaContext(model, Shape(CELLS, BATCH, TOGETHER + 1, threads))
        self.kept: Tokens = []
        """What the first sequence of the KV cache holds."""

    def keep(self, tokens: Tokens) -> None:
        from npc_server.llm.llama import Rows

        same = shared_start(self.kept, tokens)
        self.context.cut(0, same)
        for start in range(same, len(tokens), BATCH):
            self.context.decode(Rows.of((token, at, 0, False) for at, token in enumerate(tokens[start : start + BATCH], start)))
        self.kept = tokens

    def of_group(self, texts: Sequence[Tokens]) -> NDArray[np.float32]:
        from npc_server.llm.llama import Rows

        start = len(self.kept)
        for sequence in range(1, len(texts) + 1):
            self.context.copy(0, sequence, start)
        self.context.decode(
            Rows.of(
                (token, start + at, sequence, at == len(text) - 1)
                for sequence, text in enumerate(texts, 1)
                for at, token in enumerate(text)
            )
        )
        logits = self.context.logits()[:, list(self.form.verdicts)]
        for sequence in range(1, len(texts) + 1):
            self.context.cut(sequence)
        odds: NDArray[np.float32] = logits[:, 0] - logits[:, 1]
        return odds


class RerankWorker:
    """Answers the frame `rerank`. `read` has what the next one will ask about."""

    def __init__(self, verdicts: Verdicts, send: Send) -> None:
        self.verdicts, self.form, self.send = verdicts, verdicts.form, send
        self.inbox: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self.hear = self.inbox.put
        send({"ev": "ready", "context_tokens": CELLS})

    def run(self) -> None:
        """Handles frames until the process ends. What nobody waits for any more is not read."""
        waiting: list[Frame] = []
        while True:
            while not waiting or not self.inbox.empty():
                waiting += self.inbox.get()["do"]
            waiting = wanted(waiting)
            if waiting:
                self._handle(waiting.pop(0))

    def _handle(self, item: Frame) -> None:
        heard = LineInTalk(item["line"], item["who"], tuple((bool(own), text) for own, text in item["before"]))
        self.verdicts.keep(self.form.asked(heard))
        if item["op"] == "rerank":
            found = self._log_odds([self.form.answer(text) for text in item["texts"]])
            self.send({"ev": "answer", "id": item["id"], "vectors": pack_vectors(found[None])})

    def _log_odds(self, texts: Sequence[Tokens]) -> NDArray[np.float32]:
        """Returns shape (texts,)."""
        return np.concatenate([np.zeros(0, np.float32), *map(self.verdicts.of_group, in_groups(texts, TOGETHER, BATCH))])
