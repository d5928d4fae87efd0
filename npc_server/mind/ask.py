"""Asks the model a question. A reply that cannot be read is asked for once more, with the reason; then instinct answers.

Renders the prompt, cuts it to the budget, asks with the mind's priority, reads and checks the reply, and notes the cost in the ledger.
What is a little off in a reply is put right (`llm.mend_reply`), and the ledger names it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from npc_server import clock
from npc_server.errors import EngineError, ModelMissing, ModelRejected, Overloaded, PromptTooLong, ReplyUnreadable
from npc_server.llm.engine import Completion, OnText, Priority, Request
from npc_server.llm.mend_reply import read
from npc_server.llm.reply import ReplyType
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind import identity
from npc_server.mind.mind import Mind
from npc_server.prompts.budget import Prompt, fit
from npc_server.prompts.load import Trusted
from npc_server.records import CallOutcome, GameTime, ModelCall, Source

R = TypeVar("R")
ATTEMPTS = 2
"""How often a question is asked. The second attempt has another seed, and says what was wrong with the first answer."""
AGAIN = "again"
"""The prompt file with that reason."""
MENDED = "mended: "
"""Begins the ledger's reason for a reply that was used after something in it was put right."""
_REFUSALS = (ModelMissing, ModelRejected, Overloaded, PromptTooLong)
"""Errors before any token was computed."""
NOTHING = Completion("", 0, 0, 0, 0.0)


@dataclass(frozen=True)
class Answer(Generic[R]):
    value: R
    source: Source


@dataclass(frozen=True)
class Aloud(Generic[R]):
    """A reply of which words are heard while it is written. What was heard is never taken back."""

    words: SpokenWords
    kept: Callable[[str], R]
    """The reply that says these words, where nothing else of the model's reply can be used."""


async def ask(
    mind: Mind,
    question: str,
    reply: ReplyType[R],
    instinct: Callable[[], R],
    now: GameTime,
    /,
    *,
    check: Callable[[R], str] | None = None,
    tidy: Callable[[R], tuple[R, str]] | None = None,
    max_tokens: int = 256,
    aloud: Aloud[R] | None = None,
    may_wait: bool = False,
    **values: object,
) -> Answer[R]:
    """The answer to the question whose template is `<question>.prompt`.

    `tidy` puts a reply's sense right, such as minutes that do not add up, and names what it changed, or nothing. `check` then says what is
    wrong with it, to follow "it", or nothing. A wrong reply is never stored. After the second one `instinct` answers, and the ledger
    counts that. With `may_wait`, others go first unless a player is near.

    `aloud` hears each attempt while it is written. As soon as a word was heard, that attempt counts, whatever is wrong with the rest.
    """
    reason = mind.answerer.why_not_asked(question, now)
    if reason:
        return by_instinct(mind, question, instinct, now, reason)
    status, priority = mind.tools.engine.status(), _priority(mind, may_wait)
    try:
        prompt = await prompt_for(mind, question, {"format": Trusted(reply.format_text()), **values}, max_tokens, now)
    except EngineError as error:
        return by_instinct(mind, question, instinct, now, error.reason)
    reader = ReplyReader(reply, tidy, check, aloud)
    request = Request(
        system=prompt.system, user=prompt.user, reply=reply, seed=0, npc=mind.npc, stage=question, max_tokens=max_tokens, priority=priority,
        suggestion=reply.write(instinct()) if status.stands_in else "", at=now, wrong=lambda text: reader.wrong(text, mind),
        turns=prompt.turns,
    )  # fmt: skip
    value = await _asked(mind, request, prompt, reader, now)
    source = Source.INSTINCT if value is None else Source.MODEL
    mind.tally.count(source)
    return Answer(instinct() if value is None else value, source)


@dataclass(frozen=True)
class ReplyReader(Generic[R]):
    """How the replies to a question are read."""

    reply: ReplyType[R]
    tidy: Callable[[R], tuple[R, str]] | None
    check: Callable[[R], str] | None
    aloud: Aloud[R] | None

    @property
    def on_text(self) -> OnText | None:
        """What hears the next attempt."""
        return self.aloud.words.begin() if self.aloud else None

    def heard(self) -> R | None:
        """The reply that says what was heard of this attempt; None if nothing was."""
        return self.aloud.kept(self.aloud.words.kept()) if self.aloud and self.aloud.words.heard else None

    def read(self, text: str, mind: Mind) -> tuple[R, str]:
        """The reply, and what was put right in it. Raises ReplyUnreadable."""
        found = read(self.reply, text, (mind.persona.name, mind.persona.first_name))
        value, tidied = self.tidy(found.value) if self.tidy else (found.value, "")
        wrong = self.check(value) if self.check else ""
        if wrong and not (self.aloud and self.aloud.words.heard):
            raise ReplyUnreadable(f"The reply to {self.reply.name!r} {wrong}.", "It was not used.", why=wrong)
        return value, ", ".join((*found.mended, tidied) if tidied else found.mended)

    def wrong(self, text: str, mind: Mind) -> str:
        """What is wrong with the reply; empty if it can be used."""
        try:
            self.read(text, mind)
        except ReplyUnreadable as error:
            return error.what
        return ""


async def _asked(mind: Mind, request: Request, prompt: Prompt, reader: ReplyReader[R], now: GameTime) -> R | None:
    """The model's reply; None if no attempt gave one that can be used."""
    question, why = request.stage, ""
    for attempt in range(ATTEMPTS):
        seed = mind.seed_for(question, now, len(mind.draft.calls), attempt)
        user = request.user + (f"\n\n{mind.tools.prompts.render(AGAIN, {'reason': why}).part('user')}" if why else "")
        tried = replace(request, seed=seed, user=user)
        completion = await completed(mind, tried, prompt, reader.on_text, now)
        if completion is None:
            return reader.heard()
        try:
            value, mended = reader.read(completion.text, mind)
        except ReplyUnreadable as error:
            if (heard := reader.heard()) is not None:
                note(
                    mind, question, now, completion, CallOutcome.USED, f"{MENDED}kept what was heard; it {error.values['why']}", asked=tried
                )
                return heard
            why = error.values["why"]
            note(mind, question, now, completion, CallOutcome.INSTINCT if attempt else CallOutcome.RETRIED, error.what, asked=tried)
            continue
        note(mind, question, now, completion, CallOutcome.USED, f"{MENDED}{mended}" if mended else "", asked=tried)
        return value
    return None


def _priority(mind: Mind, may_wait: bool) -> Priority:
    usual = mind.budget.priority
    return Priority.IDLE if may_wait and usual is Priority.USUAL else usual


async def prompt_for(mind: Mind, question: str, values: Mapping[str, object], max_tokens: int, now: GameTime) -> Prompt:
    """The question's prompt, cut so that `max_tokens` of reply fit beside it. Raises EngineError."""
    status = mind.tools.engine.status()
    rendered = mind.tools.prompts.render(question, {**identity.values_of(mind, now), **values})
    budget = min(mind.settings.prompt_tokens, max(status.context_tokens - max_tokens, 1))
    return await fit(rendered, budget, mind.tools.engine.count_tokens)


async def completed(mind: Mind, request: Request, prompt: Prompt, on_text: OnText | None, now: GameTime) -> Completion | None:
    """What the model wrote; None if it could not. The ledger gets the cost in either case."""
    began = time.perf_counter()
    try:
        return await mind.tools.engine.complete(request, on_text)
    except asyncio.CancelledError:
        note(mind, request.stage, now, _unfinished(prompt, began), CallOutcome.CANCELLED, "", asked=request)
        raise
    except (EngineError, Overloaded) as error:
        cost = NOTHING if isinstance(error, _REFUSALS) else _unfinished(prompt, began)
        note(mind, request.stage, now, cost, CallOutcome.INSTINCT, error.reason, asked=request)
        return None


def by_instinct(mind: Mind, question: str, instinct: Callable[[], R], now: GameTime, reason: str) -> Answer[R]:
    """Answers without the model, and notes the reason in the ledger."""
    note(mind, question, now, NOTHING, CallOutcome.INSTINCT, reason)
    mind.tally.count(Source.INSTINCT)
    return Answer(instinct(), Source.INSTINCT)


def _unfinished(prompt: Prompt, began: float) -> Completion:
    """The cost of a question that was interrupted. The engine does not say how much it computed; its whole prompt is the most."""
    return Completion("", prompt.tokens, 0, 0, (time.perf_counter() - began) * 1000)


def note(
    mind: Mind, question: str, now: GameTime, done: Completion, outcome: CallOutcome, reason: str, *, asked: Request | None = None
) -> None:
    """Enters a question into the ledger, and keeps it to be looked at; `asked` is what a model was asked."""
    call = ModelCall(mind.npc, question, now, done.prompt_tokens, done.cached_tokens, done.reply_tokens, done.wall_ms, outcome, reason)
    mind.draft.calls.append(call)
    mind.tools.asked.add(call, asked, done.text)
    mind.budget.spend(done.prompt_tokens - done.cached_tokens + done.reply_tokens, now)


def when(now: GameTime) -> str:
    """Date and time as prompts show them: `Monday 4 May, 08:10`."""
    return f"{clock.date(now)}, {clock.hhmm(now)}"
