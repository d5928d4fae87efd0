"""Mood: one emotion that comes from what happened and fades (Humanoid Agents, arXiv 2310.05418).

No words are read. A failure, an important event, an empty need, and a change of closeness each stir an emotion. The model names one,
and its cause, when a talk is over, and one when it revises the identity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from npc_server.clock import HOUR
from npc_server.records import Emotion, GameTime, Memory, MemoryKind, MemorySource, MemoryTopic, Mood

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
    return replace(mood, strength=strength, at=now)


def stirred(mood: Mood, emotion: Emotion, strength: float, now: GameTime, cause: str = "") -> Mood:
    """The mood after something stirred `emotion`: the same emotion grows, and of two different ones the stronger stays.

    `cause` is a short sentence. Of the same emotion the latest cause stays.
    """
    current = faded(mood, now)
    if emotion is current.emotion:
        return Mood(emotion, min(STRONGEST, current.strength + strength), now, cause or current.cause)
    return Mood(emotion, min(STRONGEST, strength), now, cause) if strength >= current.strength else current


def named(mood: Mood, word: str, now: GameTime, cause: str = "") -> Mood:
    """The mood that the model names, as one of the words of `Emotion`. If it names the emotion of before, that keeps its cause."""
    emotion, current = Emotion(word), faded(mood, now)
    cause = cause or (current.cause if emotion is current.emotion else "")
    return faded(Mood(emotion, NAMED, now, cause), now)


def left_by_talk(mood: Mood, word: str, now: GameTime, cause: str) -> Mood:
    """The mood that a talk leaves, as the model names it. A talk that leaves nothing changes no mood."""
    return mood if Emotion(word) is Emotion.NEUTRAL else named(mood, word, now, cause)


def after_memories(mood: Mood, made: Iterable[Memory], now: GameTime, *, is_told: bool = False) -> Mood:
    """The mood after new memories: failures anger, and other important events surprise. Words between others stir nothing by rule.

    With `is_told`, the model names what a talk leaves. Then what is said in it surprises nobody by rule.
    """
    surprising = (MemoryKind.OBSERVATION,) if is_told else (MemoryKind.OBSERVATION, MemoryKind.CONVERSATION)
    for memory in made:
        if memory.topic is MemoryTopic.FAILED:
            mood = stirred(mood, Emotion.ANGRY, FAILURE, now, memory.text)
        elif memory.kind in surprising and memory.importance >= IMPORTANT and memory.source is not MemorySource.HEARD:
            mood = stirred(mood, Emotion.SURPRISED, memory.importance - IMPORTANT + NAMED, now, memory.text)
    return mood


def after_talk(mood: Mood, closer: int, now: GameTime, name: str = "") -> Mood:
    """The mood after the relationship with `name` was revised by `closer` points: who comes closer is happy, others are sad."""
    if not closer:
        return mood
    emotion, cause = Emotion.HAPPY if closer > 0 else Emotion.SAD, f"the talk with {name}" if name else ""
    return stirred(mood, emotion, abs(closer) * CLOSENESS, now, cause)
