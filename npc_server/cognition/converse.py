"""Converse: line by line, each conditioned on what the speaker remembers of the others and on the dialogue so far.

Generative Agents, section 4.3.2. What stays of it is in `remember_talk`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from npc_server.affordable import mind_wandering
from npc_server.english.text import PROMISED, clipped, each_once, words_in
from npc_server.llm.engine import OnText
from npc_server.llm.reply import ReplyType, one
from npc_server.llm.streamed_words import SpokenWords
from npc_server.memory.ledger import BY_INSTINCT
from npc_server.mind import appointments, offers, relationships
from npc_server.mind.ask import Answer, ask, by_instinct
from npc_server.mind.instinct import Invitation, Said, Suggestion, Told
from npc_server.mind.mind import Mind
from npc_server.mind.moment import Moment, moment
from npc_server.mind.replies import LEAVE, LINE, LINE_CHARS, STAY, Spoken, SpokenFreely, SpokenWithDeed, Willing
from npc_server.mind.retrieve import as_lines, for_prompt, on_topic
from npc_server.personas.schema import Offer
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, NpcId, PlanLevel, ScoredMemory, Source, Talk

SpokenReply = Spoken | SpokenFreely | SpokenWithDeed

ON_TOPIC, FEWEST_SHOWN = 6, 8
"""Memories that a line's prompt shows beside Social Memory: where no player is near, and at least where one is."""
CONTEXT_EACH = 800
"""Tokens of the model's context for each memory shown, so that a small context is not filled with them."""
FAR, NEAR = {"hours": 1, "ahead": 1}, {"hours": 8, "ahead": 6}
"""Lines of the day so far, and of the plan that is ahead, that a line's prompt shows: where no player is near, and where one is."""
TOPIC_LINES = 2
"""Latest lines of a talk that memories are searched by."""
LATELY = 300
"""Latest memories among which those that the prompt shows otherwise are looked for."""
LINES_SHOWN = 12
"""Latest lines of a talk that a prompt shows."""
LINE_TOKENS = 130
"""Tokens of a line and of what it agrees to."""
NOT_ANSWERED = "…"
"""Stands for a line where the model gave none; instinct's is said instead."""
SAME_WORDS, FEWEST_WORDS = 0.85, 4
"""Share of the words of two lines that stand in the same order in both, from which on one repeats the other; and of how many words on."""


async def listen(mind: Mind, who: str, now: GameTime, *, hurried: bool) -> tuple[bool, Source]:
    """Whether an NPC that is spoken to has time. Without a model, it declines when it is in a hurry, and at times to strangers."""

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
        doing=moment(mind, now, hours=0).doing,
    )
    return answer.value.answer == "yes", answer.source


def _wary(mind: Mind, who: str) -> bool:
    """Whether the NPC knows the other and is not close to them. Then no rule is sure what it wants."""
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
    present: Sequence[NpcId] = (),
    on_text: OnText | None = None,
) -> tuple[Said, Source]:
    """The next line.

    `about` is why the speaker wanted to talk, and `last_words` tells it that it has to go now. `present` are those who stand by.
    A small model is asked only to say what is remembered, since what it says of its own accord comes from its training. Rules choose
    what it does and what it agrees to.
    """
    if mind.speaks_for_itself():
        context = await _context(mind, talk, told, about, present, now)
        answer = await _asked(mind, talk, context, None, about, last_words, on_text, now)
        if answer.source is not Source.INSTINCT:
            return _said(mind, talk, answer.value, None, context.news, last_words, now), answer.source
        suggested = await mind.instinct.say(mind, talk, now, told, about, last_words=last_words)
        return suggested.said(), Source.INSTINCT
    suggested = await mind.instinct.say(mind, talk, now, told, about, last_words=last_words)
    if suggested.is_all():
        return by_instinct(mind, "say", suggested.said, now, BY_INSTINCT).value, Source.INSTINCT
    context = await _context(mind, talk, told, about, present, now)
    answer = await _asked(mind, talk, context, suggested, about, last_words, on_text, now)
    if answer.source is Source.INSTINCT:
        return suggested.said(), Source.INSTINCT
    return _said(mind, talk, answer.value, suggested, context.news, last_words, now), answer.source


@dataclass(frozen=True)
class _Context:
    """What the prompt for a line shows, besides who the speaker is and what was said."""

    others: list[str]
    """Names of those spoken to."""
    place: str
    between: list[str]
    """What each of the others is to the speaker."""
    memories: list[str]
    news: Memory | None
    """What is worth passing on."""
    moment: Moment


async def _context(mind: Mind, talk: Talk, told: Told, about: str, present: Sequence[NpcId], now: GameTime) -> _Context:
    others, baseline = mind.others_in(talk), mind.as_reference()
    names = [mind.name_of(other) for other in others]
    topic = " ".join(line.text for line in talk.lines[-TOPIC_LINES:]) or about or " ".join(names)
    between, found = await (baseline.talk_context if baseline else _remembered)(mind, talk, others, topic, now)
    place = mind.world.describe(talk.place) if talk.place else ""
    news = mind.instinct.news(mind, others, now, told)
    if not mind.engine.status().drafts:  # npc-nano was trained on prompts that show the news among the memories, too
        found = [scored for scored in found if news is None or scored.memory.id != news.id]
    here = moment(mind, now, others, since=talk.started, present=present, **(FAR if mind.budget.far else NEAR))
    return _Context(names, place, between, as_lines(mind, found, now), news, here)


async def _asked(
    mind: Mind,
    talk: Talk,
    context: _Context,
    suggested: Suggestion | None,
    about: str,
    last_words: bool,
    on_text: OnText | None,
    now: GameTime,
) -> Answer[SpokenReply]:
    """The model's line. `suggested` is None for a model that speaks for itself."""
    baseline, status, news = mind.as_reference(), mind.engine.status(), context.news
    offered = () if mind.is_small() else mind.persona.offers  # such a model is taught no calls: rules choose
    plain = suggested.said() if suggested is not None else Said(NOT_ANSWERED)
    return await ask(
        mind,
        "ga_say" if baseline else "say",
        _reply_type(mind, suggested, offered),
        lambda: _as_reply(mind, plain, offered),
        now,
        check=None
        if baseline or status.stands_in
        else _check(mind, talk, context, suggested, about, now),  # who stands in for a model would only say it again
        max_tokens=LINE_TOKENS,
        on_text=SpokenWords(on_text, "say: ").feed if on_text else None,
        others=context.others,
        place=context.place,
        between=context.between,
        memories=context.memories,
        wandering=mind_wandering.crossing(mind, "say", (talk.id, len(talk.lines)), now, context.memories),
        news=_told_by(mind, news) + news.text if news else "",
        voice=mind.persona.voice.style,
        examples=list(mind.persona.voice.examples[:4]),
        dialogue=mind.dialogue(talk.lines[-LINES_SHOWN:], own="" if status.drafts or baseline else "You"),
        about=about,
        last_words=last_words,
        offers=offers.lines(offered),
        draft=_as_reply(mind, plain, offered).say if status.drafts else "",
        **context.moment.values(),
    )


def _check(
    mind: Mind, talk: Talk, context: _Context, suggested: Suggestion | None, about: str, now: GameTime
) -> Callable[[SpokenReply], str]:
    """A function that says what is wrong with a line; empty if nothing is."""
    tried = 0

    def wrong(spoken: SpokenReply) -> str:
        nonlocal tried
        tried += 1
        again = _said_before(talk, spoken.say)
        if again or suggested is None:
            return again or _cannot_agree(mind, talk, spoken, now, is_first=tried == 1)
        news = context.news.text if context.news else ""
        told_of = [*context.memories, *context.between, *context.others, about, context.place, news]
        return suggested.wrong(spoken.say, [*mind.dialogue(talk.lines), *told_of])

    return wrong


def _reply_type(mind: Mind, suggested: Suggestion | None, offered: Sequence[Offer]) -> ReplyType[SpokenReply]:
    if offered:
        return one(SpokenWithDeed, does=offers.OneOf(tuple(offered)))
    if mind.engine.status().drafts or mind.as_reference():
        return one(Spoken, say=suggested.form(LINE) if suggested is not None else LINE)
    return one(SpokenFreely)


def _as_reply(mind: Mind, plain: Said, offered: Sequence[Offer]) -> SpokenReply:
    words, then = clipped(plain.text, LINE_CHARS, "Well."), LEAVE if plain.leaves else STAY
    if offered:
        return SpokenWithDeed(words, plain.call, then)
    return Spoken(words, then) if mind.engine.status().drafts or mind.as_reference() else SpokenFreely(words, then)


def _said(
    mind: Mind, talk: Talk, spoken: SpokenReply, suggested: Suggestion | None, fresh: Memory | None, last_words: bool, now: GameTime
) -> Said:
    """The model's line, with what it passes on, claims, and agrees to."""
    passed_on = (fresh.id,) if fresh is not None and mind.instinct.tells(spoken.say, fresh) else ()
    call = spoken.does if isinstance(spoken, SpokenWithDeed) else None
    # Who says a suggested answer in its own voice claims what that does. What a line of its own claims is not known.
    claims = suggested.said().claims if suggested is not None and suggested.is_remembered else None
    agreed = suggested.said().agreed if suggested is not None else _agreed(mind, talk, spoken, now)
    return Said(each_once(spoken.say), last_words or spoken.then == LEAVE, claims, passed_on, call, agreed)


def _agreed(mind: Mind, talk: Talk, spoken: SpokenReply, now: GameTime) -> Invitation | None:
    """When and where the line agrees to come; None if it does not."""
    found = () if isinstance(spoken, Spoken) else spoken.agrees
    return next((appointments.meant(mind, agreed, talk.place, now) for agreed in found if agreed.comes), None)


def _cannot_agree(mind: Mind, talk: Talk, spoken: SpokenReply, now: GameTime, *, is_first: bool) -> str:
    """What is wrong with an agreement; empty if nothing is.

    Nobody may agree to come when they cannot. A place that the NPC does not know is asked for once more, since another try may name one.
    """
    agreed = _agreed(mind, talk, spoken, now)
    if agreed is None:
        return ""
    unknown = is_first and not agreed.address
    return appointments.obstacle(mind, agreed, now) or ("agrees to come to a place that is not known" if unknown else "")


async def _remembered(mind: Mind, talk: Talk, others: Sequence[str], topic: str, now: GameTime) -> tuple[list[str], list[ScoredMemory]]:
    """Social Memory and memories on the topic, without those of this talk. Without Social Memory, also memories of the others."""
    without = _shown_otherwise(mind, talk)
    if relationships.kept_by(mind):
        between = [relationships.line(mind, other, named=True) for other in others]
        return between, await on_topic(mind, "say", topic, now, _memories_shown(mind), without=without)
    known = await for_prompt(mind, "say", f"{mind.persona.first_name} and {', '.join(mind.name_of(o) for o in others)}", now, 8)
    recent = await for_prompt(mind, "say", topic, now, 8)
    found = {scored.memory.id: scored for scored in [*known, *recent]}
    return [], [scored for number, scored in found.items() if number not in without]


def _memories_shown(mind: Mind) -> int:
    """More where a player listens and the model's context has room."""
    if mind.budget.far:
        return ON_TOPIC
    room = mind.engine.status().context_tokens // CONTEXT_EACH
    return min(mind.settings.talk_memories, max(FEWEST_SHOWN, room))


def _shown_otherwise(mind: Mind, talk: Talk) -> frozenset[int]:
    """Ids of the memories that the prompt shows otherwise: of this talk's lines, today's own deeds and plans, and own promises."""
    latest = mind.stream.latest(LATELY, (MemoryKind.CONVERSATION, MemoryKind.OBSERVATION, MemoryKind.PLAN))
    is_planned = not mind.engine.status().drafts and bool(mind.steps_of(PlanLevel.HOUR, talk.started))
    quoted, today = [line.text for line in talk.lines], mind.day_of(talk.started)
    return frozenset(
        memory.id
        for memory in latest
        if (memory.created >= talk.started and any(text in memory.text for text in quoted))
        or (memory.topic is MemoryTopic.OWN_DEEDS and memory.created >= today)
        or (memory.kind is MemoryKind.PLAN and is_planned and memory.created >= today)
        or memory.predicate == PROMISED
    )


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
