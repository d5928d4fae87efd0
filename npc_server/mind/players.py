"""Players near the NPC who are free to talk, and what brings the NPC to them.

The save does not keep who is near. The game reports players again when it opens or loads a save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from npc_server import clock
from npc_server.english.text import PROMISED
from npc_server.mind import appointments, relationships
from npc_server.mind.mind import Mind
from npc_server.records import GameEvent, GameTime, Memory, MemoryKind, MemorySource, Perception, PlayerPresence, Whereabouts

REMINDS_S = clock.HOUR
"""Game seconds before an appointment from which on the NPC reminds the player of it."""
TALKS_SEARCHED = 20
"""Latest memories of a player among which a talk of today is looked for."""


def notice(mind: Mind, events: Iterable[GameEvent]) -> bool:
    """Takes in from the reports of the game which players are near and free to talk. Returns whether one came."""
    before = set(mind.talks.players)
    for event in events:
        if isinstance(event, Whereabouts) and event.player_distance < 0:
            mind.talks.players.clear()
        elif isinstance(event, Perception) and event.player is PlayerPresence.FREE:
            mind.talks.players.setdefault(event.subject, frozenset())
        elif isinstance(event, Perception) and event.player is not None:
            mind.talks.players.pop(event.subject, None)
    return bool(mind.talks.players.keys() - before)


def with_due_promise(mind: Mind, noticed: Sequence[Memory], now: GameTime, may_talk: Callable[[str], bool]) -> list[Memory]:
    """What was noticed, and what comes to mind near a player to whom the NPC has promised something that is due.

    Each promise comes to its mind once while the player is near, as a memory with the id 0. What matters more goes first.
    """
    weightier = any(memory.importance > appointments.PROMISE_IMPORTANCE for memory in noticed)
    due = None if weightier else _due_promise(mind, now, may_talk)
    return [*noticed, due] if due is not None else list(noticed)


def _due_promise(mind: Mind, now: GameTime, may_talk: Callable[[str], bool]) -> Memory | None:
    for player, considered in mind.talks.players.items():
        due = [step for step in appointments.coming(mind, now) if step.start <= now + REMINDS_S and step.id not in considered]
        for step in due if may_talk(player) else ():
            promise = appointments.promise_of(mind, step, player)
            if promise:
                mind.talks.players[player] = considered | {step.id}
                return _in_mind(mind, player, promise, now)
    return None


def _in_mind(mind: Mind, player: str, promise: str, now: GameTime) -> Memory:
    kind, source = MemoryKind.OBSERVATION, MemorySource.THOUGHT
    text, weight = f"{player} is here. {promise}", appointments.PROMISE_IMPORTANCE
    return Memory(mind.npc, 0, kind, text, now, now, weight, player, PROMISED, promise, source)


def is_due_promise(memory: Memory) -> bool:
    """Whether it comes from `with_due_promise`. Its object is the promise, as a sentence."""
    return memory.id == 0 and memory.predicate == PROMISED


def forget_considered(mind: Mind, player: str) -> None:
    """Lets promises to a player come to mind again, because the NPC could not come up to the player."""
    if player in mind.talks.players:
        mind.talks.players[player] = frozenset()


def would_greet(mind: Mind, player: str, now: GameTime) -> bool:
    """Whether the NPC greets a player where no model decides: whom it knows, and has not talked with today."""
    if relationships.of(mind, player).relation == relationships.STRANGER:
        return False
    lately = mind.stream.about(mind.people.name_of(player), TALKS_SEARCHED)
    return not any(memory.kind is MemoryKind.CONVERSATION and memory.created >= mind.day_of(now) for memory in lately)
