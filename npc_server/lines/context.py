"""What the next line of a conversation rests on: who the others are, memories, news, and the moment (GA, section 4.3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from npc_server.affordable import mind_wandering
from npc_server.english.text import PROMISED
from npc_server.lines.chat import tellable
from npc_server.mind import identity, offers, relationships, secrets
from npc_server.mind.answerer import Speaker
from npc_server.mind.instinct import Told
from npc_server.mind.mind import Mind
from npc_server.mind.moment import Moment, moment
from npc_server.mind.named import others_named
from npc_server.mind.retrieve import as_lines, for_prompt, is_attributed, on_topic
from npc_server.mind.surroundings import has_changed
from npc_server.records import GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, NpcId, PlanLevel, ScoredMemory, Talk


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


@dataclass(frozen=True)
class NextLine:
    """Whose line is next, in which talk, and why."""

    talk: Talk
    about: str
    """Why the speaker wanted to talk."""
    last_words: bool
    now: GameTime


@dataclass(frozen=True)
class LineContext:
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
    found: Sequence[ScoredMemory] = ()
    """The memories behind the lines of `memories`."""


NOTHING_SHOWN = LineContext([], "", "", [], [], [], None, Moment("", "", [], [], False, [], []))


async def context_of(mind: Mind, turn: NextLine, told: Told, present: Sequence[NpcId] | None) -> LineContext:
    talk, now, others, baseline = turn.talk, turn.now, mind.others_in(turn.talk), mind.answerer.reference
    names = [mind.people.name_of(other) for other in others]
    lately = " ".join(line.text for line in talk.lines[-TOPIC_LINES:])
    topic = lately or turn.about or " ".join(names)
    between, found = await (baseline.talk_context if baseline else _remembered)(mind, talk, others, topic, now)
    place = mind.world.describe(talk.place) if talk.place else ""
    news = _news(mind, talk, told, present or (), now)
    found = [scored for scored in found if news is None or scored.memory.id != news.id]
    found = tellable(mind, found, [*others, *(present or ())]) if mind.answerer.speaker is Speaker.IN_CHAT else found
    far, is_later = mind.budget.far, any(line.speaker == mind.npc for line in talk.lines)
    # Where nobody listens in, of the people it knows only those are told of whom the talk speaks.
    told_of = {*others_named(mind, f"{lately} {turn.about}"), *others} - (set(others) if relationships.kept_by(mind) else set())
    relations = identity.relations(mind, told_of if far else None)
    here = moment(mind, now, others, since=talk.started, present=present, place=talk.place, **_shown(far=far, is_later=is_later))
    # The first line shows who the speaker is, and the later ones are asked for with the first in sight.
    who = identity.in_short(mind) if far and is_later and not baseline else identity.in_prompts(mind, lifestyle=not far)
    memories = as_lines(mind, found, now, FAR_CHARS if far and not baseline else 0)
    return LineContext(names, place, who, relations, between, memories, news, here, found)


def expected(mind: Mind, talk: Talk, now: GameTime) -> dict[str, Any]:
    """What the prompt of a talk with a player would show now, as far as nothing that is said decides it."""
    others = mind.others_in(talk)
    here = moment(mind, now, others, since=talk.started, place=talk.place, **NEAR)
    between = [relationships.line(mind, other, named=True) for other in others] if relationships.kept_by(mind) else []
    names, place = [mind.people.name_of(other) for other in others], mind.world.describe(talk.place) if talk.place else ""
    return {**here.values(), "others": names, "place": place, "between": between}


def _shown(*, far: bool, is_later: bool) -> _Shown:
    return (FAR_LATER if is_later else FAR) if far else NEAR


def values_of(mind: Mind, turn: NextLine, context: LineContext) -> dict[str, Any]:
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
        "dialogue": mind.dialogue(talk.lines[-LINES_SHOWN:], own="" if mind.answerer.reference else "You"),
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
    names = {mind.people.name_of(person) for person in hearing}
    theirs = news.source_person in hearing or news.subject in names or (hearsay and not hearing.isdisjoint(others_named(mind, news.text)))
    if secrets.told(mind, news.text, hearing):
        return False
    is_news = news.topic is not MemoryTopic.SAID and news.kind is not MemoryKind.REFLECTION and not has_changed(mind, news)
    return is_news and not theirs


async def _remembered(mind: Mind, talk: Talk, others: Sequence[str], topic: str, now: GameTime) -> tuple[list[str], list[ScoredMemory]]:
    """Social Memory and memories on the topic, without those of this talk. Without Social Memory, also memories of the others."""
    without = _shown_otherwise(mind, talk)
    if relationships.kept_by(mind):
        between = [relationships.line(mind, other, named=not mind.budget.far) for other in others]
        return between, await on_topic(mind, "say", topic, now, _memories_shown(mind), without=without, few_lines=True)
    known = await for_prompt(mind, "say", f"{mind.persona.first_name} and {', '.join(mind.people.name_of(o) for o in others)}", now, 8)
    recent = await for_prompt(mind, "say", topic, now, 8)
    found = {scored.memory.id: scored for scored in [*known, *recent]}
    return [], [scored for number, scored in found.items() if number not in without]


def _memories_shown(mind: Mind) -> int:
    """More where a player listens and the model's context has room."""
    if mind.budget.far:
        return mind.settings.talk_memories_far
    room = mind.tools.engine.status().context_tokens // CONTEXT_EACH
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


def _told_by(mind: Mind, memory: Memory) -> str:
    is_told = memory.source is MemorySource.TOLD and not is_attributed(mind, memory)
    return f"{mind.people.name_of(memory.source_person)} told you: " if is_told else ""
