"""Caches the vectors of texts, because NPCs do the same things every day and ask the same questions about each other.

The texts of a town come again with each new game. So those that come many at once are kept in a file, too. A simulation, in which no
player speaks, keeps all.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from npc_server.errors import DeadlinePassed, EngineError
from npc_server.llm.deadline import current_deadline, without_deadline
from npc_server.llm.engine import Embedder, LineInTalk, Scores, Vectors
from npc_server.llm.failure_log import FailureLog
from npc_server.llm.lockstep import in_turn
from npc_server.llm.rerank import LlamaReranker
from npc_server.llm.vector_file import key_of, read_vectors, vector_file, write_vectors

KEPT = 20_000
"""How many texts are cached. With 384 dimensions their vectors take 31 MB."""
MANY = 32
"""So many new texts at once are those of a town: names of places, what people know from the start."""
KEPT_IN_FILE = 20_000
"""Most texts in the file, which then has 31 MB. Alderwick has 3,300, and 9,000 more in two days."""


class CachedEmbedder:
    """Implements `Embedder` around another one. The least recently used texts are dropped first."""

    def __init__(
        self,
        inner: Embedder,
        kept: int = KEPT,
        folder: Path | None = None,
        reranker: LlamaReranker | None = None,
        *,
        keeps_all: bool = False,
    ) -> None:
        """`folder` has the file of vectors; without it nothing is kept in a file. With `keeps_all` every text gets there in the end."""
        self.inner, self.reranker = inner, reranker
        self._kept, self._keeps_all = kept, keeps_all
        self._file = vector_file(folder, "texts", inner.name) if folder else None
        self._of_file: dict[int, Vectors] | None = None
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()
        self._on_the_way: dict[str, asyncio.Task[Vectors]] = {}
        self._line, self._scores = "", dict[str, float]()
        self._failures, self._late = FailureLog("texts have no vector"), FailureLog("texts have no vector yet")
        self._unread = FailureLog("nothing tells what answers a line")
        self._is_hung = False
        """Whether somebody has waited for the model in vain, and it has not answered since."""

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def dimensions(self) -> int:
        return self.inner.dimensions

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await in_turn(self._found(texts))  # A play with a seed must not depend on what is cached.

    async def _found(self, texts: Sequence[str]) -> Vectors:
        # These are read before the await, because other calls may drop them meanwhile.
        found = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if len(missing) >= MANY or self._keeps_all:
            found |= self._from_file(missing)
            missing = [text for text in missing if text not in found]
        if missing:
            found |= await self._embed_each(missing)
        if len(missing) >= MANY:
            self._to_file({text: found[text] for text in texts if found[text].any()})
        for text, row in found.items():
            self._keep(text, row)
        return np.stack([found[text] for text in texts]) if texts else np.zeros((0, self.dimensions), np.float32)

    def _from_file(self, texts: Sequence[str]) -> dict[str, Vectors]:
        kept = self._in_file()
        return {text: kept[key] for text in texts if (key := key_of(text)) in kept}

    def _in_file(self) -> dict[int, Vectors]:
        if self._of_file is None:
            self._of_file = read_vectors(self._file, self.dimensions)
        return self._of_file

    def _to_file(self, used: Mapping[str, Vectors]) -> None:
        """Writes the file with these vectors, too. Those that were used longest ago go when there are too many."""
        if self._file is None or not used:
            return
        rows = {key_of(text): row for text, row in used.items()}
        every = {**{key: row for key, row in self._in_file().items() if key not in rows}, **rows}
        self._of_file = dict(list(every.items())[-KEPT_IN_FILE:])
        write_vectors(self._file, self._of_file, np.stack(list(self._of_file.values())))

    async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        """As the model says; None, too, when it fails. The latest line's texts are read once: a line is answered in several steps."""
        return await in_turn(self._answers(line, texts))

    async def _answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        if line != self._line:
            self._line, self._scores = line, {}
        kept = self._scores
        missing = [text for text in dict.fromkeys(texts) if text not in kept]
        try:
            found = await self._answers_read(line, missing) if missing else np.zeros(0, np.float32)
        except EngineError as error:
            self._unread.note(error)
            found = None
        if found is None:
            return None
        kept |= {text: float(score) for text, score in zip(missing, found, strict=True)}
        return np.array([kept[text] for text in texts], np.float32)

    async def _answers_read(self, line: str, texts: Sequence[str]) -> Scores | None:
        """Raises EngineError, also where they come too late for who asks."""
        with without_deadline():
            reading = asyncio.ensure_future(self.inner.answers(line, texts))
        try:
            if not await self._comes(reading):
                raise DeadlinePassed("What tells how well texts answer a line came too late.", "Use a faster embedding model.")
            found = reading.result()
            self._is_hung = False
            return found
        finally:
            reading.cancel()

    async def _comes(self, answer: asyncio.Future[Any]) -> bool:
        """Whether an answer comes while the task waits for help. Of a model that hangs, only the first to notice it waits so long."""
        mine = current_deadline()
        came = await mine.wait_for(answer, 0.0 if self._is_hung and mine.until < math.inf else math.inf, helps=True)
        self._is_hung = self._is_hung or not came
        return came

    async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        return await in_turn(self.reranker.log_odds(heard, texts)) if self.reranker and texts else None

    def read_ahead(self, heard: LineInTalk) -> None:
        if self.reranker:
            self.reranker.read_ahead(heard)

    def try_again(self) -> None:
        self.inner.try_again()
        if self.reranker:
            self.reranker.try_again()

    async def _embed_each(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of texts. What comes too late for who asks is zeros for them, and is kept for all others when it comes.

        Each text is embedded alone, because the texts of a batch can change each other's last digits.
        """
        tasks = {text: self._embedding(text) for text in texts}
        arriving = asyncio.ensure_future(asyncio.wait(tasks.values()))
        try:
            await self._comes(arriving)
        finally:
            arriving.cancel()
        if any(not task.done() for task in tasks.values()):
            self._late.note(DeadlinePassed("Vectors of texts came too late.", "Use a faster embedding model."))
        return {text: task.result() if task.done() else np.zeros(self.dimensions, np.float32) for text, task in tasks.items()}

    def _embedding(self, text: str) -> asyncio.Task[Vectors]:
        """Several people see the same thing at the same moment, and all wait for the same vector, each as long as they can.

        So it has no deadline of theirs, and whoever gives up waiting takes it from nobody else.
        """
        task = self._on_the_way.get(text)
        if task is None:
            with without_deadline():
                task = self._on_the_way[text] = asyncio.create_task(self._embed(text))
            task.add_done_callback(lambda _: self._on_the_way.pop(text, None))
        return task

    async def _embed(self, text: str) -> Vectors:
        """Returns shape (dimensions,). Zeros, which are near nothing, take the place of a vector when the model does not answer."""
        try:
            row = np.asarray((await self.inner.embed([text]))[0])
        except EngineError as error:
            self._failures.note(error)
            return np.zeros(self.dimensions, np.float32)
        self._is_hung = False
        self._keep(text, row)
        return row

    def _keep(self, text: str, row: Vectors) -> None:
        """Puts a vector in the cache. Zeros are none: the text is embedded the next time."""
        if row.any():
            self._vectors[text] = row
            self._vectors.move_to_end(text)
        while len(self._vectors) > self._kept:
            self._vectors.popitem(last=False)

    async def close(self) -> None:
        left = list(self._on_the_way.values())
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if self._keeps_all:
            self._to_file(self._vectors)
        await self.inner.close()
        if self.reranker:
            await self.reranker.close()
