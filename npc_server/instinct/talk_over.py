"""After a conversation, without a model: its summary, the claims made, and the changed relationship."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from npc_server import clock
from npc_server.english.stems import telling_stems
from npc_server.english.text import ended, is_question, last_sentences, sentences
from npc_server.instinct.everyday_words import without_everyday
from npc_server.instinct.importance_head import ratings
from npc_server.mind.mind import Mind
from npc_server.mind.relationships import ACQUAINTANCE, MET, STRANGER
from npc_server.mind.replies import BETWEEN_CHARS, Summary
from npc_server.records import GameTime, Social, Talk

CLOSEST_BY_TALK = 4
"""Most closeness that talks alone lead to: more than an acquaintance, less than a co-worker."""
STATED_IMPORTANCE = 5
"""Least importance, by its meaning, of what somebody states."""
CLOSER_ONE_IN = 4
"""One of so many conversations brings people closer."""
TALKED_ON = "They talked on"
_FILLER_STEMS = telling_stems(
    "think remember right know knew believe guess suppose sure told tell heard hear say said well yes no oh bah ago far idea clue honestly "
    "really sorry care wish ask nobody else friend dear love"
)
"""Words around a statement, and of people who do not know."""
_REGRET = re.compile(r"\bi(?:['’]m| am) afraid\b(?! (?:of|to|for)\b)", re.IGNORECASE)


async def talk_claims(mind: Mind, talk: Talk, speaker: str) -> list[str]:
    """The claims of a speaker: those that the lines carry, else their sentences that matter, without questions."""
    lines = [line for line in talk.lines if line.speaker == speaker]
    said = [it for line in lines if line.claims is None for it in sentences(line.text) if not is_question(it) and _stated_stems(it)]
    words = [without_everyday(text, mind.places.everyday()) for text in said]
    rated = zip(said, ratings(mind.tools.embedder.name, words, await mind.tools.embedder.embed(said)), strict=True)
    matters = {it for it, value in rated if value >= STATED_IMPORTANCE}
    told = (line.claims if line.claims is not None else (_of(line.text, matters),) for line in lines)
    return [fact for facts in told for fact in facts if _stated_stems(fact)]


def _of(line: str, matters: set[str]) -> str:
    return " ".join(it for it in sentences(line) if it in matters)


def _stated_stems(text: str) -> frozenset[str]:
    """Stems of the words that state something. `I'm afraid I don't know` states nothing."""
    return telling_stems(_REGRET.sub("", text)) - _FILLER_STEMS


def talk_summary(mind: Mind, talk: Talk) -> Summary:
    first = mind.persona.first_name
    names = " and ".join(mind.people.name_of(other) for other in mind.others_in(talk))
    told = [claim for line in talk.lines for claim in line.claims or ()]
    if not told:
        return Summary(f"{first} talked with {names} at {clock.hhmm(talk.started)} about this and that.")
    return Summary(f"{first} talked with {names}: {told[0]}"[:200])


def talk_relation(mind: Mind, former: Social, told: Sequence[str], now: GameTime) -> Social:
    """The relationship with the latest claims added, and now and then a little closer."""
    first = mind.people.first_name_of(former.other)
    news = " ".join(ended(text) if text.startswith(first) else f"{first} told {mind.persona.first_name}: {ended(text)}" for text in told)
    says_when = former.between.startswith(TALKED_ON) and ". " not in former.between
    known = "" if says_when else former.between
    between = f"{known} {news}".strip() or f"{TALKED_ON} {clock.date(now)}."
    relation = ACQUAINTANCE if former.relation == STRANGER else former.relation
    return replace(former, relation=relation, between=last_sentences(between, BETWEEN_CHARS), closeness=_closer(mind, former, now))


def _closer(mind: Mind, former: Social, now: GameTime) -> int:
    if mind.persona.relation(former.other) is not None:
        return former.closeness
    if former.closeness < MET:
        return MET
    one_more = former.closeness < CLOSEST_BY_TALK and mind.seed_for("closer", former.other, now) % CLOSER_ONE_IN == 0
    return former.closeness + one_more
