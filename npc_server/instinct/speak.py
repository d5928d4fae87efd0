"""What an NPC says without a model: the next line of a conversation, and the answer to an interview question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from npc_server.english.text import ended
from npc_server.instinct import line_facts, phrases, small_talk
from npc_server.instinct.asked_after import asked_after
from npc_server.instinct.recall import recall, sure_one
from npc_server.instinct.reply_to_remark import reply_to_remark
from npc_server.mind.instinct import Said, Told
from npc_server.mind.mind import Mind
from npc_server.records import GameTime, PlanLevel, Source, Talk, Why

DONT_KNOW = "I don't know."
NEWS = "news"
"""The slot of the bank whose value is told as news, so that it is known whom it was told."""


async def line(mind: Mind, talk: Talk, now: GameTime, told: Told, about: str, *, last_words: bool) -> Said:
    """The next line of a conversation."""
    heard = small_talk.heard_line(mind, talk)
    said = [it.text for it in talk.lines]
    facts = line_facts.facts(mind, talk.place, heard.text, heard.speaker, now, said) if heard else {}
    known = await _known(mind, talk, facts, told, now) if heard and not last_words else None
    if known is not None:
        return known
    found = await recall(mind, heard.text, heard.speaker, now, facts, talk.lines[:-1]) if heard else ()
    replies = await _exact_replies(mind, talk)
    chosen = await reply_to_remark(mind, talk, now) if not replies and _hears_remark(mind, talk) else ""
    answers = [chosen] if chosen else replies
    asked_for = await _asked_for(mind, talk)
    said_now = small_talk.say(mind, talk, now, told, about, last_words=last_words, recalled=found, replies=answers, asked_for=asked_for)
    return replace(said_now, source=Source.CHOSEN) if chosen and chosen in said_now.text else said_now


async def _known(mind: Mind, talk: Talk, facts: Mapping[str, str], told: Told, now: GameTime) -> Said | None:
    """The news or the fact that a player's line asks for, where the bank says which. What reads answers takes "my name" for "your name"."""
    heard = talk.lines[-1]
    if mind.tools.chooser is None or heard.speaker in mind.people.names or small_talk.offer_line(mind, talk) is not None:
        return None
    slot = await mind.tools.chooser.bank.slot_asked_for(heard.text)
    if slot == NEWS:
        return small_talk.news_asked_for(mind, talk, told, now)
    return Said(ended(facts[slot]), is_remembered=True, why=Why.RECALLED) if slot in facts else None


def _hears_remark(mind: Mind, talk: Talk) -> bool:
    """Whether the last line is a remark of another character: no greeting, news, answer or goodbye."""
    last = talk.lines[-1] if talk.lines else None
    if last is None or last.speaker not in mind.people.names or last.speaker == mind.npc or (len(talk.lines) == 1 and not talk.again):
        return False
    return last.claims == () and not last.leaves and not phrases.is_reaction(last.text)


async def _asked_for(mind: Mind, talk: Talk) -> Said | None:
    """The answer to a request for an offer, or to a question that one kind of memory answers; None if the last line is neither."""
    heard = small_talk.heard_line(mind, talk)
    if heard is None:
        return None
    offered = small_talk.offer_line(mind, talk, agrees=await _agrees(mind, talk))
    if offered is not None or heard.speaker in mind.people.names:
        return offered
    found = await asked_after(mind, heard.text, heard.speaker)
    return Said(found, is_remembered=True, why=Why.RECALLED) if found else None


async def _agrees(mind: Mind, talk: Talk) -> bool:
    """Whether the last line says yes to the question whether an offer is wanted. Without a bank, nothing but words of the offer does."""
    heard, asked = small_talk.heard_line(mind, talk), talk.lines[-2] if len(talk.lines) > 1 else None
    if heard is None or asked is None or asked.why is not Why.ASK_BACK or mind.tools.chooser is None:
        return False
    return await mind.tools.chooser.bank.agrees(heard.text)


async def _exact_replies(mind: Mind, talk: Talk) -> Sequence[str]:
    """What the bank of exchanges has to a greeting or remark of another character."""
    last = talk.lines[-1] if talk.lines else None
    if mind.tools.chooser is None or last is None or last.speaker not in mind.people.names or last.speaker == mind.npc:
        return ()
    return await mind.tools.chooser.bank.exact_replies(last.text, mind.persona.manner)


async def answer(mind: Mind, question: str, asker: str, now: GameTime) -> Callable[[], str]:
    """A function that returns the answer to an interview question."""
    here = next((it.address for it in mind.steps_of(PlanLevel.HOUR, now) if it.start <= now < it.end), "")
    found = sure_one(await recall(mind, question, asker, now, line_facts.facts(mind, here, question, asker, now)))
    dont_know = mind.persona.voice.dont_know[0] if mind.persona.voice.dont_know else DONT_KNOW
    return lambda: found.said if found else dont_know
