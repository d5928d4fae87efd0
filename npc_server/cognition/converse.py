"""Converse: line by line, each conditioned on what the speaker remembers of the others and on the dialogue so far.

Generative Agents, section 4.3.2. What stays of it is in `remember_talk`, and the form of a line in `mind/spoken_line.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np

from npc_server.affordable import mind_wandering
from npc_server.cognition.best_line import LineTask, bank_read_ahead, best_line
from npc_server.english.text import PROMISED, each_once
from npc_server.llm.engine import OnText
from npc_server.llm.reply import one
from npc_server.llm.streamed_words import SpokenWords
from npc_server.mind import identity, offers, relationships
from npc_server.mind.ask import Aloud, Answer, ask
from npc_server.mind.instinct import Said, Told
from npc_server.mind.line_chooser import LineChooser
from npc_server.mind.mind import Mind
from npc_server.mind.moment import Moment, moment
from npc_server.mind.named import others_named
from npc_server.mind.replies import LEAVE, LINE_CHARS, SpokenWithDeed, Willing
from npc_server.mind.retrieve import as_lines, for_prompt, is_attributed, on_topic
from npc_server.mind.spoken_line import LineCheck, LineForm, SpokenReply, agreed, form_of
from npc_server.mind.surroundings import has_changed
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, NpcId, PlanLevel, ScoredMemory, Source, Talk, Why


class _Shown(TypedDict):
    """How much of the moment a prompt shows; see `moment`."""

    hours: int
    chars: int
    ahead: int
    last: bool


FEWEST_SHOWN = 8
"""Memories that a line's prompt shows beside Social Memory where a player is near, at least."""
CONTEXT_EACH = 800
"""Tokens of the model's context for each memory shown, so that a small context is not filled with them."""
FAR: _Shown = {"hours": 2, "chars": 120, "ahead": 2, "last": False}
FAR_LATER: _Shown = {"hours": 1, "chars": 120, "ahead": 1, "last": False}
NEAR: _Shown = {"hours": 8, "chars": 0, "ahead": 3, "last": True}
"""Lines of the day so far and how long each may be (0 for any length), lines of the plan ahead, and whether the last talk is told of:
where no player is near, in one's first line and in later ones, and where one is."""
FAR_CHARS = 120
"""Characters of a memory that a line's prompt shows where no player is near."""
EXAMPLES = 4
"""Lines of the persona's voice that a line's prompt shows where a player is near."""
TOPIC_LINES = 2
"""Latest lines of a talk that memories are searched by."""
LATELY = 300
"""Latest memories among which those that the prompt shows otherwise are looked for."""
NEWS_LOOKED_AT = 8
"""Memories that are looked at for one that may be told."""
LINES_SHOWN = 12
"""Latest lines of a talk that a prompt shows."""
LINE_TOKENS = 150
"""Tokens of what a line agrees to and of the line."""
NOT_ANSWERED = "…"
"""Stands for a line where the model gave none; instinct's is said instead."""


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


@dataclass(frozen=True)
class _Turn:
    """Whose line is next, in which talk, and why."""

    talk: Talk
    about: str
    """Why the speaker wanted to talk."""
    last_words: bool
    now: GameTime


async def say(
    mind: Mind,
    talk: Talk,
    now: GameTime,
    told: Told,
    *,
    about: str = "",
    last_words: bool = False,
    present: Sequence[NpcId] | None = None,
    on_text: OnText | None = None,
) -> tuple[Said, Source]:
    """The next line.

    `about` is why the speaker wanted to talk, and `last_words` tells it that it has to go now. `present` are those who stand by; None if
    that is not known. `on_text` hears the line while it is written, and the line begins with what it heard. It hears no last words, which
    are checked as a whole.
    """
    turn, by_rule = _Turn(talk, about, last_words, now), None
    if mind.chooser is not None and mind.chooses_lines():
        return await _best(mind, mind.chooser, turn, told, present or (), on_text)
    if not mind.speaks_for_itself():
        by_rule = await mind.instinct.say(mind, talk, now, told, about, last_words=last_words)
    # A prompt that nobody reads is not made, nor what it would show: that takes longer than the line itself.
    context = await _context(mind, turn, told, present) if mind.asks("say") else _NOTHING_SHOWN
    form = form_of(mind, talk, mind.persona.offers, now)
    check = LineCheck(mind, talk, form, now, present or (), last_words=last_words)
    words = _heard_by(mind, on_text, check) if on_text is not None and not last_words else None
    answer = await _asked(mind, turn, context, form, check, by_rule, words)
    if answer.source is Source.INSTINCT:
        return by_rule or await mind.instinct.say(mind, talk, now, told, about, last_words=last_words), Source.INSTINCT
    text = each_once(answer.value.say)
    return _said(mind, turn, answer.value, words.finish(text) if words else text, by_rule, context.news), answer.source


async def _best(
    mind: Mind, chooser: LineChooser, turn: _Turn, told: Told, present: Sequence[NpcId], on_text: OnText | None
) -> tuple[Said, Source]:
    """The best of several candidates. It is heard as a whole, since it is chosen as a whole.

    Among themselves people tell their news as instinct has it. A small model would seldom make sense of it, and the bank knows no news.
    """
    talk, now = turn.talk, turn.now

    async def plain() -> Said:
        return await mind.instinct.say(mind, talk, now, told, turn.about, last_words=turn.last_words)

    if turn.last_words or all(person in mind.names for person in talk.people):
        return _by_instinct(mind, await plain(), on_text)
    form = form_of(mind, talk, mind.persona.offers, now)
    task = LineTask(mind, chooser, talk, form, LineCheck(mind, talk, form, now, present, last_words=False), now)
    async with bank_read_ahead(task) as reading:
        await reading.best_known()
        by_rule = await plain()
        # What was asked for is answered: no line that is only good talk may stand in its place.
        if by_rule.why is not Why.TALK:
            return _by_instinct(mind, by_rule, on_text)
        of_bank = await reading.finish()
    news: list[Memory | None] = [None]

    async def values() -> Mapping[str, Any]:
        context = await _context(mind, turn, told, present)
        news[0] = context.news
        return _values(mind, turn, context)

    best = await best_line(task, by_rule, of_bank, values)
    said = by_rule if best.spoken is None else _chosen(mind, turn, best.spoken, by_rule, news[0])
    return _heard(said, best.source, on_text)


def _chosen(mind: Mind, turn: _Turn, reply: SpokenReply, by_rule: Said, news: Memory | None) -> Said:
    # A small model is offered deeds and names them at random. What the player asked for by name was seen above.
    spoken = replace(reply, does=None) if isinstance(reply, SpokenWithDeed) else reply
    said = _said(mind, turn, spoken, each_once(spoken.say), None, news)
    return replace(said, leaves=said.leaves or by_rule.leaves)


def _by_instinct(mind: Mind, said: Said, on_text: OnText | None) -> tuple[Said, Source]:
    source = Source.CHOSEN if said.is_chosen else Source.INSTINCT
    mind.count_answer(source)
    return _heard(said, source, on_text)


def _heard(said: Said, source: Source, on_text: OnText | None) -> tuple[Said, Source]:
    """Only a model's words are heard before the line is whole; the others come with it."""
    if on_text is not None and source is Source.MODEL:
        on_text(said.text)
    return said, source


def _heard_by(mind: Mind, on_text: OnText, check: LineCheck) -> SpokenWords:
    names = (mind.persona.name, mind.persona.first_name)
    has_head = check.has_head
    return SpokenWords(on_text, "say: ", may_begin=check.may_begin if has_head else None, names=names, holds=check.holds, limit=LINE_CHARS)


@dataclass(frozen=True)
class _Context:
    """What the prompt for a line shows, besides who the speaker is and what was said."""

    others: list[str]
    """Names of those spoken to."""
    place: str
    identity: str
    relations: list[str]
    between: list[str]
    """What each of the others is to the speaker."""
    memories: list[str]
    news: Memory | None
    """What is worth passing on."""
    moment: Moment


_NOTHING_SHOWN = _Context([], "", "", [], [], [], None, Moment("", "", [], [], False, [], []))


async def _context(mind: Mind, turn: _Turn, told: Told, present: Sequence[NpcId] | None) -> _Context:
    talk, now, others, baseline = turn.talk, turn.now, mind.others_in(turn.talk), mind.as_reference()
    names = [mind.name_of(other) for other in others]
    lately = " ".join(line.text for line in talk.lines[-TOPIC_LINES:])
    topic = lately or turn.about or " ".join(names)
    between, found = await (baseline.talk_context if baseline else _remembered)(mind, talk, others, topic, now)
    place = mind.world.describe(talk.place) if talk.place else ""
    news = _news(mind, talk, told, present or (), now)
    found = [scored for scored in found if news is None or scored.memory.id != news.id]
    far, is_later = mind.budget.far, any(line.speaker == mind.npc for line in talk.lines)
    # Where nobody listens in, of the people it knows only those are told of whom the talk speaks.
    told_of = {*others_named(mind, f"{lately} {turn.about}"), *others} - (set(others) if relationships.kept_by(mind) else set())
    relations = identity.relations(mind, told_of if far else None)
    here = moment(mind, now, others, since=talk.started, present=present, place=talk.place, **_shown(far=far, is_later=is_later))
    # The first line shows who the speaker is, and the later ones are asked for with the first in sight.
    who = identity.in_short(mind) if far and is_later and not baseline else identity.in_prompts(mind, lifestyle=not far)
    memories = as_lines(mind, found, now, FAR_CHARS if far and not baseline else 0)
    return _Context(names, place, who, relations, between, memories, news, here)


def _shown(*, far: bool, is_later: bool) -> _Shown:
    return (FAR_LATER if is_later else FAR) if far else NEAR


async def _asked(
    mind: Mind,
    turn: _Turn,
    context: _Context,
    form: LineForm,
    check: LineCheck,
    by_rule: Said | None,
    words: SpokenWords | None,
) -> Answer[SpokenReply]:
    """The model's line. `by_rule` is None for a model that speaks for itself."""
    baseline = mind.as_reference()
    plain = by_rule or Said(NOT_ANSWERED)
    filled = form.filled(plain.text, leaves=plain.leaves, call=plain.call)
    return await ask(
        mind,
        "ga_say" if baseline else "say",
        form.reply,
        lambda: filled,
        turn.now,
        # Who stands in for a model would only say it again.
        check=None if baseline or mind.engine.status().stands_in else check.wrong,
        max_tokens=LINE_TOKENS,
        aloud=Aloud(words, check.kept, check.wrong_words) if words else None,
        **_values(mind, turn, context),
    )


def _values(mind: Mind, turn: _Turn, context: _Context) -> dict[str, Any]:
    """What the prompt for the line shows."""
    talk, news = turn.talk, context.news
    shown = _shown_otherwise(mind, talk)
    return {
        "others": context.others,
        "place": context.place,
        "identity": context.identity,
        "relations": context.relations,
        "between": context.between,
        "memories": context.memories,
        "wandering": mind_wandering.crossing(mind, "say", (talk.id, len(talk.lines)), turn.now, context.memories, shown),
        "news": _told_by(mind, news) + news.text if news else "",
        "voice": mind.persona.voice.style,
        "examples": list(mind.persona.voice.examples[: 0 if mind.budget.far else EXAMPLES]),
        "dialogue": mind.dialogue(talk.lines[-LINES_SHOWN:], own="" if mind.as_reference() else "You"),
        "about": turn.about,
        "last_words": turn.last_words,
        "offers": offers.lines(mind.persona.offers),
        **context.moment.values(),
    }


def _news(mind: Mind, talk: Talk, told: Told, present: Sequence[NpcId], now: GameTime) -> Memory | None:
    """What is worth telling those who hear it. A model is shown it for its first line alone."""
    others = mind.others_in(talk)
    if any(line.speaker == mind.npc for line in talk.lines):
        return None
    left_out = set(told)
    for _ in range(NEWS_LOOKED_AT):
        news = mind.instinct.news(mind, others, now, frozenset(left_out))
        if news is None or _is_worth_telling(mind, news, {*others, *present}):
            return news
        left_out |= {(other, news.id) for other in others}
    return None


def _is_worth_telling(mind: Mind, news: Memory, hearing: set[str]) -> bool:
    """Whether it is for those who hear it. What is over, bare words of others, and conclusions of one's own are no news.

    Nobody is told what they said themselves, nor what others say of them.
    """
    hearsay = news.source in (MemorySource.TOLD, MemorySource.HEARD)
    names = {mind.name_of(person) for person in hearing}
    theirs = news.source_person in hearing or news.subject in names or (hearsay and not hearing.isdisjoint(others_named(mind, news.text)))
    is_news = news.topic is not MemoryTopic.SAID and news.kind is not MemoryKind.REFLECTION and not has_changed(mind, news)
    return is_news and not theirs


def _said(mind: Mind, turn: _Turn, spoken: SpokenReply, text: str, by_rule: Said | None, fresh: Memory | None) -> Said:
    """The model's line, with what it passes on, claims, and agrees to."""
    # A model tells news in words of its own, or leaves it: it is offered once for each of the others.
    is_told = fresh is not None and (mind.speaks_for_itself() or mind.instinct.tells(text, fresh))
    passed_on = (fresh.id,) if fresh is not None and is_told else ()
    call = spoken.does if isinstance(spoken, SpokenWithDeed) else None
    comes = by_rule.agreed if by_rule is not None else agreed(mind, turn.talk, spoken, turn.now)
    # What a line of its own claims is not known.
    return Said(text, turn.last_words or spoken.then == LEAVE, None, passed_on, call, comes)


async def _remembered(mind: Mind, talk: Talk, others: Sequence[str], topic: str, now: GameTime) -> tuple[list[str], list[ScoredMemory]]:
    """Social Memory and memories on the topic, without those of this talk. Without Social Memory, also memories of the others."""
    without = _shown_otherwise(mind, talk)
    if relationships.kept_by(mind):
        between = [relationships.line(mind, other, named=not mind.budget.far) for other in others]
        return between, await on_topic(mind, "say", topic, now, _memories_shown(mind), without=without, few_lines=True)
    known = await for_prompt(mind, "say", f"{mind.persona.first_name} and {', '.join(mind.name_of(o) for o in others)}", now, 8)
    recent = await for_prompt(mind, "say", topic, now, 8)
    found = {scored.memory.id: scored for scored in [*known, *recent]}
    return [], [scored for number, scored in found.items() if number not in without]


def _memories_shown(mind: Mind) -> int:
    """More where a player listens and the model's context has room."""
    if mind.budget.far:
        return mind.settings.talk_memories_far
    room = mind.engine.status().context_tokens // CONTEXT_EACH
    return min(mind.settings.talk_memories, max(FEWEST_SHOWN, room))


def _shown_otherwise(mind: Mind, talk: Talk) -> frozenset[int]:
    """Ids of the memories that the prompt shows otherwise: of this talk's lines, today's own deeds and plans, and own promises."""
    latest = mind.stream.latest(LATELY, (MemoryKind.CONVERSATION, MemoryKind.OBSERVATION, MemoryKind.PLAN))
    is_planned = bool(mind.steps_of(PlanLevel.HOUR, talk.started))
    quoted, today = [line.text for line in talk.lines], mind.day_of(talk.started)
    return frozenset(
        memory.id
        for memory in latest
        if (memory.created >= talk.started and any(text in memory.text for text in quoted))
        or (memory.topic is MemoryTopic.OWN_DEEDS and memory.created >= today)
        or (memory.kind is MemoryKind.PLAN and is_planned and memory.created >= today)
        or memory.predicate == PROMISED
    )


async def repeats(mind: Mind, talk: Talk, text: str, source: Source) -> bool:
    """Whether a line says what somebody said in this conversation already (loop detection by embedding).

    Lines that no model wrote were written by people. Their meanings are not compared: in a day of Alderwick none of 1,321 repeated another.
    """
    said = [line.text for line in talk.lines]
    if text.casefold() in (line.casefold() for line in said):
        return True
    if not said or source is not Source.MODEL:
        return False
    rows = await mind.embedder.embed([text, *said])
    return bool(np.max(rows[1:] @ rows[0]) > mind.settings.repeat_similarity)


def _told_by(mind: Mind, memory: Memory) -> str:
    is_told = memory.source is MemorySource.TOLD and not is_attributed(mind, memory)
    return f"{mind.name_of(memory.source_person)} told you: " if is_told else ""
