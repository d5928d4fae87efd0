"""The process of an embedding model: it turns texts into vectors, and with an adapter it tells how well texts answer a line."""

from __future__ import annotations

import itertools
import queue
import threading
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from npc_server.llm.answers_head import LINE_TOKENS, TEXT_TOKENS, AnswersHead, read_head
from npc_server.llm.engine import Priority
from npc_server.llm.gguf_header import read_header
from npc_server.llm.lifetime import end
from npc_server.llm.protocol import Frame, Send, pack_vectors
from npc_server.llm.tokenizer import Tokenizer

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


class Reader(Protocol):
    """A model that makes vectors of tokens. One thread uses it at a time."""

    def embed(self, texts: Sequence[Tokens]) -> NDArray[np.float32]:
        """Returns one pooled vector for each text in tokens, shape (texts, dimensions)."""
        ...


@dataclass(frozen=True)
class Readers:
    """What reads texts for a worker. `sizes_of` says how much goes in a batch."""

    tokenizer: Tokenizer
    dimensions: int
    trained_context: int
    """The most tokens of a text; 0 if the file does not say."""
    alone: Sequence[Reader]
    """They read single texts; so many at the same time."""
    together: Sequence[Reader] = ()
    """They read a line with a text that may answer it."""
    head: AnswersHead | None = None
    """What tells how well it does; None without npc-answers."""


@dataclass(frozen=True)
class Sizes:
    """How much goes in a batch."""

    tokens: int
    texts: int


def sizes_of(init: Frame) -> Sizes:
    return Sizes(max(int(init["batch_tokens"]), 512), int(init["max_parallel"]))


def head_of(init: Frame, dimensions: int, adapters: Iterable[Path]) -> AnswersHead | None:
    """The head of npc-answers: from its own model, or from an adapter that is put on."""
    merged = Path(init["answers"]) if init["answers"] else None
    trained = [read_header(it, int(init["max_header_bytes"])) for it in [merged, *adapters] if it]
    return read_head(trained[0], dimensions) if trained else None


def library_readers(model: Any, init: Frame) -> Readers:
    """Readers of a model that llama-cpp-python has loaded."""
    from npc_server.llm.llama import LlamaContext, LlamaModel, Shape

    sizes, count = sizes_of(init), max(int(init["embedding_parallel"]), 1)
    shape = Shape(sizes.tokens, sizes.tokens, sizes.texts, int(init["threads"]))
    head = head_of(init, model.n_embd, (it.path for it in model.adapter_files))
    reader = LlamaModel(Path(init["answers"]), int(init["n_gpu_layers"])) if init["answers"] else model
    return Readers(
        model.tokenizer,
        model.n_embd,
        model.trained_context,
        # What a context computes does not depend on what others compute, so texts have the same vectors whatever runs beside them.
        [LlamaContext(model, shape, embeddings=True, adapted=False) for _ in range(count)],
        [LlamaContext(reader, shape, embeddings=True) for _ in range(count if head is not None else 0)],
        head,
    )


class EmbedWorker:
    """Answers the frames `embed` and `answers`, as many of them at a time as there are readers."""

    def __init__(self, readers: Readers, init: Frame, send: Send) -> None:
        self.readers, self.send = readers, send
        sizes = sizes_of(init)
        self.batch, self.sequences = sizes.tokens, sizes.texts
        self.longest = min(self.batch, readers.trained_context or self.batch)
        self.first, self.last = readers.tokenizer.ends()
        self.parallel = len(readers.alone)
        self.alone, self.together = _pool(readers.alone), _pool(readers.together)
        self.head = readers.head
        self.inbox: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self.waiting: queue.PriorityQueue[tuple[int, int, Frame]] = queue.PriorityQueue()
        """By priority, and those of one priority in the order of the questions, which are numbered."""
        self.sending = threading.Lock()
        self.hear = self.inbox.put
        send({"ev": "ready", "context_tokens": self.longest, "dimensions": readers.dimensions})

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
            end(1)

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Returns unit vectors of shape (texts, dimensions). A text longer than the model's context is cut."""
        room = self.longest - len(self.first) - len(self.last)
        return self._unit(self.alone, [[*self.first, *self.readers.tokenizer.read_words(text)[:room], *self.last] or [0] for text in texts])

    def _answers(self, line: str, texts: list[str]) -> NDArray[np.float32]:
        """Returns log odds of shape (1, texts)."""
        if self.head is None:
            raise RuntimeError("the process was started without the adapter for answers")
        read = self.readers.tokenizer.read_words
        before = [*self.first, *read(line)[:LINE_TOKENS], *self.last]
        return self.head.log_odds(self._unit(self.together, [[*before, *read(text)[:TEXT_TOKENS], *self.last] for text in texts]))[None]

    def _unit(self, contexts: queue.SimpleQueue[Reader], rows: Sequence[Tokens]) -> NDArray[np.float32]:
        """The unit vectors of rows of tokens, in batches of at most `sequences` rows."""
        with _one_of(contexts) as context:
            found = [context.embed(group) for group in in_groups(rows, self.sequences, self.batch)]
        made = np.concatenate(found) if found else np.zeros((0, self.readers.dimensions), np.float32)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        unit: NDArray[np.float32] = (made / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return unit


def _pool(contexts: Iterable[Reader]) -> queue.SimpleQueue[Reader]:
    """The contexts that no thread uses now."""
    found: queue.SimpleQueue[Reader] = queue.SimpleQueue()
    for context in contexts:
        found.put(context)
    return found


@contextmanager
def _one_of(contexts: queue.SimpleQueue[Reader]) -> Iterator[Reader]:
    context = contexts.get()
    try:
        yield context
    finally:
        contexts.put(context)
