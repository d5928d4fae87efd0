from __future__ import annotations

import asyncio

import pytest

from npc_eval.stand_in import FRAME_TOKENS, KEPT_PREFIXES, StandIn
from npc_server.errors import ModelMissing
from npc_server.llm.engine import Request
from npc_server.llm.reply import one
from tests.llm.kinds import Say


def letters(texts: list[str] | tuple[str, ...] | object) -> list[int]:
    assert isinstance(texts, list)
    return [len(text) for text in texts]


def request(system: str = "You are Ada.", suggestion: str = "Good day.") -> Request:
    return Request(system=system, user="Say something.", reply=one(Say), seed=1, suggestion=suggestion)


def test_it_answers_what_instinct_suggests_and_counts_what_was_asked() -> None:
    done = asyncio.run(StandIn(letters).complete(request()))
    assert done.text == "Good day."
    assert (done.prompt_tokens, done.reply_tokens) == (12 + 14 + FRAME_TOKENS, 9)
    assert done.cached_tokens == 0


def test_a_system_text_that_was_there_lately_counts_as_kept() -> None:
    async def ask() -> list[int]:
        engine = StandIn(letters)
        await engine.complete(request())
        again = await engine.complete(request())
        for i in range(KEPT_PREFIXES):
            await engine.complete(request(f"You are number {i}."))
        forgotten = await engine.complete(request())
        return [again.cached_tokens, forgotten.cached_tokens]

    assert asyncio.run(ask()) == [12, 0]


def test_a_question_without_a_suggestion_is_an_error_and_not_free() -> None:
    with pytest.raises(ModelMissing, match="no suggestion"):
        asyncio.run(StandIn(letters).complete(request(suggestion="")))
