"""npc-rerank says how well texts answer a line of a talk. It is SmolLM2-135M-Instruct, trained in two steps, in a process of its own.

It reads more slowly than npc-answers and sees more: who answers, and what was said before. So it reads what npc-answers found best
(a reranker: Nogueira and Cho 2019, arXiv 1901.04085). `models/rerank` trains it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import structlog

from npc_server.config import EngineSettings
from npc_server.errors import EngineError, ModelRejected
from npc_server.llm.adapters import Adapter, check_fits
from npc_server.llm.embed import ask_vectors
from npc_server.llm.engine import LineInTalk, Scores
from npc_server.llm.failure_log import FailureLog
from npc_server.llm.from_package import is_stale
from npc_server.llm.gguf_header import Header, read_header
from npc_server.llm.models import find_entry, resolve
from npc_server.llm.process import ModelProcess
from npc_server.llm.protocol import Frame
from npc_server.llm.worker import process_init, threads_for

NAME = "npc-rerank"
"""The model of the catalogue. Its file has what was trained first in its weights; merged, the second step would lose too much."""
ADAPTER = Path(__file__).parent.parent / "data" / "models" / "npc-rerank.lora.gguf"
"""The second step, which is put on while it runs."""
MOST_THREADS = 4
"""A player waits for the answer, so that many cores are used for it, and one is left for the game."""

LINES_KEPT = 2
"""A line is read with what was said before it, and without that where a reader compares it with the asker's own words."""
WAIT_SHARE = 0.05
"""Share of `engine.embedding_deadline_s`: a player waits for it. What is not read again by then is answered as it was read first."""

log = structlog.get_logger(__name__)


class LlamaReranker:
    """Reads with npc-rerank. Its process loads the model at once. Make it inside the event loop."""

    def __init__(self, header: Header, settings: EngineSettings, adapter: Path = ADAPTER, *, log_file: Path | None = None) -> None:
        init = process_init(header.path, settings, "rerank", adapters=(Adapter(adapter),))
        init["threads"] = settings.threads or max(threads_for(settings), min(MOST_THREADS, (os.cpu_count() or 2) - 1))
        self.deadline_s = WAIT_SHARE * settings.embedding_deadline_s
        self.process = ModelProcess(
            init,
            restart_wait_s=settings.restart_wait_s,
            deaths_max=settings.deaths_max,
            hang_s=settings.hang_s,
            helps=True,
            log_file=log_file,
        )
        self.process.start()
        self._failures = FailureLog("nothing reads the answers again")
        self._odds: dict[LineInTalk, dict[str, float] | None] = {}
        """What is known of the latest lines; None where the process was too late for one."""

    async def log_odds(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        """The log odds that each text answers, shape (len(texts),). None when the process does not answer.

        What it read for the latest line is kept, since a line is answered in several steps.
        """
        kept = self._odds.setdefault(heard, {})
        while len(self._odds) > LINES_KEPT:
            del self._odds[next(iter(self._odds))]
        if kept is None:
            return None
        missing = [text for text in dict.fromkeys(texts) if text not in kept]
        if missing:
            try:
                kept |= zip(missing, await self._read(heard, missing), strict=True)
            except EngineError as error:
                self._failures.note(error)
                if heard in self._odds:
                    self._odds[heard] = None
                return None
        return np.array([kept[text] for text in texts], np.float32)

    async def _read(self, heard: LineInTalk, texts: Sequence[str]) -> list[float]:
        item: Frame = {**_frame(heard, "rerank"), "texts": list(texts)}
        found = await ask_vectors(self.process, "The process of npc-rerank", self.deadline_s, item)
        if found.shape != (1, len(texts)):
            raise EngineError(f"npc-rerank told how well {found.size} of {len(texts)} texts answer.", "Please report it.")
        return [float(odds) for odds in found[0]]

    def read_ahead(self, heard: LineInTalk) -> None:
        """Begins to read a line, or what was said before it, while nothing else is read. Then `log_odds` takes less time."""
        self.process.tell(_frame(heard, "read"))

    def try_again(self) -> None:
        self.process.try_again()

    async def close(self) -> None:
        await self.process.close()


def _frame(heard: LineInTalk, op: str) -> Frame:
    return {"op": op, "who": heard.who, "before": list(heard.before), "line": heard.text}


async def open_reranker(settings: EngineSettings, *, log_file: Path | None = None) -> LlamaReranker | None:
    """The reranker of the settings; None where they name none, or its file is not there or was made by another version."""
    if settings.reranker == "none":
        return None
    try:
        header = await asyncio.to_thread(_base, settings)
    except EngineError as problem:
        log.warning("no npc-rerank, answers are read once", problem=str(problem))
        return None
    return LlamaReranker(header, settings, log_file=log_file)


def _base(settings: EngineSettings) -> Header:
    header = read_header(resolve(NAME, settings.models_folder), settings.max_header_bytes)
    entry = find_entry(NAME)
    if header.values.get("general.name") != NAME or entry is None or is_stale(entry, header.path):
        what = f"{str(header.path)!r} is not the {NAME} of this version."
        raise ModelRejected(what, f"npc-server model pull {NAME}", file=header.path)
    check_fits(read_header(ADAPTER), header)
    return header
