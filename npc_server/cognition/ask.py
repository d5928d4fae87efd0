"""The one helper that asks a question: renders the prompt, asks the model, parses, retries once, and else lets instinct answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from npc_server import clock
from npc_server.cognition import identity
from npc_server.cognition.mind import Mind
from npc_server.errors import EngineError, ReplyUnreadable
from npc_server.llm.engine import Completion, OnText, Request
from npc_server.llm.reply import ReplyType
from npc_server.prompts.budget import fit
from npc_server.prompts.load import Trusted
from npc_server.records import CallOutcome, GameTime, ModelCall, Source

R = TypeVar("R")
ATTEMPTS = 2
"""A reply that does not parse is asked for once more, with another seed."""


@dataclass(frozen=True)
class Answer(Generic[R]):
    value: R
    source: Source


async def ask(
    mind: Mind,
    question: str,
    reply: ReplyType[R],
    instinct: Callable[[], R],
    now: GameTime,
    /,
    *,
    check: Callable[[R], str] | None = None,
    max_tokens: int = 256,
    on_text: OnText | None = None,
    **values: object,
) -> Answer[R]:
    """The answer to the question whose template is `<question>.prompt`.

    `check` returns a sentence that says what is wrong with a reply that parses, or nothing. A wrong reply is never stored:
    after the second one `instinct` answers, and the ledger counts it.
    """
    if not mind.engine.status().ready:
        return _by_instinct(mind, question, instinct, now, "MODEL_MISSING")
    reason = ""
    try:
        rendered = mind.prompts.render(question, {**identity.values_of(mind, now), "format": Trusted(reply.format_text()), **values})
        budget = min(mind.settings.prompt_tokens, max(mind.engine.status().context_tokens - max_tokens, 1))
        prompt = await fit(rendered, budget, mind.engine.count_tokens)
        suggestion = reply.write(instinct()) if mind.engine.status().stands_in else ""
        for attempt in range(ATTEMPTS):
            request = Request(
                system=prompt.system,
                user=prompt.user,
                reply=reply,
                seed=mind.seed_for(question, now, len(mind.draft.calls), attempt),
                npc=mind.npc,
                stage=question,
                max_tokens=max_tokens,
                priority=mind.priority,
                suggestion=suggestion,
            )
            completion = await mind.engine.complete(request, on_text)
            try:
                value = reply.parse(completion.text)
                wrong = check(value) if check else ""
                if wrong:
                    raise ReplyUnreadable(f"The reply to {question!r} {wrong}.", "It was not used.")
            except ReplyUnreadable as error:
                reason = error.what
                last = attempt == ATTEMPTS - 1
                _note(mind, question, now, completion, CallOutcome.INSTINCT if last else CallOutcome.RETRIED, reason)
            else:
                _note(mind, question, now, completion, CallOutcome.USED, "")
                mind.count_answer(Source.MODEL)
                return Answer(value, Source.MODEL)
    except EngineError as error:
        return _by_instinct(mind, question, instinct, now, error.reason)
    mind.count_answer(Source.INSTINCT)
    return Answer(instinct(), Source.INSTINCT)


def _by_instinct(mind: Mind, question: str, instinct: Callable[[], R], now: GameTime, reason: str) -> Answer[R]:
    mind.draft.calls.append(ModelCall(mind.npc, question, now, 0, 0, 0, 0.0, CallOutcome.INSTINCT, reason))
    mind.count_answer(Source.INSTINCT)
    return Answer(instinct(), Source.INSTINCT)


def _note(mind: Mind, question: str, now: GameTime, done: Completion, outcome: CallOutcome, reason: str) -> None:
    mind.draft.calls.append(
        ModelCall(mind.npc, question, now, done.prompt_tokens, done.cached_tokens, done.reply_tokens, done.wall_ms, outcome, reason)
    )


def when(now: GameTime) -> str:
    """The moment, as prompts say it: `Monday 4 May, 08:10`."""
    return f"{clock.date(now)}, {clock.hhmm(now)}"
