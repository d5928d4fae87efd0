"""Converse: line by line, each conditioned on what the speaker remembers of the others and on the dialogue so far.

Generative Agents, section 4.3.2. What stays of it is in `remember_talk`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from npc_server.english.text import clipped, each_once, words_in
from npc_server.llm.engine import OnText
from npc_server.llm.reply import ReplyType, one
from npc_server.llm.streamed_words import SpokenWords
from npc_server.memory.ledger import BY_INSTINCT
from npc_server.mind import offers, relationships
from npc_server.mind.ask import Answer, ask, by_instinct
from npc_server.mind.instinct import Said, Suggestion, Told
from npc_server.mind.mind import Mind
from npc_server.mind.replies import LEAVE, LINE, STAY, Spoken, SpokenWithDeed, Willing
from npc_server.mind.retrieve import as_lines, for_prompt, on_topic
from npc_server.personas.schema import Offer
from npc_server.records import GameTime, Memory, MemorySource, ScoredMemory, Source, Talk

ON_TOPIC = 4
"""Memories on the topic that stand beside Social Memory."""
SAME_WORDS, FEWEST_WORDS = 0.85, 4
"""Share of the words of two lines that stand in the same order in both, from which on one repeats the other; and of how many words on."""


async def listen(mind: Mind, who: str, now: GameTime, *, hurried: bool) -> tuple[bool, Source]:
    """Whether an NPC that is spoken to has time. Without an answer, who is in a hurry or speaks to a stranger declines."""

    def plain() -> Willing:
        return mind.instinct.listen(mind, who, now, hurried=hurried)

    sure = mind.settings.uses("calm_reactions") and (hurried or not _wary(mind, who))
    if sure or mind.as_reference():  # the reference does not ask whoever is spoken to
        return plain() == Willing("yes"), Source.INSTINCT
    with_social = relationships.kept_by(mind)
    found = [] if with_social else await for_prompt(mind, "listen", f"{mind.name_of(who)} and {mind.persona.first_name}", now, 8)
    answer = await ask(
        mind,
        "listen",
        one(Willing),
        plain,
        now,
        max_tokens=8,
        other=mind.name_of(who),
        between=relationships.line(mind, who, named=True) if with_social else "",
        memories=as_lines(mind, found, now),
        hurried=hurried,
    )
    return answer.value.answer == "yes", answer.source


def _wary(mind: Mind, who: str) -> bool:
    """Whether one knows the other and yet is not close: then a rule is not sure."""
    kept = relationships.of(mind, who)
    return kept.relation != relationships.STRANGER and kept.closeness < relationships.MET


async def say(
    mind: Mind,
    talk: Talk,
    now: GameTime,
    told: Told,
    *,
    about: str = "",
    last_words: bool = False,
    answers_goodbye: bool = False,
    on_text: OnText | None = None,
) -> tuple[Said, Source]:
    """The next line. `about` is why the speaker began to talk; `last_words` tells it that it has to go now.

    To a goodbye people answer with one of their own farewells, where their persona has some. A small model is asked
    only where something is remembered to be said: what it says of its own accord comes from its training. Rules choose what it does.
    """
    if answers_goodbye and mind.settings.uses("calm_reactions") and mind.persona.voice.farewells and mind.engine.status().ready:
        return mind.instinct.farewell(mind, talk), Source.INSTINCT
    suggested = await mind.instinct.say(mind, talk, now, told, about, last_words=last_words)
    if suggested.is_all():
        return by_instinct(mind, "say", suggested.said, now, BY_INSTINCT).value, Source.INSTINCT
    context = await _context(mind, talk, told, about, now)
    answer = await _asked(mind, talk, context, suggested, about, last_words, on_text, now)
    if answer.source is Source.INSTINCT:
        return suggested.said(), Source.INSTINCT
    return _said(mind, answer.value, suggested, context.news, last_words), answer.source


@dataclass(frozen=True)
class _Context:
    """What a line rests on, besides who the speaker is and what was said."""

    others: list[str]
    """Names of those spoken to."""
    place: str
    between: list[str]
    """What each of the others is to the speaker."""
    memories: list[str]
    news: Memory | None
    """What is worth passing on."""


async def _context(mind: Mind, talk: Talk, told: Told, about: str, now: GameTime) -> _Context:
    others, baseline = mind.others_in(talk), mind.as_reference()
    names = [mind.name_of(other) for other in others]
    topic = talk.lines[-1].text if talk.lines else about or " ".join(names)
    between, found = await (baseline.talk_context if baseline else _remembered)(mind, talk, others, topic, now)
    place = mind.world.describe(talk.place) if talk.place else ""
    return _Context(names, place, between, as_lines(mind, found, now), mind.instinct.news(mind, others, now, told))


async def _asked(
    mind: Mind, talk: Talk, context: _Context, suggested: Suggestion, about: str, last_words: bool, on_text: OnText | None, now: GameTime
) -> Answer[Spoken | SpokenWithDeed]:
    """The model's line."""
    baseline, status, news = mind.as_reference(), mind.engine.status(), context.news
    offered = () if mind.is_small() else mind.persona.offers  # such a model is taught no calls: rules choose

    def wrong(spoken: Spoken | SpokenWithDeed) -> str:
        told_of = [*context.memories, *context.between, *context.others, about, context.place, news.text if news else ""]
        return _said_before(talk, spoken.say) or suggested.wrong(spoken.say, [*mind.dialogue(talk.lines), *told_of])

    return await ask(
        mind,
        "ga_say" if baseline else "say",
        _reply_type(suggested, offered),
        lambda: _as_reply(suggested.said(), offered),
        now,
        check=None if baseline or status.stands_in else wrong,  # who stands in for a model would only say it again
        max_tokens=90,
        on_text=SpokenWords(on_text, "say: ").feed if on_text else None,
        others=context.others,
        place=context.place,
        between=context.between,
        memories=context.memories,
        news=_told_by(mind, news) + news.text if news else "",
        voice=mind.persona.voice.style,
        examples=list(mind.persona.voice.examples[:4]),
        dialogue=mind.dialogue(talk.lines[-12:]),
        about=about,
        last_words=last_words,
        offers=offers.lines(offered),
        draft=_as_reply(suggested.said(), offered).say if status.drafts else "",
    )


def _reply_type(suggested: Suggestion, offered: Sequence[Offer]) -> ReplyType[Spoken | SpokenWithDeed]:
    line = suggested.form(LINE)
    return one(SpokenWithDeed, say=line, does=offers.OneOf(tuple(offered))) if offered else one(Spoken, say=line)


def _as_reply(plain: Said, offered: Sequence[Offer]) -> Spoken | SpokenWithDeed:
    words, then = clipped(plain.text, 240, "Well."), LEAVE if plain.leaves else STAY
    return SpokenWithDeed(words, plain.call, then) if offered else Spoken(words, then)


def _said(mind: Mind, spoken: Spoken | SpokenWithDeed, suggested: Suggestion, fresh: Memory | None, last_words: bool) -> Said:
    """The model's line, with what it passes on and claims."""
    passed_on = (fresh.id,) if fresh is not None and mind.instinct.tells(spoken.say, fresh) else ()
    call = spoken.does if isinstance(spoken, SpokenWithDeed) else None
    # Who says a suggested answer in its own voice claims what that does; of a line of its own that is not known.
    claims = suggested.said().claims if suggested.is_remembered else None
    return Said(each_once(spoken.say), last_words or spoken.then == LEAVE, claims, passed_on, call)


async def _remembered(mind: Mind, talk: Talk, others: Sequence[str], topic: str, now: GameTime) -> tuple[list[str], list[ScoredMemory]]:
    """Social Memory and a few memories on the topic. Without Social Memory, more memories, also of the others."""
    if relationships.kept_by(mind):
        return [relationships.line(mind, other, named=True) for other in others], await on_topic(mind, "say", topic, now, ON_TOPIC)
    known = await for_prompt(mind, "say", f"{mind.persona.first_name} and {', '.join(mind.name_of(o) for o in others)}", now, 8)
    recent = await for_prompt(mind, "say", topic, now, 8)
    return [], list({scored.memory.id: scored for scored in [*known, *recent]}.values())


def _said_before(talk: Talk, text: str) -> str:
    """What is wrong with a line that says in the same words what was said in this talk, or nothing: it is worth another try."""
    words = words_in(text)
    if len(words) < FEWEST_WORDS:
        return ""
    same = next((line.text for line in talk.lines if SequenceMatcher(None, words, words_in(line.text)).ratio() > SAME_WORDS), "")
    return f"says again what was said: {same!r}" if same else ""


async def repeats(mind: Mind, talk: Talk, text: str, similarity: float) -> bool:
    """Whether a line says what somebody said in this conversation already (loop detection by embedding)."""
    said = [line.text for line in talk.lines]
    if not said:
        return False
    if text.casefold() in (line.casefold() for line in said):
        return True
    rows = await mind.embedder.embed([text, *said])
    return bool(np.max(rows[1:] @ rows[0]) > similarity)


def _told_by(mind: Mind, memory: Memory) -> str:
    return f"{mind.name_of(memory.source_person)} told you: " if memory.source is MemorySource.TOLD else ""
