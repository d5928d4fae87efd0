"""One door for a line: memory and the bank stand beside a model, and the better one speaks."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from npc_server.lines.answer import answer
from npc_server.lines.aptness import Apt
from npc_server.lines.context import NextLine
from npc_server.llm.deadline import Deadline
from npc_server.llm.engine import EngineStatus, Likelihood, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.chat import NOTHING_HEARD
from npc_server.mind.mind import Mind
from npc_server.records import CallOutcome, Source, Talk
from tests.cognition.gossip import talk
from tests.lines.test_known import chooser, hat, near
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
OF_MODEL = "It keeps the flour out."


class Weighed(ScriptedEngine):
    """A model whose own lines are fine with this chance."""

    def __init__(self, own_lines: float, line: str = OF_MODEL) -> None:
        super().__init__({"say": [line, line], "chat_after": ["nothing"]}, chats=True)
        self.own_lines = own_lines

    def status(self) -> EngineStatus:
        return replace(super().status(), own_lines=self.own_lines)


async def said(mind: Mind, heard: Talk) -> tuple[str, Source]:
    line = await answer(mind, NextLine(heard, "", False, MORNING), frozenset(), present=())
    return line.text, line.source


@pytest.mark.parametrize(("own_lines", "text"), [(0.9, OF_MODEL), (0.6, "It was Mara's aunt's.")])
async def test_the_bank_speaks_where_its_line_is_likelier_to_be_good(make_mind: MakeMind, own_lines: float, text: str) -> None:
    mind = near(make_mind, engine := Weighed(own_lines))
    mind.tools.chooser = await chooser([], by_bank=0.5, tells=0.5)  # the log odds of 0.73
    line, source = await said(mind, hat())
    is_model = text == OF_MODEL
    assert (line, source is Source.MODEL) == (text, is_model)
    assert bool(engine.requests) is is_model
    assert (mind.tally.model, mind.tally.instinct) == ((1, 0) if is_model else (0, 1))


class Reads(Weighed):
    """A model that can say how likely a text is: as `after` says after what was heard, and -10 after nothing."""

    def __init__(self, after: float, ends: Deadline | None = None, own_lines: float = 0.9) -> None:
        """The first word is waited for no more once it reads, if it `ends` that."""
        super().__init__(own_lines)
        self.after, self.ends = after, ends

    def status(self) -> EngineStatus:
        return replace(super().status(), scores=True, first_word_s=3600.0)

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        if self.ends is not None:
            self.ends.end_at(time.monotonic())
            await asyncio.Event().wait()
        return [Likelihood(-10.0 if request.user.endswith(NOTHING_HEARD) else self.after, 4) for _ in texts]


async def test_a_model_whose_own_lines_are_worse_than_the_banks_is_not_asked_what_fits(make_mind: MakeMind) -> None:
    mind = near(make_mind, engine := Reads(-14.0, own_lines=0.21))
    mind.tools.chooser = await chooser([], by_bank=0.5, tells=0.5)
    assert (await said(mind, hat()))[0] == "It was Mara's aunt's."
    assert engine.requests == []


@pytest.mark.parametrize(("after", "text"), [(-4.0, "It was Mara's aunt's."), (-14.0, OF_MODEL)])
async def test_the_bank_speaks_where_the_model_finds_that_its_line_fits(make_mind: MakeMind, after: float, text: str) -> None:
    mind = near(make_mind, engine := Reads(after))
    mind.tools.chooser = await chooser([], by_bank=0.5, tells=0.5)
    line, source = await said(mind, hat())
    assert (line, source is Source.MODEL) == (text, text == OF_MODEL)
    assert bool(engine.requests) is (text == OF_MODEL)
    assert mind.talks.chat is not None  # what was heard is kept for the next line


async def test_a_line_of_which_the_bank_itself_thinks_little_is_not_shown_to_the_model(
    make_mind: MakeMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind = near(make_mind, Reads(-4.0))
    mind.tools.chooser = await chooser([], by_bank=0.5, tells=0.5)  # the log odds of 0.73
    monkeypatch.setattr("npc_server.lines.answer.apt", lambda: Apt(nats=0.0, chance=0.8))
    assert (await said(mind, hat()))[0] == OF_MODEL


async def test_where_the_model_has_not_read_in_time_the_bank_speaks_and_it_reads_on(make_mind: MakeMind, first_word_by: Deadline) -> None:
    printed: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: printed.append(str(told["message"])))
    mind = near(make_mind, Reads(-14.0, ends=first_word_by))
    mind.tools.chooser = await chooser([], by_bank=0.5, tells=0.5)
    assert (await said(mind, hat()))[0] == "It was Mara's aunt's."
    assert mind.talks.reading.task is not None
    mind.talks.reading.task.cancel()
    await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
    gc.collect()
    assert printed == [], "asyncio prints what nobody looked at to the player's terminal"


async def test_where_the_model_gives_no_line_that_can_be_used_the_bank_speaks(make_mind: MakeMind) -> None:
    mind = near(make_mind, Weighed(0.9, "I'm sorry, but I can't assist with that."))
    mind.tools.chooser = await chooser([], by_bank=0.5, tells=0.5)
    assert await said(mind, hat()) == ("It was Mara's aunt's.", Source.INSTINCT)
    assert [call.outcome for call in mind.draft.calls] == [CallOutcome.RETRIED, CallOutcome.INSTINCT]


async def test_among_themselves_people_say_the_models_lines_without_the_bank(make_mind: MakeMind) -> None:
    mind = near(make_mind, Weighed(0.1))
    mind.tools.chooser = await chooser([], by_bank=0.5, tells=0.5)
    assert await said(mind, talk(("tobin_hale", "nice hat you have"))) == (OF_MODEL, Source.MODEL)
