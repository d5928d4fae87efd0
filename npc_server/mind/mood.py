"""Mood: one emotion that comes from what happened and fades (Humanoid Agents, arXiv 2310.05418).

No words are read. A failure, an important event, an empty need, and a change of closeness each stir an emotion. The model names one
when it revises the identity.
"""

from __future__ import annotations

from collections.abc import Iterable

from npc_server.clock import HOUR
from npc_server.records import Emotion, GameTime, Memory, MemoryKind, MemoryTopic, Mood

STRONGEST = 10.0
NOTICEABLE = 2.0
"""Strength below which a mood counts as neutral."""
HALF_LIFE_H = 2.0
"""Game hours in which a mood loses half its strength: the anger of a failed morning is gone by the evening."""
FAILURE = 2.5
"""Strength of the anger about one action that failed."""
IMPORTANT = 8
"""Importance from which an event surprises. Overheard lines have 5, a fire in the house 8."""
NAMED = 5.0
"""Strength of the emotion that the model names."""
CLOSENESS = 2.5
"""Strength for each point of closeness that a talk gave or took."""


def faded(mood: Mood, now: GameTime) -> Mood:
    """The mood as it is at `now`; neutral when it is too weak to notice."""
    strength = mood.strength * 0.5 ** (max(0, now - mood.at) / HOUR / HALF_LIFE_H)
    if mood.emotion is Emotion.NEUTRAL or strength < NOTICEABLE:
        return Mood(Emotion.NEUTRAL, 0.0, now)
    return Mood(mood.emotion, strength, now)


def stirred(mood: Mood, emotion: Emotion, strength: float, now: GameTime) -> Mood:
    """The mood after something stirred `emotion`: the same emotion grows, and of two different ones the stronger stays."""
    current = faded(mood, now)
    if emotion is current.emotion:
        return Mood(emotion, min(STRONGEST, current.strength + strength), now)
    return Mood(emotion, min(STRONGEST, strength), now) if strength >= current.strength else current


def named(word: str, now: GameTime) -> Mood:
    """The mood that the model names, as one of the words of `Emotion`."""
    return faded(Mood(Emotion(word), NAMED, now), now)


def after_memories(mood: Mood, made: Iterable[Memory], now: GameTime) -> Mood:
    """The mood after new memories: failures anger, and other important events surprise."""
    for memory in made:
        if memory.topic is MemoryTopic.FAILED:
            mood = stirred(mood, Emotion.ANGRY, FAILURE, now)
        elif memory.kind in (MemoryKind.OBSERVATION, MemoryKind.CONVERSATION) and memory.importance >= IMPORTANT:
            mood = stirred(mood, Emotion.SURPRISED, memory.importance - IMPORTANT + NAMED, now)
    return mood


def after_talk(mood: Mood, closer: int, now: GameTime) -> Mood:
    """The mood after a relationship was revised by `closer` points: people who come closer are happy, others sad."""
    if not closer:
        return mood
    return stirred(mood, Emotion.HAPPY if closer > 0 else Emotion.SAD, abs(closer) * CLOSENESS, now)
