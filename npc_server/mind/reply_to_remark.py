"""Answers what a character says to another in passing, where nobody has written a reply to these very words.

The bank of exchanges has replies to what is near in meaning. npc-answers reads them, and where a player is near npc-rerank does, too. The
best is said if it is good enough.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from npc_server.mind.candidates import CandidateLine, each_once
from npc_server.mind.choose_line import ChoiceWeights, Ranked, ranked, worth_reranking
from npc_server.mind.line_features import Measured
from npc_server.mind.listening import listening, read_again
from npc_server.mind.measure_lines import LineScene, measure
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Talk


async def reply_to_remark(mind: Mind, talk: Talk, now: GameTime) -> str:
    """The best reply to the last line of a talk. Empty where none is good enough, or nothing can read them.

    What is itself a reply needs none: the talk goes on with something new.
    """
    chooser, heard = mind.chooser, talk.lines[-1].text
    if chooser is None or chooser.bank.is_reply(heard) or not await chooser.bank.ready():
        return ""
    said = [*(line.text for line in talk.lines), *mind.said_lately.of(mind.npc)]
    found = [it for it in each_once(await chooser.bank.replies_to(heard, mind.persona.manner)) if _can_be_said(it, said)]
    measured = await measure(found, LineScene(heard), mind.embedder, mind.engine)
    if any(it.fits is None for it in measured):
        return ""
    order = ranked(measured, chooser.weights.without_model, chooser.weights.without_model_bias)
    if order and mind.budget.near:
        order = await _read_again(mind, talk, now, measured, order, chooser.weights) or order
    return order[0].candidate.text if order and order[0].score >= chooser.weights.remark else ""


def _can_be_said(reply: CandidateLine, said: Collection[str]) -> bool:
    """Not what somebody has said lately. A question would not be answered."""
    return "?" not in reply.text and not any(reply.text in line for line in said)


async def _read_again(
    mind: Mind, talk: Talk, now: GameTime, measured: Sequence[Measured], order: Sequence[Ranked], weights: ChoiceWeights
) -> list[Ranked]:
    """The best as npc-rerank finds them, the best first. Empty without it."""
    last = talk.lines[-1]
    texts = [it.text for it in worth_reranking(order, weights)]
    odds = await read_again(mind.embedder, listening(mind, last.text, talk.lines[:-1], now, last.speaker), texts, [False] * len(texts))
    if odds is None:
        return []
    read = dict(zip(texts, map(float, odds), strict=True))
    again = [replace(it, reranked=read[it.candidate.text]) for it in measured if it.candidate.text in read]
    return ranked(again, weights.reranked, weights.reranked_bias)
