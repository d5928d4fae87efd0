"""A remark of another character is answered by what a reader of the bank finds good, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from npc_server.bank.chooser import LineChooser
from npc_server.bank.exchange_bank import ExchangeBank, bank_settings
from npc_server.bank.exchanges import BankEntry
from npc_server.bank.ranking import ChoiceWeights, FeatureWeight
from npc_server.cognition import converse
from npc_server.instinct import speak
from npc_server.instinct.reply_to_remark import reply_to_remark
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import LineInTalk, Scores
from npc_server.mind.mind import Mind
from npc_server.records import Line, Source, Talk
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
REMARK = "The bell rope is fraying."
REPLIES = ("Then ring it softly.", "Who would buy a new one?", "Let it fray.")
BANK = BankEntry("bell", ("Our bell rope is fraying again.",), (("warm", REPLIES[0]), ("curt", REPLIES[1]), ("gruff", REPLIES[2])))


class Reader(HashedWordsEmbedder):
    """Passes for meaning. npc-answers likes the first reply, and npc-rerank the last."""

    name = "reader/384"

    def __init__(self, odds: tuple[float, float] = (1.0, -1.0), *, reads: bool = True) -> None:
        self.odds, self.reads = odds, reads
        self.read: list[str] = []
        self.read_again: list[tuple[LineInTalk, tuple[str, ...]]] = []

    async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
        best, other = self.odds
        self.read.append(line)
        return np.array([best if text == REPLIES[0] else other for text in texts], np.float32) if self.reads else None

    async def rerank(self, heard: LineInTalk, texts: Sequence[str]) -> Scores | None:
        self.read_again.append((heard, tuple(texts)))
        best, other = self.odds
        return np.array([best if text == REPLIES[2] else other for text in texts], np.float32)


async def reads(mind: Mind, embedder: Reader, remark: float = 0.0) -> Mind:
    """A mind with the bank, in which only what is read counts."""
    settings = replace(bank_settings(), tempers=3, least_cosine=-1.0)
    bank = ExchangeBank([BANK], embedder, settings)
    await bank.prepare()
    fits, again = ({name: FeatureWeight(1.0, 0.0, 1.0)} for name in ("fits", "reread"))
    mind.tools.chooser = LineChooser(bank, ChoiceWeights(fits, reranked=again, rerank=4, remark=remark))
    mind.tools.embedder, mind.people.names = embedder, {**mind.people.names, "tobin_hale": "Tobin Hale"}
    return mind


def remarked(text: str = REMARK, *, claims: tuple[str, ...] | None = (), leaves: bool = False, greeted: bool = True) -> Talk:
    lines = [Line("mara_voss", "Morning, love.", MORNING, ())] if greeted else []
    lines.append(Line("tobin_hale", text, MORNING, claims, leaves))
    return Talk("tobin_hale+mara_voss@1", ("tobin_hale", "mara_voss"), "millbrook:lane:square", MORNING, tuple(lines))


async def test_the_reply_that_npc_answers_likes_best_is_said_and_counts_as_chosen(make_mind: MakeMind) -> None:
    reader = Reader()
    mind = await reads(make_mind(), reader)
    said = await converse.say(mind, remarked(), MORNING, frozenset())
    assert said.text.startswith(REPLIES[0])
    assert said.source is Source.CHOSEN
    assert (mind.tally.chosen, mind.tally.instinct) == (1, 0)
    assert not reader.read_again  # nobody hears it


async def test_where_a_player_is_near_npc_rerank_decides_and_sees_the_talk(make_mind: MakeMind) -> None:
    reader = Reader()
    mind = await reads(make_mind(), reader)
    mind.budget.near = True
    assert await reply_to_remark(mind, remarked(), MORNING) == REPLIES[2]
    ((heard, texts),) = reader.read_again
    assert (heard.text, heard.before) == (REMARK, ((True, "Morning, love."),))
    assert set(texts) == {REPLIES[0], REPLIES[2]}  # a question would not be answered


@pytest.mark.parametrize(("remark", "said"), [(0.9, REPLIES[0]), (1.1, "")])
async def test_a_reply_that_is_not_good_enough_is_not_said(make_mind: MakeMind, remark: float, said: str) -> None:
    assert await reply_to_remark(await reads(make_mind(), Reader(), remark), remarked(), MORNING) == said


async def test_what_was_said_here_or_by_oneself_lately_is_not_said_again(make_mind: MakeMind) -> None:
    mind = await reads(make_mind(), Reader(), -5.0)
    mind.talks.said_lately.note(Line("mara_voss", f"Well. {REPLIES[0]}", MORNING))
    assert await reply_to_remark(mind, remarked(), MORNING) == REPLIES[2]
    mind.talks.said_lately.note(Line("mara_voss", REPLIES[2], MORNING))
    assert await reply_to_remark(mind, remarked(), MORNING) == ""


async def test_a_reply_of_the_bank_is_not_answered_by_another(make_mind: MakeMind) -> None:
    mind = await reads(make_mind(), Reader(), -5.0)
    heard = remarked()
    replied = replace(heard, lines=(heard.lines[0], replace(heard.lines[1], text=REPLIES[2])))
    assert await reply_to_remark(mind, replied, MORNING) == ""


async def test_without_one_who_reads_nothing_is_chosen(make_mind: MakeMind) -> None:
    assert await reply_to_remark(await reads(make_mind(), Reader(reads=False), -5.0), remarked(), MORNING) == ""
    mind = make_mind()
    mind.tools.chooser = None
    assert await reply_to_remark(mind, remarked(), MORNING) == ""


@pytest.mark.parametrize(
    "heard",
    [remarked(claims=None), remarked(claims=("It burns",)), remarked(leaves=True), remarked(greeted=False), remarked("Well, well.")],
)
async def test_news_goodbyes_greetings_answers_and_lines_of_players_are_answered_otherwise(make_mind: MakeMind, heard: Talk) -> None:
    reader = Reader()
    mind = await reads(make_mind(), reader, -5.0)
    said = await speak.line(mind, heard, MORNING, frozenset(), "", last_words=False)
    assert not any(line == heard.lines[-1].text for line in reader.read) or heard.lines[-1].claims is None
    assert not any(reply in said.text for reply in REPLIES)
    assert said.source is Source.INSTINCT
