"""Revises the Social Memory of a person during and after a talk, and asks what the talk was about and what was told (AGA, section 3.2).

No line is asked about twice: the question after the talk shows the lines since the last revision, and one sentence about those before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.affordable import talk_round
from npc_server.english.same_words import SAME_WORDS, said_in
from npc_server.english.text import clipped, ended
from npc_server.llm.reply import ReplyType, one
from npc_server.mind import mood, relationships
from npc_server.mind.ask import Answer, R, ask
from npc_server.mind.mind import Mind
from npc_server.mind.named import others_named
from npc_server.mind.replies import BETWEEN_CHARS, SENTENCE_CHARS, InTheRound, Relationship, TalkedOf, TalkOver, TalkRound
from npc_server.mind.retrieve import memory_line
from npc_server.records import Emotion, GameTime, Memory, MemoryKind, Social, Source, Talk, TalkPart

NOTHING = "nothing"
_NO_MOOD = (Emotion.NEUTRAL.value, NOTHING)
PAUSE_S = 10 * clock.MINUTE
"""Game seconds of silence after which a talk with a player is over."""


@dataclass(frozen=True)
class TalkResult:
    """What a mind keeps of a talk with one person."""

    about: str
    told: tuple[str, ...]
    promised: str
    """What the NPC promised; empty for nothing."""
    revised: Social | None
    """The revised Social Memory of the other; None when the mind keeps none."""
    unseen: tuple[Memory, ...]
    """The memories besides the talk that the revision includes."""
    source: Source


async def talk_over(mind: Mind, talk: Talk, other: str, about: str, told: Sequence[str], now: GameTime) -> TalkResult:
    """Asks one question for the topic, the facts told and the relationship. `about` and `told` are instinct's answers."""
    former, before = relationships.of(mind, other), _part(mind, talk, other)
    mind.relationships.summed_up.pop(other, None)
    rest = replace(talk, lines=talk.lines[before.lines :])
    if before.lines and not rest.lines:
        return TalkResult(before.about, before.told, before.promised, former, (), Source.MODEL)
    plain = mind.instinct.talk_relation(mind, former, told, now)
    about, facts = clipped(about, 200), tuple(clipped(fact, 200) for fact in told[:3]) or (NOTHING,)
    if not relationships.kept_by(mind):
        short = await _ask(mind, one(TalkedOf), lambda: TalkedOf(about, NOTHING, facts), talk, other, [], "", now)
        facts = facts_of(not_ones_own(mind, talk, short.value.told))
        return TalkResult(short.value.about, facts, said_if_any(short.value.promised), None, (), short.source)
    unseen = relationships.unseen(mind, former)
    over_by_instinct = TalkOver(about, *as_reply(mind, plain), NOTHING, facts)
    answer = await _ask(mind, one(TalkOver), lambda: over_by_instinct, rest, other, unseen, before.about, now)
    over = answer.value
    revised = plain
    if answer.source is not Source.INSTINCT:
        revised = relationships.sensible(former, over.relation, over.feeling, over.between, over.closeness)
        mind.feelings.mood = mood.left_by_talk(mind.feelings.mood, over.mood, now, said_if_any(over.because))
    told = facts_of([*before.told, *not_ones_own(mind, talk, over.told)])
    promised = said_if_any(over.promised) or before.promised
    return TalkResult(over.about, told, promised, _steady(revised, before), tuple(unseen), answer.source)


async def talk_overs(mind: Mind, talk: Talk, others: Sequence[str], heard: Talk, now: GameTime) -> dict[str, TalkResult]:
    """Asks what stays of a talk with each of the others: once for all who said something, or else one by one.

    `heard` has the lines from which instinct answers.
    """
    speaking = [other for other in others if not _is_silent(mind, talk, other)]
    found = await _round(mind, talk, speaking, heard, now) if talk_round.in_one_question(mind, speaking) else {}
    about = mind.instinct.talk_summary(mind, heard).summary
    for other in others:
        if other not in found:
            found[other] = await talk_over(mind, talk, other, about, await mind.instinct.talk_claims(mind, heard, other), now)
    return {other: found[other] for other in others}


def _is_silent(mind: Mind, talk: Talk, other: str) -> bool:
    """Whether the other has said nothing since the talk was summed up."""
    before = _part(mind, talk, other)
    return before.lines > 0 and not any(line.speaker == other for line in talk.lines[before.lines :])


async def _round(mind: Mind, talk: Talk, others: Sequence[str], heard: Talk, now: GameTime) -> dict[str, TalkResult]:
    """What stays of a talk with several, in one question."""
    before = {other: _part(mind, talk, other) for other in others}
    for other in others:
        mind.relationships.summed_up.pop(other, None)
    former = {other: relationships.of(mind, other) for other in others}
    unseen = {other: relationships.unseen(mind, former[other]) for other in others}
    claims = {other: await mind.instinct.talk_claims(mind, heard, other) for other in others}
    told = {other: tuple(clipped(fact, SENTENCE_CHARS) for fact in claims[other][:3]) for other in others}
    plain = {other: mind.instinct.talk_relation(mind, former[other], told[other], now) for other in others}
    by_instinct = TalkRound(clipped(mind.instinct.talk_summary(mind, heard).summary, SENTENCE_CHARS), *_NO_MOOD, NOTHING, ())
    rows = {
        other: InTheRound("", *as_reply(mind, plain[other])[:4], clipped(" ".join(map(ended, told[other])), SENTENCE_CHARS, NOTHING))
        for other in others
    }
    rest = replace(talk, lines=talk.lines[min(part.lines for part in before.values()) :])
    earlier = next((part.about for part in before.values() if part.about), "")
    seen = [memory for other in others for memory in unseen[other]]
    shown = [earlier, *(memory_line(mind, memory, now) for memory in seen)]
    answer = await talk_round.ask_round(
        mind, rest, rows, by_instinct, seen, earlier, now, lambda it: strange_name(mind, talk, _told_in(it), shown)
    )
    over, is_asked = answer.value, answer.source is not Source.INSTINCT
    if is_asked:
        mind.feelings.mood = mood.left_by_talk(mind.feelings.mood, over.mood, now, said_if_any(over.because))
    lines = {person.person: person for person in over.person}
    found: dict[str, TalkResult] = {}
    for other, name in talk_round.first_names(mind, others).items():
        line, part = lines[name], before[other]
        revised = relationships.sensible(former[other], line.relation, line.feeling, line.between, line.closeness)
        facts = facts_of([*part.told, *(not_ones_own(mind, talk, [line.told]) if is_asked else told[other])])
        promised = said_if_any(over.promised) or part.promised
        kept = _steady(revised if is_asked else plain[other], part)
        found[other] = TalkResult(over.about, facts, promised, kept, tuple(unseen[other]), answer.source)
    return found


async def revise_during(mind: Mind, talk: Talk, now: GameTime) -> None:
    """Revises the Social Memory of each other speaker when the talk has grown by `mind.social_memory_lines` lines.

    Only a model is asked. What it says of topic and facts is kept until the talk is over.
    """
    if mind.answerer.singly or not _asks_during(mind, "talk_over"):
        return
    parts, count, due = {}, len(talk.lines), list[str]()
    for other in dict.fromkeys(line.speaker for line in talk.lines if line.speaker != mind.npc):
        parts[other] = part = _part(mind, talk, other)
        said_more = any(line.speaker == other for line in talk.lines[part.lines :])
        if count - part.asked >= mind.settings.social_memory_lines and said_more:
            due.append(other)
    if not due:
        return
    so_far = replace(talk, lines=talk.lines[min(parts[other].lines for other in due) :])
    for other, result in (await talk_overs(mind, talk, due, so_far, now)).items():
        part = replace(parts[other], asked=count)
        if result.revised is not None and result.source is not Source.INSTINCT:
            relationships.keep(mind, result.revised, result.unseen, now, mood_named=True)
            part = replace(part, lines=count, about=result.about, told=result.told, promised=result.promised)
        mind.relationships.summed_up[other] = part


async def revise(
    mind: Mind, other: str, now: GameTime, told: Sequence[str] = (), *, most: int = relationships.UNSEEN, by_model_only: bool = False
) -> Social | None:
    """Revises the Social Memory of the other with the latest `most` memories since the last revision, in a question of its own.

    Returns None when there are none. Instinct, when no model answers, goes by the facts in `told`; with `by_model_only` nothing changes.
    """
    former = relationships.of(mind, other)
    unseen = relationships.unseen(mind, former, most)
    if not unseen or not relationships.kept_by(mind):
        return None
    plain = mind.instinct.talk_relation(mind, former, told, now)
    answer = await ask(
        mind,
        "talk_relation",
        one(Relationship),
        lambda: Relationship(*as_reply(mind, plain)),
        now,
        max_tokens=220,
        other=mind.people.name_of(other),
        between=relationships.line(mind, other),
        unseen=[memory_line(mind, memory, now) for memory in unseen],
    )
    if by_model_only and answer.source is Source.INSTINCT:
        return None
    it = answer.value
    revised = plain
    if answer.source is not Source.INSTINCT:
        revised = relationships.sensible(former, it.relation, it.feeling, it.between, it.closeness)
        mind.feelings.mood = mood.left_by_talk(mind.feelings.mood, it.mood, now, said_if_any(it.because))
    revised = _steady(revised, mind.relationships.summed_up.get(other))
    relationships.keep(mind, revised, unseen, now, mood_named=answer.source is not Source.INSTINCT)
    return revised


async def renew(mind: Mind, now: GameTime) -> None:
    """Revises each Social Memory whose summary included a memory that was edited or deleted since."""
    others = [who for who in mind.reflecting.outdated if who != mind.npc]
    mind.reflecting.outdated = tuple(who for who in mind.reflecting.outdated if who == mind.npc)
    for who in others:
        await revise(mind, who, now)


async def revise_after_players(mind: Mind, talked: Sequence[tuple[str, GameTime]], now: GameTime) -> None:
    """Revises the Social Memory of each player who has said nothing for `PAUSE_S`. `talked` says who last talked, and when.

    A talk that goes on is revised, too, when it has grown by `mind.social_memory_lines` lines and a model answers.
    """
    if not relationships.kept_by(mind):
        return
    most = max(relationships.UNSEEN, mind.settings.social_memory_lines)
    for who, at in talked:
        if who in mind.people.names:
            continue
        if now < at + PAUSE_S:
            if is_due_during(mind, who):
                part = mind.relationships.summed_up.get(who) or TalkPart("", relationships.closeness(mind, who))
                mind.relationships.summed_up[who] = replace(part, asked=mind.stream.next_id() - 1)
                await revise(mind, who, now, most=most, by_model_only=True)
            continue
        if at >= relationships.of(mind, who).at:
            told = [memory.text for memory in relationships.unseen(mind, relationships.of(mind, who)) if memory.source_person == who]
            if await revise(mind, who, now, told, most=most) is None:  # An undo took all of their lines back.
                relationships.keep(mind, relationships.of(mind, who), [], now)
        mind.relationships.summed_up.pop(who, None)


def is_due_during(mind: Mind, player: str) -> bool:
    """Returns whether a talk with a player has grown by so many lines that its Social Memory is revised while it goes on."""
    lines = mind.settings.social_memory_lines
    if not _asks_during(mind, "talk_relation"):
        return False
    asked = mind.relationships.summed_up[player].asked if player in mind.relationships.summed_up else 0
    unseen = relationships.unseen(mind, relationships.of(mind, player), lines)
    return sum(memory.kind is MemoryKind.CONVERSATION and memory.id > asked for memory in unseen) >= lines


def facts_of(told: Sequence[str]) -> tuple[str, ...]:
    """Returns each fact once, without `nothing`."""
    return tuple(dict.fromkeys(fact for fact in told if fact.strip(" .'\"").casefold() != NOTHING))


def said_if_any(said: str) -> str:
    """Returns what was said; empty for `nothing`."""
    return "".join(facts_of([said]))


def _asks_during(mind: Mind, question: str) -> bool:
    """Returns whether talks are summed up while they go on."""
    return mind.settings.social_memory_lines > 0 and relationships.kept_by(mind) and mind.answerer.asks(question)


def _part(mind: Mind, talk: Talk, other: str) -> TalkPart:
    """Returns what the mind has summed up of this talk with the other so far."""
    part = mind.relationships.summed_up.get(other)
    return part if part is not None and part.talk == talk.id else TalkPart(talk.id, relationships.closeness(mind, other))


def _steady(revised: Social, before: TalkPart | None) -> Social:
    """Returns the record with a closeness that moves by at most `MOST_MOVE` in one talk, however often the talk is summed up."""
    if before is None:
        return revised
    low, high = before.closeness - relationships.MOST_MOVE, before.closeness + relationships.MOST_MOVE
    return replace(revised, closeness=max(low, min(high, revised.closeness)))


async def _ask(
    mind: Mind,
    reply: ReplyType[R],
    instinct: Callable[[], R],
    talk: Talk,
    other: str,
    unseen: Sequence[Memory],
    earlier: str,
    now: GameTime,
) -> Answer[R]:
    seen = [memory_line(mind, memory, now) for memory in unseen]
    return await ask(
        mind,
        "talk_over",
        reply,
        instinct,
        now,
        max_tokens=360 if relationships.kept_by(mind) else 180,
        other=mind.people.name_of(other),
        others=[mind.people.name_of(person) for person in mind.others_in(talk)],
        between=relationships.line(mind, other) if relationships.kept_by(mind) else "",
        unseen=seen,
        earlier=earlier,
        dialogue=mind.dialogue(talk.lines),  # by names, as the answer is to be written
        check=None if mind.tools.engine.status().stands_in else lambda it: strange_name(mind, talk, _told_in(it), (earlier, *seen)),
    )


def strange_name(mind: Mind, talk: Talk, told: Sequence[str], shown: Sequence[str]) -> str:
    """What is wrong with a summary that names somebody of whom neither the talk nor the rest of the prompt speaks; empty if nothing is."""
    spoken_of = " ".join([*(line.text for line in talk.lines), *map(mind.people.name_of, talk.people), *shown])
    known = {*talk.people, *others_named(mind, spoken_of)}
    strange = next((who for text in told for who in others_named(mind, text) if who not in known), None)
    return f"names {mind.people.name_of(strange)}, of whom nobody spoke" if strange else ""


def not_ones_own(mind: Mind, talk: Talk, told: Sequence[str]) -> tuple[str, ...]:
    """The facts told without those that say what only the NPC itself said: they are no news to it."""
    own = [line.text for line in talk.lines if line.speaker == mind.npc]
    others = [line.text for line in talk.lines if line.speaker != mind.npc]
    return tuple(fact for fact in told if not (said_in(fact, own) > max(SAME_WORDS, said_in(fact, others))))


def _told_in(over: object) -> list[str]:
    """The parts of an answer that tell of the talk."""
    if isinstance(over, TalkRound):
        return [over.about, over.promised, *(person.told for person in over.person)]
    return [over.about, over.promised, *over.told] if isinstance(over, (TalkOver, TalkedOf)) else []


def as_reply(mind: Mind, plain: Social) -> tuple[str, str, str, int, str, str]:
    """Returns what instinct keeps, in the parts of a model's answer: relationship, feeling, key facts, closeness, and no mood."""
    feeling = plain.feeling or f"{mind.persona.first_name} has no strong feelings about {mind.people.first_name_of(plain.other)} yet."
    return (
        clipped(plain.relation, 60, relationships.ACQUAINTANCE),
        clipped(feeling, 160),
        clipped(plain.between, BETWEEN_CHARS, "They talked."),
        plain.closeness,
        Emotion.NEUTRAL.value,
        NOTHING,
    )
