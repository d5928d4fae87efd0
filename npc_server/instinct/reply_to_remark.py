"""Answers what a character says to another in passing, where nobody has written a reply to these very words.

The bank of exchanges has replies to what is near in meaning. npc-answers reads them, and where a player is near npc-rerank does, too. The
best is said if it is good enough.
"""

from __future__ import annotations

from collections.abc import Collection

from npc_server.bank.candidates import CandidateLine, each_once
from npc_server.bank.features import Measured
from npc_server.bank.measure import measure, measure_again
from npc_server.bank.ranking import ranked, worth_reranking
from npc_server.mind.listening import listening
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, Talk


async def reply_to_remark(mind: Mind, talk: Talk, now: GameTime) -> str:
    """The best reply to the last line of a talk. Empty where none is good enough, or nothing can read them.

    What is itself a reply needs none: the talk goes on with something new.
    """
    chooser, last = mind.tools.chooser, talk.lines[-1]
    heard = last.text
    if chooser is None or chooser.bank.is_reply(heard) or not await chooser.bank.ready():
        return ""
    said = [*(line.text for line in talk.lines), *mind.talks.said_lately.of(mind.npc)]
    replies = each_once(await chooser.bank.replies_to(heard, mind.persona.manner))
    measured = await measure([Measured(it) for it in replies if _can_be_said(it, said)], heard, mind.tools.embedder)
    if any(it.fits is None for it in measured):
        return ""
    weights = chooser.weights
    order = ranked(measured, weights.read_once, weights.read_once_bias)
    if order and mind.budget.near:
        listens = listening(mind, heard, talk.lines[:-1], now, last.speaker)
        again = await measure_again(worth_reranking(order, weights), listens, mind.tools.embedder)
        order = ranked(again, weights.reranked, weights.reranked_bias) if again is not None else order
    return order[0].candidate.text if order and order[0].score >= weights.remark else ""


def _can_be_said(reply: CandidateLine, said: Collection[str]) -> bool:
    """Not what somebody has said lately. A question would not be answered."""
    return "?" not in reply.text and not any(reply.text in line for line in said)
