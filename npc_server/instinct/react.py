"""Reacting without a model: repairs, then reflexes, then the mood for a talk (Generative Agents, section 4.3.1)."""

from __future__ import annotations

from npc_server.instinct import reflexes
from npc_server.instinct.importance import EVERYDAY
from npc_server.instinct.repairs import remedy_seen, repair
from npc_server.mind import players, relationships
from npc_server.mind.instinct import MOOD_S, WORTH_ASKING, Errand, Reaction
from npc_server.mind.mind import Mind
from npc_server.mind.replies import CHANGE, CONTINUE, TALK, WAIT
from npc_server.records import Address, GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, NpcId, Source

TALKS_BELOW = 5
"""Chance in 20 to talk to a stranger. Closeness adds to it."""
ASKED_BELOW = 7
"""Chance in 20 to ask the model about an everyday sight of a stranger. Closeness adds to it."""
WATCH_MIN = 1
"""Game minutes for which an NPC watches what a player does."""
LOOK_BACK = 20
"""Latest observations that are searched for an earlier sight of somebody."""


def react(mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> Reaction:
    """A reaction for a reason; else a talk when in the mood for it, or nothing."""
    if who in mind.talks.players:
        return _to_player(mind, memory, who, doing, here, now)
    if memory.topic is MemoryTopic.PLAYER_DID:
        return _with_reason(mind, memory, who, doing, here, now) or _looks_up(mind, memory, here, now)
    return _with_reason(mind, memory, who, doing, here, now) or _in_the_mood(mind, memory, who, now)


def _to_player(mind: Mind, memory: Memory, player: str, doing: str, here: Address, now: GameTime) -> Reaction:
    """A talk about a promise that is due, another reaction for a reason, or a greeting once a day."""
    if players.is_due_promise(memory):
        return Reaction(TALK, Source.INSTINCT, player, memory.object)
    found = _with_reason(mind, memory, player, doing, here, now)
    if found is not None:
        return found
    if memory.topic is MemoryTopic.PLAYER_DID and memory.importance > EVERYDAY:
        return (
            Reaction(TALK, Source.INSTINCT, player, memory.text)
            if memory.importance >= WORTH_ASKING
            else _looks_up(mind, memory, here, now)
        )
    return Reaction(TALK if players.would_greet(mind, player, now) else CONTINUE, Source.INSTINCT, player, is_reasoned=False)


def _looks_up(mind: Mind, memory: Memory, here: Address, now: GameTime) -> Reaction:
    """The NPC watches for a moment what a player does, unless that is an everyday thing, or it has just done so."""
    about = f"watching {memory.subject}"
    if memory.importance <= EVERYDAY or any(step.text == about and step.end > now - MOOD_S for step in mind.plan.steps):
        return Reaction(CONTINUE, Source.INSTINCT, is_reasoned=False)
    return Reaction(WAIT, Source.INSTINCT, "", about, (Errand(WATCH_MIN, about, here),))


def lets_pass(mind: Mind, memory: Memory, who: NpcId, plain: Reaction, now: GameTime) -> bool:
    """Whether nobody would react, so that the model need not be asked: everyday doings of others, and ordinary objects."""
    # What others say to each other is no call for help, however grave it is.
    matters = memory.importance >= WORTH_ASKING and memory.source is not MemorySource.HEARD
    if plain.kind in (CHANGE, WAIT) or matters or remedy_seen(mind, memory) is not None:
        return False
    if memory.topic is MemoryTopic.PLAYER_DID and who:  # players do things to see what people make of it
        return False
    if not who:  # nobody to talk to, and nothing that matters
        return True
    in_no_mood = plain.kind != TALK and _mood(mind, who, now) >= ASKED_BELOW + relationships.closeness(mind, who)
    return in_no_mood or _seen_a_moment_ago(mind, memory, now)


def _with_reason(mind: Mind, memory: Memory, who: NpcId, doing: str, here: Address, now: GameTime) -> Reaction | None:
    """A reaction for a reason; None when there is no reason."""
    mended, later = repair(mind, memory, now)
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
    """A talk for no reason, or nothing. Closeness makes talks more likely. The save's seed decides, so runs are repeatable."""
    if who and _mood(mind, who, now) < TALKS_BELOW + relationships.closeness(mind, who):
        return Reaction(TALK, Source.INSTINCT, who, memory.text, is_reasoned=False)
    return Reaction(CONTINUE, Source.INSTINCT, is_reasoned=False)


def _mood(mind: Mind, who: NpcId, now: GameTime) -> int:
    """From 0 (in the mood for that person's company) to 19. It changes every ten game minutes."""
    return mind.seed_for("talk", who, now // MOOD_S) % 20


def _seen_a_moment_ago(mind: Mind, memory: Memory, now: GameTime) -> bool:
    """Whether the same person was noticed before in the same ten minutes. An NPC reacts to somebody once."""
    lately = mind.stream.latest(LOOK_BACK, (MemoryKind.OBSERVATION,))
    return any(m.subject == memory.subject and (m.id < memory.id or not memory.id) and m.created // MOOD_S == now // MOOD_S for m in lately)
