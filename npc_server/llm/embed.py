"""Embeds sentences as unit vectors, with MiniLM in llama.cpp, or with hashed words when there is no embedding model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from npc_server.config import EngineSettings
from npc_server.errors import EngineError
from npc_server.llm.answers_head import answers_adapter
from npc_server.llm.deadline import is_for_player
from npc_server.llm.engine import Priority, ReadsNoAnswers, Scores, Vectors
from npc_server.llm.gguf_header import Header
from npc_server.llm.process import ModelProcess
from npc_server.llm.protocol import BrokenFrame, Frame, unpack_vectors
from npc_server.llm.worker import process_init

SEQUENCES = 16
"""Texts in one batch."""
BATCH_TOKENS = 1024
TEXTS_AT_ONCE = 64
"""Texts in one frame to the embedding process."""


async def ask_vectors(process: ModelProcess, name: str, deadline_s: float, item: Frame) -> Vectors:
    """The numbers with which a model process answers. A player's questions come first. Raises EngineError.

    `name` is that of the process in errors.
    """
    answer = await process.ask({**item, "priority": Priority.PLAYER} if is_for_player() else item, deadline_s)
    try:
        return unpack_vectors(answer["vectors"])
    except (BrokenFrame, KeyError) as error:
        raise EngineError(f"{name} sent an answer that cannot be read: {error}.", "Please report it.") from error


class LlamaEmbedder(ReadsNoAnswers):
    """Implements `Embedder` with a GGUF embedding model in a process of its own. Make it inside the event loop.

    It reads nothing again: `CachedEmbedder` has the reranker.
    """

    def __init__(self, header: Header, settings: EngineSettings, *, answers: Path | None = None, log_file: Path | None = None) -> None:
        """`answers` is npc-answers as a model of its own (`answers_model`). Without it, its adapter is put on."""
        self._name = f"{header.path.stem}/{header.number('embedding_length')}"
        self._dimensions = header.number("embedding_length")
        self.deadline_s = settings.embedding_deadline_s
        adapters = answers_adapter(header) if answers is None else ()
        self._reads_answers = bool(adapters) or answers is not None
        init = process_init(header.path, settings, "embed", adapters=adapters)
        init.update(max_parallel=SEQUENCES, batch_tokens=BATCH_TOKENS, answers=str(answers or ""))
        init.update(embedding_parallel=settings.embedding_parallel)
        self.process = ModelProcess(
            init,
            restart_wait_s=settings.restart_wait_s,
            deaths_max=settings.deaths_max,
            hang_s=settings.hang_s,
            helps=True,
            log_file=log_file,
        )
        self.process.start()

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return self._dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Returns shape (len(texts), dimensions), with rows of length 1. Raises EngineError.

        Texts of different calls never share a batch, so the same call always gives the same vectors.
        """
        found = [np.zeros((0, self._dimensions), np.float32)]
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            part = list(texts[start : start + TEXTS_AT_ONCE])
            vectors = await ask_vectors(self.process, "The embedding process", self.deadline_s, {"op": "embed", "texts": part})
            if vectors.shape != (len(part), self._dimensions):
                raise EngineError(
                    f"The embedding model made vectors of shape {vectors.shape} for {len(part)} texts of {self._dimensions} dimensions.",
                    "Use another embedding model.",
                )
            found.append(vectors)
        return np.concatenate(found)

    async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        """Returns shape (len(texts),): npc-answers reads the line and each text together. None for a model it was not trained for.

        Raises EngineError.
        """
        if not self._reads_answers:
            return None
        found = await ask_vectors(
            self.process, "The embedding process", self.deadline_s, {"op": "answers", "line": line, "texts": list(texts)}
        )
        if found.shape != (1, len(texts)):
            raise EngineError(f"The embedding process told how well {found.size} of {len(texts)} texts answer.", "Please report it.")
        scores: Scores = found[0]
        return scores

    def try_again(self) -> None:
        self.process.try_again()

    async def close(self) -> None:
        await self.process.close()


_DIMENSIONS = 384
_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    """
    a an the is are was were be been am i you he she it we they of in on at to for from by with and or but not this that his her its my
    your their what who when where how why do does did has have had will would as if so
    """.split()  # noqa: SIM905
)


class HashedWordsEmbedder(ReadsNoAnswers):
    """Implements `Embedder` without a model: texts that share words, or parts of words, are near each other.

    The hash of each word, and of each three letters of it, chooses one of 384 dimensions and a sign. All machines give the same vectors.
    """

    name = f"hashed-words/{_DIMENSIONS}"
    dimensions = _DIMENSIONS

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([_hashed(text) for text in texts]) if texts else np.zeros((0, _DIMENSIONS), np.float32)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        pass


@lru_cache(maxsize=4096)
def _hashed(text: str) -> Vectors:
    """The unit vector of a text, shape (dimensions,). Nobody may change it, because it is cached."""
    row = np.zeros(_DIMENSIONS, np.float32)
    features = [_features(word) for word in _WORD.findall(text.lower())]
    if features:
        # Unlike `row[places] += weights`, this adds up all weights of a place that comes several times, in their order.
        np.add.at(row, np.concatenate([places for places, _ in features]), np.concatenate([weights for _, weights in features]))
    if not row.any():
        row[0] = 1.0
    found: Vectors = row / np.linalg.norm(row.reshape(1, -1), axis=1, keepdims=True)[0]
    return found


@lru_cache(maxsize=16384)
def _features(word: str) -> tuple[NDArray[np.int64], Vectors]:
    """The dimensions that a word and its letters choose, and what is added to each."""
    weight, padded = 0.2 if word in _COMMON else 1.0, f"<{word}>"
    weighted = [(word, weight), *((padded[start : start + 3], 0.3 * weight) for start in range(len(padded) - 2))]
    numbers = [int.from_bytes(blake2b(part.encode("utf-8", "replace"), digest_size=8).digest(), "big") for part, _ in weighted]
    places = np.array([(number >> 1) % _DIMENSIONS for number in numbers], np.int64)
    signed = [it if number & 1 else -it for number, (_, it) in zip(numbers, weighted, strict=True)]
    return places, np.array(signed, np.float32)
