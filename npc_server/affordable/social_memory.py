"""What stays of a talk with one person: what it was about, what was told, and what the two are to each other now (AGA, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npc_server import clock
from npc_server.english.text import clipped
from npc_server.llm.reply import ReplyType, one
from npc_server.mind import relationships
from npc_server.mind.ask import Answer, R, ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import BETWEEN_CHARS, Relationship, TalkedOf, TalkOver
from npc_server.mind.retrieve import memory_line
from npc_server.records import GameTime, Memory, Social, Source, Talk

NOTHING = "nothing"
PAUSE_S = 10 * clock.MINUTE
"""Game seconds of silence after which a talk with a player is over."""


@dataclass(frozen=True)
class TalkResult:
    about: str
    told: tuple[str, ...]
    promised: str
    """What the NPC promised; empty for nothing."""
    revised: Social | None
    """What the other is from now on; None where no Social Memory is kept."""
    unseen: tuple[Memory, ...]
    """What it took in besides the talk."""


async def talk_over(mind: Mind, talk: Talk, other: str, about: str, told: Sequence[str], now: GameTime) -> TalkResult:
    """One question for all of it. `about` and `told` are what instinct says of the talk."""
    former = relationships.of(mind, other)
    plain = mind.instinct.talk_relation(mind, former, told, now)
    about, facts = clipped(about, 200), tuple(clipped(fact, 200) for fact in told[:3]) or (NOTHING,)
    if not relationships.kept_by(mind):
        short = await _ask(mind, one(TalkedOf), lambda: TalkedOf(about, NOTHING, facts), talk, other, [], now)
        return TalkResult(short.value.about, facts_of(short.value.told), "".join(facts_of([short.value.promised])), None, ())
    unseen = relationships.unseen(mind, former)
    answer = await _ask(mind, one(TalkOver), lambda: TalkOver(about, *as_reply(mind, plain), NOTHING, facts), talk, other, unseen, now)
    over = answer.value
    revised = plain
    if answer.source is not Source.INSTINCT:
        revised = relationships.sensible(former, over.relation, over.feeling, over.between, over.closeness)
    return TalkResult(over.about, facts_of(over.told), "".join(facts_of([over.promised])), revised, tuple(unseen))


async def revise(mind: Mind, other: str, now: GameTime, told: Sequence[str] = ()) -> Social | None:
    """Takes in what was noticed of the other since, in a question of its own. None when nothing was. `told` is what instinct goes by."""
    former = relationships.of(mind, other)
    unseen = relationships.unseen(mind, former)
    if not unseen or not relationships.kept_by(mind):
        return None
    plain = mind.instinct.talk_relation(mind, former, told, now)
    answer = await ask(
        mind,
        "talk_relation",
        one(Relationship),
        lambda: Relationship(*as_reply(mind, plain)),
        now,
        max_tokens=180,
        other=mind.name_of(other),
        between=relationships.line(mind, other),
        unseen=[memory_line(mind, memory, now) for memory in unseen],
    )
    it = answer.value
    revised = (
        plain if answer.source is Source.INSTINCT else relationships.sensible(former, it.relation, it.feeling, it.between, it.closeness)
    )
    relationships.keep(mind, revised, unseen, now)
    return revised


async def revise_after_players(mind: Mind, talked: Sequence[tuple[str, GameTime]], now: GameTime) -> None:
    """What players said is taken in when their talk is over: when they have said nothing for a while. `talked` has who last talked when."""
    if not relationships.kept_by(mind):
        return
    for who, at in talked:
        if who in mind.names or now < at + PAUSE_S or at < relationships.of(mind, who).at:
            continue
        told = [memory.text for memory in relationships.unseen(mind, relationships.of(mind, who)) if memory.source_person == who]
        if await revise(mind, who, now, told) is None:  # all of it was taken back
            relationships.keep(mind, relationships.of(mind, who), [], now)


def facts_of(told: Sequence[str]) -> tuple[str, ...]:
    """What was told, once each, without `nothing`."""
    return tuple(dict.fromkeys(fact for fact in told if fact.strip(" .'\"").casefold() != NOTHING))


async def _ask(
    mind: Mind, reply: ReplyType[R], instinct: Callable[[], R], talk: Talk, other: str, unseen: Sequence[Memory], now: GameTime
) -> Answer[R]:
    return await ask(
        mind,
        "talk_over",
        reply,
        instinct,
        now,
        max_tokens=320 if relationships.kept_by(mind) else 180,
        other=mind.name_of(other),
        others=[mind.name_of(person) for person in mind.others_in(talk)],
        between=relationships.line(mind, other) if relationships.kept_by(mind) else "",
        unseen=[memory_line(mind, memory, now) for memory in unseen],
        dialogue=mind.dialogue(talk.lines, own="You"),
    )


def as_reply(mind: Mind, plain: Social) -> tuple[str, str, str, int]:
    """What instinct keeps, as a whole answer."""
    feeling = plain.feeling or f"{mind.persona.first_name} has no strong feelings about {mind.first_name_of(plain.other)} yet."
    return (
        clipped(plain.relation, 60, relationships.ACQUAINTANCE),
        clipped(feeling, 160),
        clipped(plain.between, BETWEEN_CHARS, "They talked."),
        plain.closeness,
    )
