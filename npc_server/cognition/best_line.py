"""Says the best of several candidates for a line: what the model draws, what instinct finds in memory, and what the bank has.

A small model often draws what makes no sense, and takes seconds for it. So it is asked where memory and the bank have nothing that is
surely good, and its draws stand beside theirs. `mind/line_features.py` has what tells good lines from bad ones.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from npc_server.lines import read_ahead
from npc_server.llm.engine import LineInTalk, Request
from npc_server.llm.reply import one
from npc_server.mind.candidates import CandidateLine, Maker, each_once
from npc_server.mind.choose_line import Ranked, ranked, ranked_again, worth_reranking
from npc_server.mind.draw import Drawn, draw
from npc_server.mind.identity import values_of
from npc_server.mind.instinct import Said
from npc_server.mind.line_chooser import LineChoice, LineChooser
from npc_server.mind.line_features import Measured
from npc_server.mind.listening import listening
from npc_server.mind.measure_lines import WITHOUT_CONTEXT, LineScene, measure, measure_again
from npc_server.mind.mind import Mind
from npc_server.mind.replies import Spoken
from npc_server.mind.spoken_line import LineCheck, LineForm, SpokenReply
from npc_server.prompts.load import Trusted
from npc_server.records import GameTime, Line, Source, Talk

PLAIN = one(Spoken)
"""The form of the reply as which candidates are read."""
LINES_READ = 6
"""Latest lines of the talk with which candidates are read."""
EXAMPLES = 4
"""Lines of the persona's voice with which they are read."""
REPLY_TOKENS = 80
"""Tokens of a drawn line: two short sentences, with what it agrees to."""


@dataclass(frozen=True)
class BestLine:
    """What is said: a reply of the model, instinct's line, or one of the bank."""

    source: Source
    spoken: SpokenReply | None = None
    """The reply in the model's form; None for instinct's own line."""


@dataclass(frozen=True)
class KnownLine:
    """What memory and the bank would say, and how likely a judge would call it fine."""

    by_rule: Said
    best: BestLine
    chance: float
    """0 to 1."""
    is_shielded: bool = False
    """Whether it is a deed, and no other line may stand in its place."""


@dataclass(frozen=True)
class LineTask:
    """One line that is to be said."""

    mind: Mind
    chooser: LineChooser
    talk: Talk
    form: LineForm
    check: LineCheck
    now: GameTime

    @property
    def heard(self) -> Line | None:
        """What the line answers; None for the first line of a talk."""
        last = self.talk.lines[-1] if self.talk.lines else None
        return last if last is not None and last.speaker != self.mind.npc else None


def ready_for_player(mind: Mind, now: GameTime) -> None:
    """A player came near and may speak: the bank gets ready for that NPC, and npc-rerank begins with who answers. Both take a moment."""
    if mind.chooser is not None and (mind.chooses_lines() or mind.speaks_in_chats()):
        mind.chooser.bank.meet(mind.persona.manner)
    if mind.speaks_in_chats():
        read_ahead.begin(mind, now)
    if _reads_again(mind):
        mind.embedder.read_ahead(listening(mind, "", (), now))


class BankReading:
    """npc-rerank reads the bank's best replies to a player's line while memories are searched. `best_line` then finds them read."""

    def __init__(self, task: LineTask) -> None:
        self._best_known = asyncio.Event()
        self._reading = asyncio.get_running_loop().create_task(self._read(task))

    async def best_known(self) -> None:
        """Waits until npc-answers has read the bank. It has fewer texts there than in memories, and npc-rerank begins with the best."""
        await self._best_known.wait()

    async def finish(self) -> list[CandidateLine]:
        """The bank's replies, when the best are read."""
        return await self._reading

    def cancel(self) -> None:
        self._reading.cancel()

    async def _read(self, task: LineTask) -> list[CandidateLine]:
        """While npc-answers finds the best, npc-rerank reads the line, and for a question that nothing is known."""
        try:
            heard = _listening(task)
            if heard is None:
                return await _of_bank(task)
            task.mind.embedder.read_ahead(heard)
            not_known = task.mind.instinct.dont_know(task.mind, task.talk)
            _, found = await asyncio.gather(_read_again(task, heard, [not_known] if not_known else []), self._read_best(task, heard))
            return found
        finally:
            self._best_known.set()

    async def _read_best(self, task: LineTask, heard: LineInTalk) -> list[CandidateLine]:
        found = await _of_bank(task)
        _, best = await _read_once(task, each_once(found))
        self._best_known.set()
        await _read_again(task, heard, [it.text for it in worth_reranking(best, task.chooser.weights)])
        return found


@asynccontextmanager
async def bank_read_ahead(task: LineTask) -> AsyncIterator[BankReading]:
    """Reads the bank during the block, at whose end that is cancelled."""
    reading = BankReading(task)
    try:
        yield reading
    finally:
        reading.cancel()


async def _read_once(task: LineTask, found: Sequence[CandidateLine]) -> tuple[list[Measured], list[Ranked]]:
    """The candidates as npc-answers sees them, and the same with the best first."""
    weights = task.chooser.weights
    measured = await measure(found, _scene(task), task.mind.embedder, task.mind.engine)
    return measured, ranked(measured, weights.without_model, weights.without_model_bias)


async def _read_again(task: LineTask, heard: LineInTalk, texts: Sequence[str]) -> None:
    if texts:
        await task.mind.embedder.rerank(heard, texts)


def talk_read_ahead(mind: Mind, talk: Talk, player: str, now: GameTime) -> None:
    """While the player reads the answer and types, npc-rerank reads the talk to which the next line belongs."""
    if player not in mind.names and _reads_again(mind):
        mind.embedder.read_ahead(listening(mind, "", talk.lines, now, player))


def _reads_again(mind: Mind) -> bool:
    return mind.chooser is not None and (mind.chooses_lines() or mind.speaks_in_chats()) and bool(mind.chooser.weights.rerank)


async def best_line(
    task: LineTask, by_rule: Said, of_bank: Sequence[CandidateLine], values: Callable[[], Awaitable[Mapping[str, Any]]]
) -> BestLine:
    """The best of all candidates for the next line. `by_rule` is what instinct would say, `of_bank` what `BankReading` found.

    Where memory or the bank has a line that is good enough, or no model is asked, it is said at once. Else the model draws some, too, and
    reads all of them. `values` is what it is shown for that.
    """
    mind, weights, heard = task.mind, task.chooser.weights, _listening(task)
    found = each_once([*_of_instinct(task, by_rule), *of_bank])
    measured, order = await _ordered(task, heard, found)
    if not mind.asks("say") or order[0].score >= weights.sure:
        return _said(task, by_rule, LineChoice(mind.npc, heard, "", tuple(order), tuple(measured)))
    drawn: Drawn[SpokenReply] = await draw(
        mind, "say", task.form.reply, task.now, count=mind.lines_drawn(), check=task.check.wrong, max_tokens=REPLY_TOKENS, **await values()
    )
    scene = _scene_read(task, drawn.shown)
    of_model = [CandidateLine(it.say, Maker.MODEL) for it in drawn.replies]
    measured = await measure(each_once([*of_model, *found]), scene, mind.embedder, mind.engine)
    order = ranked(measured, weights.with_model, weights.with_model_bias)
    return _said(task, by_rule, LineChoice(mind.npc, heard, drawn.shown, tuple(order), tuple(measured)), drawn.replies)


async def known_line(task: LineTask, by_rule: Said, of_bank: Sequence[CandidateLine]) -> KnownLine:
    """The best of what memory and the bank have. No model is asked."""
    heard = _listening(task)
    measured, order = await _ordered(task, heard, each_once([*_of_instinct(task, by_rule), *of_bank]))
    choice = LineChoice(task.mind.npc, heard, "", tuple(order), tuple(measured))
    task.chooser.watch(choice)
    best = order[0].candidate
    line = BestLine(_source(best, choice.measured), None if best.text == by_rule.text else task.form.filled(best.text))
    return KnownLine(by_rule, line, 1 / (1 + math.exp(-order[0].score)))


def own_weight(mind: Mind) -> float:
    """How likely a judge would call a line of this model's own fine, 0 to 1. A line that is known to be better is said in its place."""
    return mind.engine.status().own_lines


async def _ordered(task: LineTask, heard: LineInTalk | None, found: Sequence[CandidateLine]) -> tuple[list[Measured], list[Ranked]]:
    """What memory and the bank have, and the same with the best first: by npc-rerank where a player waits, else by npc-answers."""
    again = await _reranked(task, heard, found) if heard is not None else None
    return again or await _read_once(task, found)


async def _reranked(task: LineTask, heard: LineInTalk, found: Sequence[CandidateLine]) -> tuple[list[Measured], list[Ranked]] | None:
    """npc-rerank reads the bank's best and all others; the rest of the bank comes last. None where it does not answer."""
    weights = task.chooser.weights
    measured, of_bank = await _read_once(task, [it for it in found if it.maker is Maker.BANK])
    others = [it for it in found if it.maker is not Maker.BANK]
    candidates = [*worth_reranking(of_bank, weights), *others]
    every = await measure_again([*(Measured(it, "") for it in others), *measured], candidates, heard, task.mind.embedder)
    if every is None:
        return None
    read = {it.text for it in candidates}
    return every, [*ranked_again(every, weights), *(it for it in of_bank if it.candidate.text not in read)]


def _listening(task: LineTask) -> LineInTalk | None:
    """A player's line that npc-rerank reads candidates for."""
    mind, last = task.mind, task.heard
    if last is None or last.speaker in mind.names or not task.chooser.weights.rerank:
        return None
    return listening(mind, last.text, task.talk.lines[:-1], task.now, last.speaker)


def _said(task: LineTask, by_rule: Said, choice: LineChoice, drawn: Sequence[SpokenReply] = ()) -> BestLine:
    task.chooser.watch(choice)
    best = choice.candidates[0].candidate
    source = _source(best, choice.measured)
    task.mind.count_answer(source)
    if best.maker is Maker.MODEL:
        return BestLine(source, next(it for it in drawn if it.say == best.text))
    return BestLine(source, None if best.text == by_rule.text else task.form.filled(best.text))


def _source(best: CandidateLine, measured: Sequence[Measured]) -> Source:
    """Who decided on the best line. Small talk of instinct, and a choice by words alone, is instinct's."""
    if best.maker is Maker.MODEL:
        return Source.MODEL
    is_read = any(it.candidate.text == best.text and (it.reranked, it.fits) != (None, None) for it in measured)
    return Source.CHOSEN if is_read and best.maker is not Maker.INSTINCT else Source.INSTINCT


def _of_instinct(task: LineTask, by_rule: Said) -> list[CandidateLine]:
    """What instinct would say first, then what else it remembers that may answer."""
    knows = by_rule.is_remembered or bool(by_rule.told)
    read_as = dict(by_rule.read_as)

    def candidate(text: str, maker: Maker) -> CandidateLine:
        return CandidateLine(text, maker, is_own_fact=text in by_rule.own_facts, read_as=read_as.get(text, ""))

    also = [candidate(text, Maker.MEMORY) for text in by_rule.also if not task.check.wrong_words(text)]
    return [candidate(by_rule.text, Maker.MEMORY if knows else Maker.INSTINCT), *also]


async def _of_bank(task: LineTask) -> list[CandidateLine]:
    """The bank's replies to the last line, without those that say again what was said, or tell a secret."""
    mind, bank, last = task.mind, task.chooser.bank, task.heard
    if last is None or not await bank.ready():
        return []
    facts = mind.instinct.line_facts(mind, task.talk.place, last.text, last.speaker, task.now, [it.text for it in task.talk.lines])
    heard = mind.instinct.with_stand_ins(mind, last.text)
    found = await bank.replies_to(heard, mind.persona.manner, facts)
    return [it for it in found if not task.check.wrong_words(it.text)]


def _scene(task: LineTask, shown: str = "") -> LineScene:
    return LineScene(task.heard.text if task.heard else "", shown)


def _scene_read(task: LineTask, shown: str = "") -> LineScene:
    """With questions by which the model reads the candidates: who speaks and the latest lines, and once without these.

    Memories and the moment are left out. Reading them takes seconds, and what the candidates tell comes from them anyway.
    """
    mind, talk = task.mind, task.talk
    asked = {
        **values_of(mind, task.now), **WITHOUT_CONTEXT, "others": [mind.name_of(other) for other in mind.others_in(talk)],
        "voice": mind.persona.voice.style, "examples": list(mind.persona.voice.examples[:EXAMPLES]),
        "format": Trusted(PLAIN.format_text()),
    }  # fmt: skip

    def question(lines: Sequence[Line]) -> Request:
        shown = mind.prompts.render("say", {**asked, "dialogue": mind.dialogue(lines, own="You")})
        return Request(
            shown.part("system"), shown.part("user"), PLAIN, 0, mind.npc, "say", REPLY_TOKENS, priority=mind.budget.priority, at=task.now
        )

    if task.heard is None:
        return _scene(task, shown)
    return replace(_scene(task, shown), after=question(talk.lines[-LINES_READ:]), anyway=question(()))
