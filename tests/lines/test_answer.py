"""One door for a line: memory and the bank stand beside a model, and the better one speaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.lines.answer import answer
from npc_server.lines.context import NextLine
from npc_server.llm.engine import EngineStatus
from npc_server.llm.scripted import ScriptedEngine
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
    mind.chooser = await chooser([], by_bank=0.5, tells=0.5)  # the log odds of 0.73
    line, source = await said(mind, hat())
    is_model = text == OF_MODEL
    assert (line, source is Source.MODEL) == (text, is_model)
    assert bool(engine.requests) is is_model
    assert (mind.model_answers, mind.instinct_answers) == ((1, 0) if is_model else (0, 1))


async def test_where_the_model_gives_no_line_that_can_be_used_the_bank_speaks(make_mind: MakeMind) -> None:
    mind = near(make_mind, Weighed(0.9, "I'm sorry, but I can't assist with that."))
    mind.chooser = await chooser([], by_bank=0.5, tells=0.5)
    assert await said(mind, hat()) == ("It was Mara's aunt's.", Source.INSTINCT)
    assert [call.outcome for call in mind.draft.calls] == [CallOutcome.RETRIED, CallOutcome.INSTINCT]


async def test_among_themselves_people_say_the_models_lines_without_the_bank(make_mind: MakeMind) -> None:
    mind = near(make_mind, Weighed(0.1))
    mind.chooser = await chooser([], by_bank=0.5, tells=0.5)
    assert await said(mind, talk(("tobin_hale", "nice hat you have"))) == (OF_MODEL, Source.MODEL)
