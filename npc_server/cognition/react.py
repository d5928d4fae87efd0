"""React: whether something noticed interrupts what one is doing (Generative Agents, section 4.3.1).

The answer is to continue, to wait, to change the plan from now on, or to talk. Objects count as much as people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from npc_server import clock
from npc_server.baseline import parts
from npc_server.baseline import react as reference_react
from npc_server.english.text import clipped
from npc_server.instinct import reflexes
from npc_server.instinct.repairs import MENDING_MIN, Errand, mend, remedy_seen
from npc_server.llm.reply import Choice, one
from npc_server.mind import relationships
from npc_server.mind.ask import ask
from npc_server.mind.mind import Mind
from npc_server.mind.replies import CHANGE, CONTINUE, TALK, WAIT, ReactReply
from npc_server.mind.retrieve import as_lines, for_prompt, on_topic
from npc_server.records import Address, GameTime, Memory, MemoryKind, MemorySource, NpcId, PlanStep, Source

NOTHING = "nothing"
WORTH_A_LOOK = 2
"""Least importance of a thing that can interrupt anybody; people always can."""
MOOD_S = 10 * clock.MINUTE
"""Game seconds a mood lasts."""
TALKS_BELOW = 5
"""Of 20: how often instinct talks to a stranger it may talk to. Closeness adds to it."""
ASKED_BELOW = 7
"""Of 20: how often the model is asked about an everyday sight of a stranger. Closeness adds to it."""
WORTH_ASKING = 5
"""Importance from which the model is asked in any case."""
LOOK_BACK = 20
"""Latest observations in which somebody was seen a moment ago."""
MANY, FEW = 8, 2
"""Memories shown, and those shown beside Social Memory."""


@dataclass(frozen=True)
class Reaction:
    kind: str
    source: Source
    to: NpcId = ""
    """TALK: with whom."""
    about: str = ""
    errands: tuple[Errand, ...] = ()
    """WAIT, CHANGE: what is done from now on, before the plan goes on."""
    later: tuple[PlanStep, ...] = ()
    """What has to wait, and is put into the plan for then."""


async def react(
    mind: Mind, noticed: Sequence[Memory], doing: str, here: Address, now: GameTime, may_talk: Callable[[NpcId], bool]
) -> Reaction | None:
    """The reaction to the one new observation that matters most; None to continue. `may_talk` says who can be spoken to now."""
    chosen = _focus(mind, noticed, may_talk)
    if chosen is None:
        return None
    memory, who = chosen
    reasoned = _with_reason(mind, memory, who, doing, here, now)
    plain = reasoned or _in_the_mood(mind, memory, who, now)
    if mind.settings.uses("calm_reactions") and mind.asks("react"):
        wanted = mind.talk_wanted.get(who) if who else None
        if wanted is not None and wanted[0] == now // MOOD_S:
            return Reaction(TALK, Source.MODEL, who, wanted[1])  # it did not come to it; there is nothing new to ask
        if _lets_pass(mind, memory, who, plain, now):
            return None
    if parts.is_on(mind):
        return await _as_reference(mind, memory, who, plain, doing, here, now)
    kinds = (CONTINUE, WAIT, CHANGE, TALK) if who else (CONTINUE, WAIT, CHANGE)
    with_social = who != "" and relationships.kept_by(mind)
    if with_social:
        about = await on_topic(mind, "react", memory.text, now, FEW)
    else:
        topic = f"What is {mind.persona.first_name}'s relationship with {memory.subject}?" if who else memory.text
        about = await for_prompt(mind, "react", topic, now, MANY)
    answer = await ask(
        mind,
        "react",
        one(ReactReply, reaction=Choice(kinds)),
        lambda: ReactReply(plain.kind, MENDING_MIN if plain.errands else 1, clipped(plain.about, 120, NOTHING)),
        now,
        max_tokens=70,
        observation=memory.text,
        other=mind.name_of(who) if who else "",
        doing=doing or "nothing in particular",
        here=mind.world.describe(here) if here else "",
        between=relationships.line(mind, who) if with_social else "",
        memories=as_lines(mind, [scored for scored in about if scored.memory.id != memory.id], now),
        draft=drafted(reasoned) if mind.engine.status().drafts else "",
    )
    if answer.source is Source.INSTINCT:
        mind.add_steps(plain.later)
        return plain if plain.kind != CONTINUE else None
    reaction = _of_model(answer.value, reasoned, who, here)
    if reaction is not None and reaction.kind == TALK:
        mind.talk_wanted[who] = (now // MOOD_S, reaction.about)
    return reaction


def drafted(reasoned: Reaction | reflexes.Reflex | None) -> str:
    """What instinct would do, as a prompt shows it."""
    if reasoned is None or reasoned.kind == CONTINUE:
        return CONTINUE
    return f"{reasoned.kind}: {clipped(reasoned.about, 120, NOTHING)}"


async def _as_reference(
    mind: Mind, memory: Memory, who: NpcId, plain: Reaction, doing: str, here: Address, now: GameTime
) -> Reaction | None:
    """Whether to talk to the person, then whether to wait for it; nothing is asked about things, which rules put right."""
    if not who:
        mind.add_steps(plain.later)
        return plain if plain.kind == CHANGE else None
    talks, source = await reference_react.talks(mind, memory, who, plain.kind == TALK, doing, now)
    if talks:
        return Reaction(TALK, source, who, memory.text)
    if not reference_react.after_the_same(mind, memory, now):
        return None
    waits, source = await reference_react.waits(mind, memory, who, doing, now)
    return Reaction(WAIT, source, "", memory.text, (Errand(MENDING_MIN, f"waiting for {mind.name_of(who)}", here),)) if waits else None


def _lets_pass(mind: Mind, memory: Memory, who: NpcId, plain: Reaction, now: GameTime) -> bool:
    """Whether nobody would react, so that the model need not be asked: everyday doings of others and things as they always are."""
    # To what others say to each other one listens, and goes on, however grave it is: what is told at every door is no call for help.
    matters = memory.importance >= WORTH_ASKING and memory.source is not MemorySource.HEARD
    if plain.kind in (CHANGE, WAIT) or matters or remedy_seen(mind, memory) is not None:
        return False
    if not who:  # nobody to talk to, and nothing that matters
        return True
    in_no_mood = plain.kind != TALK and _mood(mind, who, now) >= ASKED_BELOW + relationships.closeness(mind, who)
    return in_no_mood or _seen_a_moment_ago(mind, memory, now)


def _seen_a_moment_ago(mind: Mind, memory: Memory, now: GameTime) -> bool:
    """Whether the same person was noticed before in the same stretch of time: one reacts to somebody once."""
    lately = mind.stream.latest(LOOK_BACK, (MemoryKind.OBSERVATION,))
    return any(m.subject == memory.subject and m.id < memory.id and m.created // MOOD_S == now // MOOD_S for m in lately)


def _of_model(answer: ReactReply, reasoned: Reaction | None, who: NpcId, here: Address) -> Reaction | None:
    what = answer.what.strip(" .")
    if reasoned is not None and drafted(reasoned) == f"{answer.reaction}: {what}":
        return replace(reasoned, source=Source.MODEL)  # instinct knows where, and what comes first
    if answer.reaction == TALK and who:
        return Reaction(TALK, Source.MODEL, who, what)
    if answer.reaction == WAIT:
        return Reaction(WAIT, Source.MODEL, "", what, (Errand(answer.minutes, f"waiting: {what}", here),))
    if answer.reaction == CHANGE and what.casefold() != NOTHING:
        return Reaction(CHANGE, Source.MODEL, "", what, (Errand(answer.minutes, what),))
    return None


def _focus(mind: Mind, noticed: Sequence[Memory], may_talk: Callable[[NpcId], bool]) -> tuple[Memory, NpcId] | None:
    """The observation to react to, and whom it is of when one could talk to them: what matters most, then people, then the newest."""
    ids = {name: npc for npc, name in mind.names.items()}
    best: tuple[tuple[int, bool, int], Memory, NpcId] | None = None
    for memory in noticed:
        who = ids.get(memory.subject, "")
        who = who if who and may_talk(who) else ""
        if memory.importance < WORTH_A_LOOK and not who:
            continue
        rank = (memory.importance, bool(who), memory.id)
        if best is None or rank > best[0]:
            best = (rank, memory, who)
    return (best[1], best[2]) if best else None


# ---- instinct


def _with_reason(mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> Reaction | None:
    """What there is a reason for; None where there is none for anything."""
    mended, later = mend(mind, memory, now)
    if mended:
        return Reaction(CHANGE, Source.INSTINCT, "", mended[0].activity, mended)
    if later:
        return Reaction(CONTINUE, Source.INSTINCT, later=later)
    found = reflexes.reflex(mind, memory, who, doing, here, now)
    if found is None:
        return None
    if found.kind == TALK:
        return Reaction(TALK, Source.INSTINCT, who, found.about)
    errands = (Errand(found.minutes, found.about, found.address),) if found.minutes else ()
    return Reaction(found.kind, Source.INSTINCT, "", found.about, errands)


def _in_the_mood(mind: Mind, memory: Memory, who: NpcId, now: GameTime) -> Reaction:
    """To talk for no reason, or to go on."""
    if who and _feels_like_talking(mind, who, now):
        return Reaction(TALK, Source.INSTINCT, who, memory.text)
    return Reaction(CONTINUE, Source.INSTINCT)


def _feels_like_talking(mind: Mind, who: NpcId, now: GameTime) -> bool:
    """More often with those one is close to; by the save's seed, so that a run can be repeated."""
    return _mood(mind, who, now) < TALKS_BELOW + relationships.closeness(mind, who)


def _mood(mind: Mind, who: NpcId, now: GameTime) -> int:
    """From 0, in the mood for that person's company, to 19; another one every ten minutes."""
    return mind.seed_for("talk", who, now // MOOD_S) % 20
