"""Finds the best of what memory and the bank would say. `mind/line_features.py` has what tells good lines from bad ones."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from npc_server.english.text import clipped, each_once
from npc_server.lines import read_ahead
from npc_server.llm.engine import LineInTalk
from npc_server.mind.candidates import CandidateLine, Maker
from npc_server.mind.candidates import each_once as once_each
from npc_server.mind.choose_line import Ranked, ranked, ranked_again, worth_reranking
from npc_server.mind.instinct import Said
from npc_server.mind.line_chooser import LineChoice, LineChooser
from npc_server.mind.line_features import Measured
from npc_server.mind.listening import listening
from npc_server.mind.measure_lines import measure, measure_again
from npc_server.mind.mind import Mind
from npc_server.mind.replies import LINE_CHARS
from npc_server.mind.spoken_line import wrong_words
from npc_server.records import GameTime, Line, NpcId, Source, Talk


@dataclass(frozen=True)
class KnownLine:
    """What memory and the bank would say, and how likely a judge would call it fine."""

    said: Said
    source: Source
    chance: float
    """0 to 1."""


@dataclass(frozen=True)
class LineTask:
    """One line that is to be said."""

    mind: Mind
    chooser: LineChooser
    talk: Talk
    now: GameTime
    present: Sequence[NpcId]

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
    """npc-rerank reads the bank's best replies to a player's line while memories are searched. `known_line` then finds them read."""

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
        _, best = await _read_once(task, once_each(found))
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
    measured = await measure(found, task.heard.text if task.heard else "", task.mind.embedder)
    return measured, ranked(measured, weights.read_once, weights.read_once_bias)


async def _read_again(task: LineTask, heard: LineInTalk, texts: Sequence[str]) -> None:
    if texts:
        await task.mind.embedder.rerank(heard, texts)


def talk_read_ahead(mind: Mind, talk: Talk, player: str, now: GameTime) -> None:
    """While the player reads the answer and types, npc-rerank reads the talk to which the next line belongs."""
    if player not in mind.names and _reads_again(mind):
        mind.embedder.read_ahead(listening(mind, "", talk.lines, now, player))


def _reads_again(mind: Mind) -> bool:
    return mind.chooser is not None and (mind.chooses_lines() or mind.speaks_in_chats()) and bool(mind.chooser.weights.rerank)


async def known_line(task: LineTask, by_rule: Said, of_bank: Sequence[CandidateLine]) -> KnownLine:
    """The best of what memory and the bank have. No model is asked."""
    heard = _listening(task)
    measured, order = await _ordered(task, heard, once_each([*_of_instinct(task, by_rule), *of_bank]))
    task.chooser.watch(LineChoice(task.mind.npc, heard, tuple(order), tuple(measured)))
    best = order[0].candidate
    # What a reply of the bank claims is not known.
    said = by_rule if best.text == by_rule.text else Said(each_once(clipped(best.text, LINE_CHARS, "Well.")), by_rule.leaves, None)
    return KnownLine(said, _source(best, measured), 1 / (1 + math.exp(-order[0].score)))


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
    every = await measure_again([*(Measured(it) for it in others), *measured], candidates, heard, task.mind.embedder)
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


def _source(best: CandidateLine, measured: Sequence[Measured]) -> Source:
    """Who decided on the best line. Small talk of instinct, and a choice by words alone, is instinct's."""
    is_read = any(it.candidate.text == best.text and (it.reranked, it.fits) != (None, None) for it in measured)
    return Source.CHOSEN if is_read and best.maker is not Maker.INSTINCT else Source.INSTINCT


def _of_instinct(task: LineTask, by_rule: Said) -> list[CandidateLine]:
    """What instinct would say first, then what else it remembers that may answer."""
    mind, knows = task.mind, by_rule.is_remembered or bool(by_rule.told)
    read_as = dict(by_rule.read_as)

    def candidate(text: str, maker: Maker) -> CandidateLine:
        return CandidateLine(text, maker, is_own_fact=text in by_rule.own_facts, read_as=read_as.get(text, ""))

    also = [candidate(text, Maker.MEMORY) for text in by_rule.also if not wrong_words(mind, task.talk, task.present, text)]
    return [candidate(by_rule.text, Maker.MEMORY if knows else Maker.INSTINCT), *also]


async def _of_bank(task: LineTask) -> list[CandidateLine]:
    """The bank's replies to the last line, without those that say again what was said, or tell a secret."""
    mind, bank, last = task.mind, task.chooser.bank, task.heard
    if last is None or not await bank.ready():
        return []
    facts = mind.instinct.line_facts(mind, task.talk.place, last.text, last.speaker, task.now, [it.text for it in task.talk.lines])
    heard = mind.instinct.with_stand_ins(mind, last.text)
    found = await bank.replies_to(heard, mind.persona.manner, facts)
    return [it for it in found if not wrong_words(mind, task.talk, task.present, it.text)]
