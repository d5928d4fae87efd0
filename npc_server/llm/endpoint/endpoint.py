"""One endpoint with what is known of it: what it is, whether it answers, and how busy it is."""

from __future__ import annotations

import asyncio
import time

import structlog

from npc_server.errors import EngineError
from npc_server.llm.endpoint.address import Address
from npc_server.llm.endpoint.client import EndpointClient, TryAgain
from npc_server.llm.endpoint.meeting import Facts, find_out
from npc_server.llm.failure_log import FailureLog

MOST_WAIT_S = 30.0
THINKS_FIX = "Take a model that answers at once, such as one whose name ends in 'instruct'."
log = structlog.get_logger(__name__)


class Endpoint:
    """An endpoint. After a failure it is left alone for a while, which doubles with each failure in a row."""

    def __init__(self, address: Address, key: str, silence_s: float, restart_wait_s: float, failures_max: int) -> None:
        self.client = EndpointClient(address, key, silence_s)
        self.facts: Facts | None = None
        self.problem: EngineError | None = None
        self.running = 0
        self._restart_wait_s, self._failures_max = restart_wait_s, failures_max
        self._log = FailureLog("an endpoint does not answer")
        self._failures = 0
        self._without_word = 0
        """Failures in a row of which it did not say when to ask again."""
        self._until = 0.0

    @property
    def away_s(self) -> float:
        """Wall seconds for which it is still left alone."""
        return max(0.0, self._until - time.monotonic())

    @property
    def caveat(self) -> str:
        """Why another model would be better although this one answers; empty if there is nothing to say."""
        thinks = self.facts is not None and (self.facts.thinks or self.facts.begins_in_thought)
        return f"{self.facts.shown} thinks before it answers, and nothing switches that off. {THINKS_FIX}" if self.facts and thinks else ""

    @property
    def is_given_up(self) -> bool:
        """Whether it failed so often that no question waits for it any more. It is still asked after each pause."""
        return self._without_word >= self._failures_max

    async def meet(self) -> None:
        """Finds out what the endpoint is. What went wrong is in `problem`."""
        try:
            found = await find_out(self.client)
        except TryAgain as error:
            self.failed(error)
        except EngineError as error:
            self.failed(TryAgain(error, MOST_WAIT_S))
        else:
            self.facts = found
            self.answered()
            log.info("an endpoint answers", address=self.client.address.url, model=found.shown, replies_by=found.form.value)
            if self.caveat:
                log.warning("a model thinks before it answers, and nothing switches that off", model=found.shown, fix=THINKS_FIX)

    def answered(self) -> None:
        self._failures, self._without_word, self._until, self.problem = 0, 0, 0.0, None

    def failed(self, error: TryAgain) -> None:
        """Notes a failure. It is left alone for as long as it wants itself, or else for a time that doubles."""
        if not self.away_s:  # several requests that fail at once are one failure
            self._failures += 1
            self._without_word += error.wait_s is None
        doubled = min(self._restart_wait_s * 2 ** (self._failures - 1), MOST_WAIT_S)
        self._until = time.monotonic() + (doubled if error.wait_s is None else min(error.wait_s, MOST_WAIT_S))
        self._log.note(error.problem)
        self.problem = error.problem

    def try_again(self) -> None:
        self._failures, self._without_word, self._until = 0, 0, 0.0

    async def keep_meeting(self) -> None:
        """Tries until the endpoint has answered once."""
        while self.facts is None:
            await self.meet()
            if self.facts is None:
                await asyncio.sleep(max(self.away_s, 0.05))
