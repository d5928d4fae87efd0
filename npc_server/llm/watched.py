"""Watches whether the answers of a model can be used, so that somebody hears of it when none can."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import structlog

from npc_server.errors import EngineError, ModelMissing, PromptTooLong, ReplyUnreadable
from npc_server.llm.deadline import current_deadline
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Priority, Request
from npc_server.llm.mend_reply import read

IN_A_ROW = 3
"""So many answers that cannot be used are no chance."""
HAD_TIME = 0.5
"""Share of `first_word_s` that a line must have taken for it to be the model's fault that no word came in time."""
log = structlog.get_logger(__name__)


class WatchedEngine:
    """Implements `Engine` around another one. While no answer can be used, its status says why as `problem`, although it is `ready`.

    An answer is of no use where it does not come, or cannot be read, and a line of a chat where nobody would say it. What a reply says
    otherwise is no business of this.
    """

    def __init__(self, inner: Engine) -> None:
        self.inner = inner
        self._in_a_row = 0
        self._problem = ""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if request.max_tokens <= 1:  # it only reads ahead
            return await self.inner.complete(request, on_text)
        has_time = current_deadline().left_s > 0
        began, heard = time.monotonic(), asyncio.Event()

        def hear(text: str) -> None:
            heard.set()
            if on_text is not None:
                on_text(text)

        try:
            done = await self.inner.complete(request, hear if on_text is not None else None)
        except asyncio.CancelledError:
            if request.priority == Priority.PLAYER and request.one_line and not heard.is_set():
                self._note_left(request, began)
            raise
        except (ModelMissing, PromptTooLong):  # the model was not asked
            raise
        except EngineError as error:
            if has_time:
                self._note_unusable(str(error))
            raise
        try:
            read(request.reply, done.text)
            if request.one_line and request.wrong is not None and (wrong := request.wrong(done.text)):
                raise ReplyUnreadable(f"The line {wrong}.", "It was not said.")
        except ReplyUnreadable as error:
            self._note_unusable(error.what)
        else:
            self._note_usable()
        return done

    def _note_left(self, request: Request, began: float) -> None:
        """A player's line was left before its first word. That is the model's fault only if it had time to begin."""
        limit, by = self.inner.status().first_word_s, request.first_word_by
        if by is not None and by.is_over() and time.monotonic() - began >= HAD_TIME * limit:
            self._note_unusable(f"It did not begin to speak within {limit:g} s.")

    def _note_unusable(self, why: str) -> None:
        self._in_a_row += 1
        if self._in_a_row >= IN_A_ROW and not self._problem:
            what = f"The last {IN_A_ROW} answers of {self.inner.status().model or 'the model'} could not be used."
            self._problem = f"{what} The latest: {why}"
            log.warning("answers of a model cannot be used", problem=self._problem)

    def _note_usable(self) -> None:
        if self._problem:
            log.info("answers of a model can be used again", model=self.inner.status().model)
        self._in_a_row, self._problem = 0, ""

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        return await self.inner.score(request, given, texts)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self.inner.count_tokens(texts)

    def status(self) -> EngineStatus:
        status = self.inner.status()
        return replace(status, problem=self._problem) if self._problem and status.ready else status

    def try_again(self) -> None:
        self.inner.try_again()

    async def close(self) -> None:
        await self.inner.close()
