"""One endpoint with what is known of it: its model, what form it obeys, whether it answers, and how busy it is."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import structlog

from npc_server.errors import EngineError, ModelMissing, ModelRejected
from npc_server.llm.endpoint.address import Address
from npc_server.llm.endpoint.client import EndpointClient, TryAgain, Written
from npc_server.llm.endpoint.form import Form, obeyed, probe

PROBE_TOKENS = 24
REJECTED = frozenset({"400", "404", "415", "422", "501"})
"""HTTP statuses with which endpoints refuse a field that they do not know."""
MOST_WAIT_S = 30.0
MIN_P = 0.05
"""Share of the likeliest token below which none is sampled, where the settings say nothing."""
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Facts:
    """What an endpoint is, found out once."""

    model: str
    """The name by which the endpoint knows its model."""
    context_tokens: int
    """0 when the endpoint does not say."""
    form: Form
    open: bool
    """Whether it takes the fields of open servers, such as `min_p` and a way to switch thinking off."""


class Endpoint:
    """An endpoint. After a failure it is left alone for a while, which doubles with each failure in a row."""

    def __init__(self, address: Address, key: str, silence_s: float, restart_wait_s: float, failures_max: int) -> None:
        self.client = EndpointClient(address, key, silence_s)
        self.facts: Facts | None = None
        self.problem: EngineError | None = None
        self.running = 0
        self._restart_wait_s, self._failures_max = restart_wait_s, failures_max
        self._failures = 0
        self._without_word = 0
        """Failures in a row of which it did not say when to ask again."""
        self._until = 0.0

    @property
    def away_s(self) -> float:
        """Wall seconds for which it is still left alone."""
        return max(0.0, self._until - time.monotonic())

    @property
    def is_given_up(self) -> bool:
        """Whether it failed so often that no question waits for it any more. It is still asked after each pause."""
        return self._without_word >= self._failures_max

    async def meet(self) -> None:
        """Finds out what the endpoint is. What went wrong is in `problem`."""
        try:
            entry = await self.client.model()
            is_open = await self._takes_open_fields(entry.id)
            form = await self._form(entry.id, is_open)
        except TryAgain as error:
            self.failed(error)
        except EngineError as error:
            self.failed(TryAgain(error, MOST_WAIT_S))
        else:
            self.facts = Facts(entry.id, entry.context_tokens, form, is_open)
            self.answered()
            log.info("an endpoint answers", address=self.client.address.url, model=entry.id, replies_by=form.value)

    def answered(self) -> None:
        self._failures, self._without_word, self._until, self.problem = 0, 0, 0.0, None

    def failed(self, error: TryAgain) -> None:
        """Notes a failure. It is left alone for as long as it wants itself, or else for a time that doubles."""
        if not self.away_s:  # several requests that fail at once are one failure
            self._failures += 1
            self._without_word += error.wait_s is None
        doubled = min(self._restart_wait_s * 2 ** (self._failures - 1), MOST_WAIT_S)
        self._until = time.monotonic() + (doubled if error.wait_s is None else min(error.wait_s, MOST_WAIT_S))
        if self.problem is None or str(self.problem) != str(error.problem):
            log.warning("an endpoint does not answer", problem=str(error.problem))
        self.problem = error.problem

    def try_again(self) -> None:
        self._failures, self._without_word, self._until = 0, 0, 0.0

    async def _takes_open_fields(self, model: str) -> bool:
        try:
            await self._asked(model, open_fields(MIN_P))
        except ModelRejected as error:
            if error.values.get("status") not in REJECTED:
                raise
            await self._asked(model, {})
            return False
        return True

    async def _form(self, model: str, is_open: bool) -> Form:
        for form in Form:
            try:
                written = await self._asked(model, {**probe(form), **(open_fields(MIN_P) if is_open else {})})
            except ModelRejected as error:
                if error.values.get("status") not in REJECTED:
                    raise
                continue
            except TryAgain as error:
                if not isinstance(error.problem, ModelMissing) and form is not Form.WORDS:
                    continue  # some servers answer 500 to a field that they cannot use
                raise
            if obeyed(form, written.text):
                return form
        return Form.WORDS

    async def _asked(self, model: str, fields: dict[str, Any]) -> Written:
        messages = [{"role": "user", "content": "Say hello."}]
        body = {"model": model, "messages": messages, "max_tokens": PROBE_TOKENS, "temperature": 0, "stream": True, **fields}
        return await self.client.chat(body, lambda _: None)

    async def keep_meeting(self) -> None:
        """Tries until the endpoint has answered once."""
        while self.facts is None:
            await self.meet()
            if self.facts is None:
                await asyncio.sleep(max(self.away_s, 0.05))


def open_fields(min_p: float) -> dict[str, Any]:
    """Fields that open servers know and hosted ones may refuse: a sampler's, and what keeps a model from thinking aloud first."""
    return {"chat_template_kwargs": {"enable_thinking": False}, "min_p": min_p}
