"""Identity: the summary description with which every prompt begins (Generative Agents, section 4.3 and appendix A)."""

from __future__ import annotations

from collections.abc import Sequence

from npc_server import clock
from npc_server.mind import mood, needs, relationships
from npc_server.mind.mind import Mind
from npc_server.records import Emotion, GameTime


def paragraph(mind: Mind) -> str:
    """Name, age, traits, the identity's phrases, current concerns and lifestyle, as one paragraph."""
    return _described(mind, mind.persona.identity_phrases)


def in_prompts(mind: Mind) -> str:
    """The same with secrets named as such, at the end. npc-nano was trained without that."""
    persona = mind.persona
    if not persona.secrets or mind.engine.status().drafts:
        return paragraph(mind)
    told = [phrase for phrase in persona.identity_phrases if phrase not in persona.secrets]
    secrets = " ".join(_sentence(secret) for secret in persona.secrets)
    return f"{_described(mind, told)} You keep this to yourself: {secrets}"


def _described(mind: Mind, phrases: Sequence[str]) -> str:
    persona = mind.persona
    parts = [
        f"{persona.name}, {persona.age} years old, is {_and(persona.traits)}." if persona.traits else f"{persona.name} is {persona.age}."
    ]
    parts += [_sentence(phrase) for phrase in phrases]
    parts += [_sentence(text) for text in (mind.summary, mind.currently or persona.currently, persona.lifestyle) if text]
    return " ".join(parts)


def values_of(mind: Mind, now: GameTime) -> dict[str, object]:
    """The values that every template may use. Prompts begin with the stable ones, so that prompts share a prefix."""
    return {
        "name": mind.persona.name,
        "first_name": mind.persona.first_name,
        "identity": in_prompts(mind),
        "relations": _relations(mind),
        "feels": feels(mind, now),
        "date": clock.date(now),
        "time": clock.hhmm(now),
    }


def feels(mind: Mind, now: GameTime) -> str:
    """Mood and low needs: `You feel happy. You are very hungry and tired.` Empty when there is nothing to say."""
    felt, low = mood.faded(mind.mood, now), needs.words(mind)
    parts = [f"You feel {felt.emotion.value}."] if felt.emotion is not Emotion.NEUTRAL else []
    return " ".join([*parts, *([f"You are {_and(tuple(low))}."] if low else [])])


def _relations(mind: Mind) -> list[str]:
    """What others are to the NPC. It changes only with a relationship, so the shared prefix stays the same between talks."""
    return [
        f"{mind.name_of(kept.other)} is {mind.persona.first_name}'s {kept.relation}. {_sentence(kept.feeling)}".strip()
        for kept in relationships.people(mind)
    ]


def _sentence(text: str) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".!?" else text + "."


def _and(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
