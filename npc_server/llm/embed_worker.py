"""The process of an embedding model: it turns texts into vectors, and with an adapter it tells how well texts answer a line."""

from __future__ import annotations

import itertools
import os
import queue
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.answers_head import LINE_TOKENS, TEXT_TOKENS, read_head
from npc_server.llm.engine import Priority
from npc_server.llm.gguf_header import read_header
from npc_server.llm.protocol import Frame, pack_vectors

Send = Callable[[Frame], None]
Tokens = list[int]


def in_groups(rows: Iterable[Tokens], most: int, tokens: int) -> Iterator[list[Tokens]]:
    """Rows of tokens in their order, at most `most` rows and `tokens` tokens together."""
    group: list[Tokens] = []
    for row in rows:
        if group and (len(group) == most or sum(map(len, group)) + len(row) > tokens):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


class EmbedWorker:
    """Answers the frames `embed` and `answers`, `embedding_parallel` of them at a time."""

    def __init__(self, model: Any, init: Frame, send: Send) -> None:
        from npc_server.llm.llama import LlamaContext, LlamaModel, Shape

        self.model, self.send = model, send
        self.batch = max(int(init["batch_tokens"]), 512)
        self.sequences = int(init["max_parallel"])
        self.longest = min(self.batch, model.trained_context or self.batch)
        self.first, self.last = model.tokenizer.ends()
        shape = Shape(self.batch, self.batch, self.sequences, int(init["threads"]))
        self.parallel = max(int(init["embedding_parallel"]), 1)
        # What a context computes does not depend on what others compute, so texts have the same vectors whatever runs beside them.
        self.alone = _pool(LlamaContext(model, shape, embeddings=True, adapted=False) for _ in range(self.parallel))
        merged = Path(init["answers"]) if init["answers"] else None
        trained = [read_header(it, int(init["max_header_bytes"])) for it in [merged, *(it.path for it in model.adapter_files)] if it]
        self.head = read_head(trained[0], model.n_embd) if trained else None
        reader = LlamaModel(merged, int(init["n_gpu_layers"])) if merged else model
        self.together = _pool(LlamaContext(reader, shape, embeddings=True) for _ in range(self.parallel if trained else 0))
        self.inbox: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self.waiting: queue.PriorityQueue[tuple[int, int, Frame]] = queue.PriorityQueue()
        """By priority, and those of one priority in the order of the questions, which are numbered."""
        self.sending = threading.Lock()
        self.hear = self.inbox.put
        send({"ev": "ready", "context_tokens": self.longest, "dimensions": model.n_embd})

    def run(self) -> None:
        """Handles frames until the process ends."""
        for _ in range(self.parallel):
            threading.Thread(target=self._work, daemon=True).start()
        numbers = itertools.count()
        while True:
            for item in self.inbox.get()["do"]:
                if item["op"] in ("embed", "answers"):
                    self.waiting.put((item.get("priority", Priority.USUAL), next(numbers), item))

    def _answer(self, item: Frame) -> Frame:
        found = self._embed(item["texts"]) if item["op"] == "embed" else self._answers(item["line"], item["texts"])
        return {"ev": "answer", "id": item["id"], "vectors": pack_vectors(found)}

    def _work(self) -> None:
        """Answers one question after the other, the players' first. A failure ends the process, and the server starts it again."""
        try:
            while True:
                answer = self._answer(self.waiting.get()[-1])
                with self.sending:
                    self.send(answer)
        except BaseException:  # noqa: BLE001  nobody would see it in this thread, and the server would wait for the answer
            traceback.print_exc()
            os._exit(1)

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Returns unit vectors of shape (texts, dimensions). A text longer than the model's context is cut."""
        room = self.longest - len(self.first) - len(self.last)
        return self._unit(self.alone, [[*self.first, *self.model.tokenizer.read_words(text)[:room], *self.last] or [0] for text in texts])

    def _answers(self, line: str, texts: list[str]) -> NDArray[np.float32]:
        """Returns log odds of shape (1, texts)."""
        if self.head is None:
            raise RuntimeError("the process was started without the adapter for answers")
        read = self.model.tokenizer.read_words
        before = [*self.first, *read(line)[:LINE_TOKENS], *self.last]
        return self.head.log_odds(self._unit(self.together, [[*before, *read(text)[:TEXT_TOKENS], *self.last] for text in texts]))[None]

    def _unit(self, contexts: queue.SimpleQueue[Any], rows: Sequence[Tokens]) -> NDArray[np.float32]:
        """The unit vectors of rows of tokens, in batches of at most `sequences` rows."""
        with _one_of(contexts) as context:
            found = [context.embed(group) for group in in_groups(rows, self.sequences, self.batch)]
        made = np.concatenate(found) if found else np.zeros((0, self.model.n_embd), np.float32)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        unit: NDArray[np.float32] = (made / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return unit


def _pool(contexts: Iterable[Any]) -> queue.SimpleQueue[Any]:
    """The contexts that no thread uses now."""
    found: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for context in contexts:
        found.put(context)
    return found


@contextmanager
def _one_of(contexts: queue.SimpleQueue[Any]) -> Iterator[Any]:
    context = contexts.get()
    try:
        yield context
    finally:
        contexts.put(context)
