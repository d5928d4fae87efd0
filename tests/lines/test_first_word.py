"""All that is asked for a line has one deadline, from when it was heard until a word of the answer was heard."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from npc_server.lines.answer import answer
from npc_server.lines.context import NextLine
from npc_server.lines.first_word import first_word
from npc_server.llm.deadline import Deadline, at_most
from npc_server.llm.engine import Completion, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.instinct import Said
from npc_server.mind.mind import Mind
from npc_server.records import CallOutcome, Source
from tests.lines.test_known import chooser, hat, near
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
OF_BANK = "It was Mara's aunt's."
ASSISTANT = "I'm sorry, but I can't assist with that."


class Speaks(ScriptedEngine):
    """A model that scores and writes. Each ends the deadline where `ends` names it, and after writing `pieces` it hangs."""

    def __init__(self, by: Deadline, *lines: str, ends: str = "", pieces: Sequence[str] = ()) -> None:
        super().__init__({"say": list(lines), "chat_after": ["nothing"]}, chats=True)
        self.by, self.ends, self.pieces = by, ends, pieces
        self.hangs = asyncio.Event()

    def status(self) -> EngineStatus:
        return replace(super().status(), scores=True, own_lines=0.9, first_word_s=3600.0)

    def _end(self, what: str) -> None:
        if what == self.ends:
            self.by.end_at(time.monotonic())

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        self._end("score")
        return [Likelihood(0.0 if request.user.endswith("…") else -9.0, 4, 30) for _ in texts]

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        if request.stage == "say" and request.max_tokens > 1:
            if on_text is not None:
                for piece in self.pieces:
                    on_text(piece)
            if self.pieces:
                self._end("write")
                self.hangs.set()
                await asyncio.Event().wait()
            done = await super().complete(request, on_text)
            self._end("write")
            return done
        return await super().complete(request, on_text)


async def said(mind: Mind, words: list[str]) -> Said:
    mind.tools.chooser = await chooser([], by_bank=0.5, tells=0.5)
    return await answer(mind, NextLine(hat(), "", False, MORNING), frozenset(), present=(), on_text=words.append)


def lines_asked(engine: ScriptedEngine) -> int:
    return sum(request.stage == "say" and request.max_tokens > 1 for request in engine.requests)


def test_the_deadline_begins_when_the_line_was_heard_and_is_for_players_alone(make_mind: MakeMind) -> None:
    mind = make_mind(Speaks(Deadline()))
    assert first_word(mind).left_s > 3600 * 24
    mind.budget.players = 1
    with at_most(1.0) as heard:
        heard.began -= 3000
        assert 500 < first_word(mind).left_s < 601


async def test_a_line_for_which_no_time_is_left_is_answered_by_the_bank(make_mind: MakeMind, first_word_by: Deadline) -> None:
    engine = Speaks(first_word_by, "It keeps the flour out.")
    mind = near(make_mind, engine)
    first_word_by.end_at(time.monotonic())
    line = await said(mind, [])
    assert line.text == OF_BANK
    assert lines_asked(engine) == 0
    assert [(call.stage, call.reason, call.prompt_tokens) for call in mind.draft.calls] == [("apt", "DEADLINE_PASSED", 0)]


async def test_a_second_try_has_what_the_first_has_left(make_mind: MakeMind, first_word_by: Deadline) -> None:
    engine = Speaks(first_word_by, ASSISTANT, "It keeps the flour out.", ends="write")
    mind = near(make_mind, engine)
    line = await said(mind, [])
    assert (line.text, lines_asked(engine)) == (OF_BANK, 1)
    assert [call.reason for call in mind.draft.calls][-1] == "DEADLINE_PASSED"


@pytest.mark.parametrize(("pieces", "is_kept"), [(["It keeps ", "the"], False), (["It keeps the flour out. ", "And the"], True)])
async def test_words_of_which_none_was_heard_are_not_waited_for(
    make_mind: MakeMind, first_word_by: Deadline, pieces: list[str], is_kept: bool
) -> None:
    """Words are heard by whole sentences, so that nothing has to be taken back. Once one was heard, the line is the model's."""
    engine, words = Speaks(first_word_by, ends="write", pieces=pieces), list[str]()
    mind = near(make_mind, engine)
    answering = asyncio.ensure_future(said(mind, words))
    await engine.hangs.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    assert answering.done() is not is_kept
    assert bool(words) is is_kept
    if is_kept:
        answering.cancel()
    else:
        assert (await answering).source is not Source.MODEL
    if mind.talks.reading.task:
        mind.talks.reading.task.cancel()


async def test_reading_whether_a_line_fits_has_one_row_in_the_ledger(make_mind: MakeMind, first_word_by: Deadline) -> None:
    mind = near(make_mind, Speaks(first_word_by, "It keeps the flour out."))
    assert (await said(mind, [])).text == "It keeps the flour out."
    apt = next(call for call in mind.draft.calls if call.stage == "apt")
    assert apt.prompt_tokens - apt.cached_tokens == 60, "30 for each of two readings"
    assert (apt.reply_tokens, apt.outcome) == (0, CallOutcome.USED)
