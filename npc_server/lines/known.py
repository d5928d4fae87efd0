"""What memory and the bank would say to a player, and how good that is. No language model is asked.

`bank/features.py` has what tells good lines from bad ones.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from npc_server.bank.candidates import CandidateLine, Maker
from npc_server.bank.candidates import each_once as once_each
from npc_server.bank.chooser import LineChoice, LineChooser
from npc_server.bank.features import Measured
from npc_server.bank.measure import measure, measure_again
from npc_server.bank.ranking import Ranked, ranked, worth_reranking
from npc_server.english.text import clipped, each_once
from npc_server.lines.checks import wrong_words
from npc_server.lines.context import NextLine
from npc_server.llm.engine import LineInTalk
from npc_server.mind.instinct import Said, Told
from npc_server.mind.listening import listening
from npc_server.mind.mind import Mind
from npc_server.records import LINE_CHARS, GameTime, Line, NpcId, Source, Talk, Why


@dataclass(frozen=True)
class KnownLine:
    """What memory and the bank would say, and how likely a judge would call it fine."""

    said: Said
    chance: float
    """0 to 1, which is what was asked for or seen: no line that is only good talk may stand in its place."""
    maker: Maker = Maker.INSTINCT


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

    @property
    def asked(self) -> str:
        return self.heard.text if self.heard else ""

    def listens(self) -> LineInTalk | None:
        """Return a player's line that npc-rerank reads candidates for."""
        mind, last = self.mind, self.heard
        if last is None or last.speaker in mind.people.names or not self.chooser.weights.rerank:
            return None
        return listening(mind, last.text, self.talk.lines[:-1], self.now, last.speaker)


@dataclass(frozen=True)
class BankRead:
    """The bank's replies to a line, as far as they were read."""

    replies: tuple[Measured, ...]
    """As npc-answers reads them, and the best as npc-rerank does."""
    not_known: Measured | None = None
    """That the answer is not known, as npc-rerank reads it."""
    is_late: bool = False
    """Whether npc-rerank did not answer."""


async def known_line(mind: Mind, turn: NextLine, told: Told, present: Sequence[NpcId]) -> KnownLine | None:
    """Return the best of what memory and the bank have for a player; None where people talk among themselves.

    npc-rerank reads the bank's best replies while memories are searched.
    """
    talk, now = turn.talk, turn.now
    if mind.tools.chooser is None or turn.last_words or all(person in mind.people.names for person in talk.people):
        return None
    task, best_known = LineTask(mind, mind.tools.chooser, talk, now, present), asyncio.Event()
    reading = asyncio.get_running_loop().create_task(_read_bank(task, best_known))
    try:
        # npc-answers has fewer texts in the bank than in memories, and npc-rerank begins with the best.
        await best_known.wait()
        by_rule = await mind.instinct.say(mind, talk, now, told, turn.about, last_words=False)
        # What was asked for is answered: no line that is only good talk may stand in its place.
        if by_rule.why is not Why.TALK:
            return KnownLine(by_rule, 1.0, _maker(by_rule))
        of_bank = await reading
    finally:
        reading.cancel()
    return await _best(task, by_rule, of_bank)


async def _read_bank(task: LineTask, best_known: asyncio.Event) -> BankRead:
    """While npc-answers finds the best, npc-rerank reads the line, and for a question that nothing is known."""
    mind, heard = task.mind, task.listens()
    try:
        if heard is None:
            return BankRead(tuple(await measure(await _of_bank(task), task.asked, mind.tools.embedder)))
        mind.tools.embedder.read_ahead(heard)
        not_known, replies = await asyncio.gather(_not_known(task, heard), _best_of_bank(task, heard, best_known))
        return replace(replies, not_known=not_known)
    finally:
        best_known.set()


async def _not_known(task: LineTask, heard: LineInTalk) -> Measured | None:
    text = task.mind.instinct.dont_know(task.mind, task.talk)
    read = await measure_again([Measured(CandidateLine(text, Maker.INSTINCT))], heard, task.mind.tools.embedder) if text else None
    return read[0] if read else None


async def _best_of_bank(task: LineTask, heard: LineInTalk, best_known: asyncio.Event) -> BankRead:
    found = await measure(await _of_bank(task), task.asked, task.mind.tools.embedder)
    best_known.set()
    weights = task.chooser.weights
    best = worth_reranking(ranked(found, weights.read_once, weights.read_once_bias), weights)
    again = await measure_again(best, heard, task.mind.tools.embedder)
    read = {it.candidate.text: it for it in again or ()}
    return BankRead(tuple(read.get(it.candidate.text, it) for it in found), is_late=again is None)


async def _best(task: LineTask, by_rule: Said, of_bank: BankRead) -> KnownLine:
    """The best of all candidates: by npc-rerank where a player waits, else by npc-answers."""
    of_memory = _of_memory(task, by_rule)
    once = {id(it) for it in once_each(it.candidate for it in (*of_memory, *of_bank.replies))}
    of_memory, replies = ([it for it in found if id(it.candidate) in once] for found in (of_memory, of_bank.replies))
    heard = task.listens()
    order = await _by_rerank(task, heard, of_memory, replies, of_bank.not_known) if heard and not of_bank.is_late else None
    order = order or await _by_answers(task, of_memory, replies)
    task.chooser.watch(LineChoice(task.mind.npc, heard, tuple(order)))
    best = order[0]
    if best.candidate.text == by_rule.text:
        said = by_rule
    else:  # What a reply of the bank claims is not known.
        said = Said(each_once(clipped(best.candidate.text, LINE_CHARS, "Well.")), by_rule.leaves, None)
    return KnownLine(replace(said, source=_source(best.measured)), 1 / (1 + math.exp(-best.score)), best.candidate.maker)


async def _by_rerank(
    task: LineTask, heard: LineInTalk, of_memory: Sequence[Measured], replies: Sequence[Measured], not_known: Measured | None
) -> list[Ranked] | None:
    """What npc-rerank has read, best first, and behind it the rest of the bank. None where it does not answer."""
    known = [
        replace(it, reranked=not_known.reranked) if not_known is not None and it.candidate.text == not_known.candidate.text else it
        for it in of_memory
    ]
    again = await measure_again(known, heard, task.mind.tools.embedder)
    if again is None:
        return None
    weights = task.chooser.weights
    read, rest = ([it for it in replies if (it.reranked is None) is unread] for unread in (False, True))
    best = ranked([*again, *read], weights.reranked, weights.reranked_bias)
    return [*best, *ranked(rest, weights.read_once, weights.read_once_bias)]


async def _by_answers(task: LineTask, of_memory: Sequence[Measured], replies: Sequence[Measured]) -> list[Ranked]:
    weights = task.chooser.weights
    measured = [*await measure(of_memory, task.asked, task.mind.tools.embedder), *replies]
    return ranked([replace(it, reranked=None) for it in measured], weights.read_once, weights.read_once_bias)


def _source(best: Measured) -> Source:
    """Who decided on the best line. Small talk of instinct, and a choice by words alone, is instinct's."""
    is_read = (best.reranked, best.fits) != (None, None)
    return Source.CHOSEN if is_read and best.candidate.maker is not Maker.INSTINCT else Source.INSTINCT


def _maker(by_rule: Said) -> Maker:
    """Who made a line of instinct: it tells what is remembered, or something to say."""
    return Maker.MEMORY if by_rule.is_remembered or by_rule.told else Maker.INSTINCT


def _of_memory(task: LineTask, by_rule: Said) -> list[Measured]:
    """What instinct would say first, then what else it remembers that may answer."""
    recalled = {it.said: it for it in by_rule.recalled}

    def measured(text: str, maker: Maker) -> Measured:
        it = recalled.get(text)
        if it is None:
            return Measured(CandidateLine(text, maker))
        return Measured(CandidateLine(text, maker, is_own_fact=it.is_own_fact and it.is_sure, read_as=it.read), reranked=it.reranked)

    also = [it.said for it in by_rule.also if not wrong_words(task.mind, task.talk, task.present, it.said)]
    return [measured(by_rule.text, _maker(by_rule)), *(measured(text, Maker.MEMORY) for text in also)]


async def _of_bank(task: LineTask) -> list[Measured]:
    """The bank's replies to the last line, without those that say again what was said, or tell a secret."""
    mind, bank, last = task.mind, task.chooser.bank, task.heard
    if last is None or not await bank.ready():
        return []
    facts = mind.instinct.line_facts(mind, task.talk.place, last.text, last.speaker, task.now, [it.text for it in task.talk.lines])
    heard = mind.instinct.with_stand_ins(mind, last.text)
    found = await bank.replies_to(heard, mind.persona.manner, facts)
    return [Measured(it) for it in once_each(found) if not wrong_words(mind, task.talk, task.present, it.text)]
