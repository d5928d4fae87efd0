"""React: whether something noticed interrupts what one is doing (Generative Agents, section 4.3.1).

The answer is to continue, to wait, to do something else for a while, or to talk. Talking is offered only when somebody can be spoken to.
Objects count as much as people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from npc_server import clock
from npc_server.affordable import mind_wandering
from npc_server.english.text import ON_THE_WAY, clipped
from npc_server.llm.reply import Choice, one
from npc_server.mind import appointments, relationships, surroundings
from npc_server.mind.ask import Answer, ask
from npc_server.mind.instinct import MENDING_MIN, MOOD_S, WORTH_ASKING, Errand, Reaction
from npc_server.mind.mind import Mind
from npc_server.mind.moment import moment
from npc_server.mind.named import without_name
from npc_server.mind.places import room_of
from npc_server.mind.replies import CHANGE, CONTINUE, NOTHING, TALK, WAIT, ReactReply
from npc_server.mind.retrieve import as_lines, for_prompt, on_topic
from npc_server.records import Address, GameTime, Memory, MemoryKind, MemorySource, NpcId, PlanStep, Source, TalkWish
from npc_server.world.tree import lies_in

WORTH_A_LOOK = 2
"""Least importance of a thing that can interrupt anybody; people always can."""
MANY, FEW = 8, 2
"""Memories shown, and those shown beside Social Memory."""
FAR_CHARS = 120
"""Characters of each of them where no player is near."""
WISH_KEPT_S = clock.DAY
"""Game seconds for which a wish to talk is kept for the next meeting."""
SIGHTS_SEARCHED = 50
"""Latest observations among which somebody is looked for who came to an appointment first."""


PARTED_S = 5 * clock.MINUTE
"""Game seconds after a talk in which nobody begins another with the same person, unless something that matters has happened."""


async def react(
    mind: Mind,
    noticed: Sequence[Memory],
    doing: str,
    here: Address,
    now: GameTime,
    may_talk: Callable[[NpcId], bool],
    talked: Sequence[tuple[str, GameTime]] = (),
) -> Reaction | None:
    """The reaction to the one new observation that matters most; None to continue. `may_talk` says who can be spoken to now.

    `doing` is empty for an NPC that is about to begin something. `talked` says with whom it talked, and when that began.
    """
    noticed = still_true(mind, noticed, now)
    met = _met_as_agreed(mind, noticed, here, now, talked)
    if met is not None:
        return met
    chosen = _focus(mind, noticed, now, may_talk, talked)
    if chosen is None:
        return None
    memory, who = chosen
    plain = mind.instinct.react(mind, memory, who, doing, here, now)
    if mind.settings.uses("calm_reactions") and mind.answerer.asks("react"):
        wanted = mind.relationships.talk_wanted.get(who) if who else None
        if wanted is not None and now - wanted.at <= WISH_KEPT_S:
            return Reaction(TALK, Source.MODEL, who, wanted.about)  # it did not come to it; there is nothing new to ask
        if mind.instinct.lets_pass(mind, memory, who, plain, now):
            return None
        if not doing and not who and memory.importance < WORTH_ASKING:
            return None  # nothing is interrupted: what is done next is chosen with all that is seen
    baseline = mind.answerer.reference
    if baseline:
        return await baseline.react(mind, memory, who, plain, doing, here, now)
    answer = await _asked(mind, memory, who, plain, doing, here, now)
    if answer.source is Source.INSTINCT:
        mind.add_steps(plain.later)
        return plain if plain.kind != CONTINUE else None
    reaction = _of_model(answer.value, plain, who, here)
    if reaction is not None and reaction.kind == TALK:
        mind.relationships.talk_wanted[who] = TalkWish(who, reaction.about, now)
    return reaction


async def _asked(mind: Mind, memory: Memory, who: NpcId, plain: Reaction, doing: str, here: Address, now: GameTime) -> Answer[ReactReply]:
    """The model's reaction. Its context is what the observer and the observed are to each other, and memories (section 4.3.1)."""
    kinds = (CONTINUE, WAIT, CHANGE, TALK) if who else (CONTINUE, WAIT, CHANGE)
    return await ask(
        mind,
        "react",
        one(ReactReply, reaction=Choice(kinds)),
        lambda: ReactReply(plain.kind, MENDING_MIN if plain.errands else 1, clipped(plain.about, 120, NOTHING)),
        now,
        max_tokens=70,
        **await _context(mind, memory, who, doing, here, now) if mind.answerer.asks("react") else {},
    )


async def _context(mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> dict[str, Any]:
    """What the prompt tells besides who the NPC is."""
    with_social = who != "" and relationships.kept_by(mind)
    if with_social:
        about = await on_topic(mind, "react", memory.text, now, FEW)
    else:
        topic = f"What is {mind.persona.first_name}'s relationship with {memory.subject}?" if who else memory.text
        about = await for_prompt(mind, "react", topic, now, MANY)
    most = FAR_CHARS if mind.budget.far else 0
    memories = as_lines(mind, [scored for scored in about if scored.memory.id != memory.id], now, most)
    between_them = moment(mind, now, [who] if who in mind.talks.players else [], hours=0, place=here)
    return {
        "observation": memory.text,
        "other": mind.people.name_of(who) if who else "",
        "doing": _under_way(mind) or without_name(mind, doing).removeprefix("is ") or "nothing at the moment",
        "here": surroundings.whereabouts(mind, here),
        "between": relationships.line(mind, who) if with_social else "",
        "met": between_them.met,
        "promises": between_them.promises,
        "memories": memories,
        "wandering": mind_wandering.crossing(mind, "react", memory.id, now, [*memories, memory.text]),
    }


def _met_as_agreed(
    mind: Mind, noticed: Sequence[Memory], here: Address, now: GameTime, talked: Sequence[tuple[str, GameTime]]
) -> Reaction | None:
    """A talk with somebody with whom the NPC is here by appointment, once for each appointment. No model has to be asked for that.

    It does not matter how long ago they last talked: they meet because of that talk.
    """
    step = appointments.due(mind, now)
    if step is None or not lies_in(here, step.address):
        return None
    for who in step.people:
        if who not in mind.people.names and who not in mind.talks.players:
            continue
        since = step.start - MOOD_S  # who talked on the way there has met
        has_met = any(person == who and at > since for person, at in talked)
        if not has_met and not _just_parted(mind, who, now, talked) and _is_here(mind, noticed, who, step):
            return Reaction(TALK, Source.INSTINCT, who, step.text)
    return None


def _just_parted(mind: Mind, who: str, now: GameTime, talked: Sequence[tuple[str, GameTime]]) -> bool:
    """Whether a talk with them ended, or was begun, a moment ago."""
    ended = [deed.end for deed in mind.lifestyle.deeds if who in deed.talked_with]
    return any(now < at + PARTED_S for at in (*ended, *(at for person, at in talked if person == who)))


def _is_here(mind: Mind, noticed: Sequence[Memory], who: str, step: PlanStep) -> bool:
    """Whether somebody is in sight, or was last seen at the place of the appointment since it began. Who has left is not found there."""
    name = mind.people.name_of(who)
    if who in mind.talks.players or any(memory.subject == name for memory in noticed):
        return True
    sights = mind.stream.latest(SIGHTS_SEARCHED, (MemoryKind.OBSERVATION,))
    seen = next((memory for memory in sights if memory.subject == name and memory.created >= step.start), None)
    return not noticed and seen is not None and lies_in(seen.address, step.address) and seen.object != ON_THE_WAY


def still_true(mind: Mind, noticed: Sequence[Memory], now: GameTime) -> list[Memory]:
    """What was noticed without what is over by now: older sights of the same, states that have changed, and people who are gone.

    A thought may take in what happened while the one before it waited for the model.
    """
    newest = {memory.subject: memory for memory in noticed if memory.source is MemorySource.SEEN and memory.subject}
    seen = [memory for memory in newest.values() if memory.address in mind.world]
    room = room_of(mind.world, max(seen, key=lambda memory: memory.created).address) if seen else ""
    return [
        memory
        for memory in noticed
        if memory.source is not MemorySource.SEEN
        or not (
            newest.get(memory.subject, memory) is not memory or surroundings.has_changed(mind, memory) or _is_gone(mind, memory, room, now)
        )
    ]


def _is_gone(mind: Mind, memory: Memory, room: Address, now: GameTime) -> bool:
    """Whether somebody was seen in a room that the NPC has left since, or long ago."""
    if memory.subject not in mind.people.names.values():
        return False
    elsewhere = memory.address in mind.world and room not in ("", room_of(mind.world, memory.address))
    return elsewhere or now - memory.created > MOOD_S


def _under_way(mind: Mind) -> str:
    """What it is on the way to do, and where, or has just done; empty while it does something."""
    deed = mind.lifestyle.deeds[-1] if mind.lifestyle.deeds else None
    if deed is not None and deed.end:
        return f"nothing at the moment (just done: {deed.text})"
    if deed is None or deed.arrived or deed.address not in mind.world:
        return ""
    return f"you are on the way to {mind.world.describe(deed.address)} (your plan there: {deed.text})"


def _of_model(answer: ReactReply, plain: Reaction, who: NpcId, here: Address) -> Reaction | None:
    what = answer.what.strip(" .")
    if plain.is_reasoned and plain.kind != CONTINUE and (answer.reaction, what) == (plain.kind, clipped(plain.about, 120, NOTHING)):
        return replace(plain, source=Source.MODEL)  # instinct knows where, and what comes first
    if answer.reaction == TALK and who:
        return Reaction(TALK, Source.MODEL, who, what)
    if answer.reaction == WAIT:
        return Reaction(WAIT, Source.MODEL, "", what, (Errand(answer.minutes, f"waiting: {what}", here),))
    if answer.reaction == CHANGE and what.casefold() != NOTHING:
        return Reaction(CHANGE, Source.MODEL, "", what, (Errand(answer.minutes, what),))
    return None


def _focus(
    mind: Mind, noticed: Sequence[Memory], now: GameTime, may_talk: Callable[[NpcId], bool], talked: Sequence[tuple[str, GameTime]]
) -> tuple[Memory, NpcId] | None:
    """The observation to react to, and whom it is of when one could talk to them: what matters most, then people, then the newest.

    Those who have only just parted talk again only about something that matters.
    """
    ids = {name: npc for npc, name in mind.people.names.items()} | {player: player for player in mind.talks.players}
    best: tuple[tuple[int, bool, int], Memory, NpcId] | None = None
    for memory in noticed:
        who = ids.get(memory.subject, "")
        who = who if who and may_talk(who) and (memory.importance >= WORTH_ASKING or not _just_parted(mind, who, now, talked)) else ""
        if memory.importance < WORTH_A_LOOK and not who:
            continue
        rank = (memory.importance, bool(who), memory.id)
        if best is None or rank > best[0]:
            best = (rank, memory, who)
    return (best[1], best[2]) if best else None
