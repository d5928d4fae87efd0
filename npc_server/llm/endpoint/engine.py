"""EndpointEngine asks OpenAI-compatible endpoints over HTTP. Several of them are one engine.

A request goes to the endpoint that last answered its NPC, because its prefix is still there, unless another is much less busy. An
endpoint that fails is left alone for a while, and the request goes to the next one. What was streamed already is never asked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

import structlog

from npc_server.config import EngineSettings
from npc_server.errors import DeadlinePassed, EngineError, ModelDied, ModelMissing
from npc_server.llm import own_lines, thoughts
from npc_server.llm.deadline import current_deadline
from npc_server.llm.deadline_clock import DeadlineClock, comes_in_time
from npc_server.llm.endpoint.address import Address
from npc_server.llm.endpoint.client import TryAgain, Written
from npc_server.llm.endpoint.endpoint import THINKS_FIX, Endpoint
from npc_server.llm.endpoint.form import Form, asked, constraint, read
from npc_server.llm.endpoint.meeting import MIN_P, Facts, penalty_fields
from npc_server.llm.endpoint.turns import Turns
from npc_server.llm.engine import Completion, EngineStatus, Likelihood, OnText, Priority, Request
from npc_server.llm.no_model import CHARS_PER_TOKEN, estimate_tokens
from npc_server.llm.score import cannot_score

TEMPERATURE, TOP_P = 0.7, 0.95
"""What is asked for where the settings say nothing, as for a model file that says nothing."""
MUCH_BUSIER = 2
"""Requests that the NPC's own endpoint may have more than the least busy one."""
JSON_TOKENS = 1.6
"""JSON takes about so many times the tokens of lines."""
RATIO_WEIGHT = 0.1
"""How much a request changes the known characters per token."""
log = structlog.get_logger(__name__)


class EndpointEngine:
    """Implements `Engine`. Make it inside the event loop. It meets its endpoints in the background, and `loaded` waits for the first."""

    def __init__(self, addresses: Sequence[Address], settings: EngineSettings, key: str = "") -> None:
        self.settings = settings
        self.endpoints = [Endpoint(it, key, settings.hang_s, settings.restart_wait_s, settings.deaths_max) for it in addresses]
        self._turns = Turns(settings.max_parallel * len(self.endpoints), settings.queue_limit)
        self._others_clock = DeadlineClock()
        self._warm: dict[str, Endpoint] = {}
        """Where an NPC's prefix is."""
        self._chars_per_token = float(CHARS_PER_TOKEN)
        self._met = asyncio.Event()
        self._meeting = [asyncio.get_running_loop().create_task(self._meet(it)) for it in self.endpoints]
        away = [it.client.address.url for it in self.endpoints if not it.client.address.is_local]
        if away:
            log.warning("what characters perceive and say is sent to another machine", addresses=", ".join(away))

    async def _meet(self, endpoint: Endpoint) -> None:
        await endpoint.meet()
        if endpoint.facts is not None or all(it.facts or it.problem for it in self.endpoints):
            self._met.set()
        await endpoint.keep_meeting()
        self._met.set()

    async def loaded(self) -> EngineStatus:
        """Waits until an endpoint has answered, or all have failed once, and returns the status."""
        await self._met.wait()
        return self.status()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        settings = self.settings
        usual = settings.player_deadline_s if request.priority == Priority.PLAYER else settings.deadline_s
        limit = usual if request.deadline_s is None else request.deadline_s
        began, deadline = time.perf_counter(), current_deadline()
        if deadline.left_s <= 0:
            raise DeadlinePassed("There is no time left for an answer.", "Ask earlier.")
        answer = asyncio.ensure_future(self._in_turn(request, on_text, began))
        try:
            for_player = request.priority == Priority.PLAYER
            if await comes_in_time(answer, deadline, limit, for_player=for_player, clock=self._others_clock):
                return answer.result()
            waited = time.perf_counter() - began
            raise DeadlinePassed(f"No answer came within {waited:.1f} s.", "Use a faster endpoint, or raise engine.deadline_s.")
        finally:
            answer.cancel()  # closes the connection, so that the server stops

    async def _in_turn(self, request: Request, on_text: OnText | None, began: float) -> Completion:
        async with self._turns.turn(request.priority):
            while True:
                endpoint = self._endpoint_for(request.npc)
                if endpoint is None:
                    await self._until_one_is_back()
                    continue
                heard = _NewText(on_text)
                endpoint.running += 1
                try:
                    done = await self._asked(endpoint, request, heard, began)
                except TryAgain as error:
                    endpoint.failed(error)
                    if heard.something:
                        raise error.problem from error
                    continue
                finally:
                    endpoint.running -= 1
                endpoint.answered()
                self._warm[request.npc] = endpoint
                return done

    def _endpoint_for(self, npc: str) -> Endpoint | None:
        """The endpoint to ask now, or None while all are left alone. Raises an EngineError when none was ever met, or all are given up."""
        known = [it for it in self.endpoints if it.facts is not None]
        if not known:
            raise self._problem()
        free = [it for it in known if not it.away_s]
        if not free and all(it.is_given_up for it in known):
            raise self._problem()
        if not free:
            return None
        least, own = min(free, key=lambda it: it.running), self._warm.get(npc)
        return own if own in free and own is not None and own.running <= least.running + MUCH_BUSIER else least

    async def _until_one_is_back(self) -> None:
        await asyncio.sleep(min((it.away_s for it in self.endpoints if it.facts is not None), default=0.0) + 0.01)

    async def _asked(self, endpoint: Endpoint, request: Request, heard: _NewText, began: float) -> Completion:
        facts = endpoint.facts
        assert facts is not None
        form = Form.WORDS if request.free else facts.form
        raw: list[str] = []

        def take(piece: str) -> None:
            raw.append(piece)
            so_far = "".join(raw)
            if not facts.begins_in_thought or thoughts.never_began(so_far):
                heard.take(read(form, request.reply, thoughts.spoken(so_far)))

        done = await endpoint.client.chat(self._body(facts, form, request), take if heard.wanted else lambda _: None)
        said = thoughts.spoken(done.text)
        if facts.begins_in_thought and not thoughts.never_began(done.text):
            said = ""
        text = (read(form, request.reply, said) or said).strip()
        if not text:
            raise _empty(endpoint, facts, done)
        heard.take(text)
        return self._completion(request, text, done, began)

    def _completion(self, request: Request, text: str, done: Written, began: float) -> Completion:
        chars, usage = len(request.system) + len(request.asked), done.usage
        prompt = usage.prompt_tokens if usage and usage.prompt_tokens > 0 else sum(estimate_tokens([request.system, request.asked]))
        self._chars_per_token += RATIO_WEIGHT * (min(max(chars / prompt, 1.0), 8.0) - self._chars_per_token)
        details = usage.prompt_tokens_details if usage else None
        return Completion(
            text=text,
            prompt_tokens=prompt,
            cached_tokens=min(details.cached_tokens, prompt) if details else 0,
            reply_tokens=usage.completion_tokens if usage and usage.completion_tokens > 0 else sum(estimate_tokens([done.text])),
            wall_ms=(time.perf_counter() - began) * 1000,
            truncated=done.finish == "length",
        )

    def _body(self, facts: Facts, form: Form, request: Request) -> dict[str, Any]:
        """The request as an endpoint gets it."""
        settings = self.settings
        given = settings.temperature if request.temperature is None else request.temperature
        tokens = max(request.max_tokens, 1)
        return {
            **facts.request(messages(request, form), MIN_P if settings.min_p is None else settings.min_p),
            "max_tokens": facts.tokens(round(tokens * JSON_TOKENS) if form is Form.JSON else tokens),
            "temperature": TEMPERATURE if given is None else given,
            "top_p": TOP_P if settings.top_p is None else settings.top_p,
            "seed": request.seed % 2**31,
            "stream": True,
            "stream_options": {"include_usage": True},
            **constraint(form, request.reply),
            # A thought has line breaks, too.
            **({"stop": ["\n"]} if request.one_line and not (facts.thinks or facts.begins_in_thought) else {}),
            **(penalty_fields(request.repeat_penalty) if facts.open and request.repeat_penalty != 1 else {}),
        }

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        raise cannot_score("An endpoint")

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimates the tokens of each text from what the endpoints counted for earlier prompts."""
        return [math.ceil(len(text) / self._chars_per_token) for text in texts]

    def status(self) -> EngineStatus:
        known = tuple(it.facts for it in self.endpoints if it.facts is not None)
        # An endpoint that failed is asked again after its pause, so it is ready then.
        answering = any(it.facts is not None and not it.away_s for it in self.endpoints)
        problem = "" if answering else str(self._problem())
        return EngineStatus(
            ready=answering,
            model=_names(known),
            context_tokens=_least_context(known, self.settings.context_tokens) if known else 0,
            first_word_s=self.settings.first_word_s,
            own_lines=own_lines.of_endpoint(),
            chats=True,
            running=self._turns.running,
            waiting=self._turns.waiting,
            problem=problem,
            caveat=next((it.caveat for it in self.endpoints if it.caveat), ""),
        )

    def _problem(self) -> EngineError:
        found = next((it.problem for it in self.endpoints if it.problem is not None), None)
        if found is None:
            return ModelMissing("The endpoint has not answered yet.", "Wait, or see its log.")
        return type(found)(found.what, found.fix, **found.values)

    def try_again(self) -> None:
        for endpoint in self.endpoints:
            endpoint.try_again()

    async def close(self) -> None:
        for task in self._meeting:
            task.cancel()
        for task in self._meeting:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        for endpoint in self.endpoints:
            await endpoint.client.close()


def messages(request: Request, form: Form) -> list[dict[str, str]]:
    """The chat as an endpoint gets it. Only its end is new from line to line, so that the endpoint can keep what it has read."""
    chat = [(role, text) for turn in request.turns for role, text in (("user", turn.heard), ("assistant", turn.said))]
    asked_last = request.user if request.free else asked(form, request.reply, request.user)
    return [{"role": role, "content": text} for role, text in (("system", request.system), *chat, ("user", asked_last))]


class _NewText:
    """Passes on what is new in a reply's text while it grows."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._text = ""

    @property
    def wanted(self) -> bool:
        return self._on_text is not None

    @property
    def something(self) -> bool:
        return bool(self._text)

    def take(self, text: str) -> None:
        """Takes the whole text so far. A text that does not continue the last one is passed on when it does again."""
        if self._on_text is not None and text.startswith(self._text) and len(text) > len(self._text):
            new = text[len(self._text) :]
            self._text = text
            self._on_text(new)


def _empty(endpoint: Endpoint, facts: Facts, done: Written) -> EngineError:
    if done.thought or done.text.strip():
        return ModelDied(f"{facts.shown} at {endpoint.client.address} sent a thought without an answer.", THINKS_FIX)
    return ModelDied(f"{endpoint.client.address} sent an empty answer.", "See its log.")


# Minds ask for the status before each question, and what the endpoints are stays the same.
@lru_cache(maxsize=64)
def _names(known: Sequence[Facts]) -> str:
    """The models, each once: `/models/qwen3-4b.gguf` as `qwen3-4b`."""
    return ", ".join(dict.fromkeys(PurePosixPath(it.shown).name.removesuffix(".gguf") or it.shown for it in known))


@lru_cache(maxsize=64)
def _least_context(known: Sequence[Facts], most: int) -> int:
    return min([most, *(it.context_tokens for it in known if it.context_tokens)])
