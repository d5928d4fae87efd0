"""Identity: the summary description with which every prompt begins (Generative Agents, section 4.3 and appendix A)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from npc_server import clock
from npc_server.english.stems import stems_of
from npc_server.english.text import enumerated, sentences, words_in
from npc_server.mind import mood, needs, relationships
from npc_server.mind.mind import Mind
from npc_server.mind.surroundings import has_changed
from npc_server.records import Emotion, GameTime, MemoryKind

REVEALING, FEWEST_REVEALING = 0.5, 2
"""Share of a sentence's telling words that a secret has, too, from which on it is a secret; and of how many words on."""

CAUSES_SEARCHED = 100
"""Latest observations among which the cause of a mood is looked for."""


def paragraph(mind: Mind) -> str:
    """Name, age, traits, the identity's phrases, current concerns and lifestyle, as one paragraph."""
    return _described(mind, mind.persona.identity_phrases)


def in_prompts(mind: Mind, *, lifestyle: bool = True) -> str:
    """The same without age and traits (`you`), with each thing said once, and with secrets named as such, at the end.

    What the model found out about itself may hold a secret. A sentence that shares most of its telling words with one stands beside it.
    """
    persona = mind.persona
    thoughts = f"{mind.identity.summary} {mind.identity.currently or persona.currently}".strip()
    phrases, twice = (*_opening(mind), *map(_sentence, persona.open_phrases)), mind.answerer.reference is not None
    return _each_thing_once(_who(mind), phrases, persona.secrets, thoughts, persona.lifestyle if lifestyle else "", twice, True)


def lasting(mind: Mind) -> str:
    """What the persona's file says of it, without secrets. It stays the same for days, so a model that has read it need not do so again."""
    persona, opening = mind.persona, (*_opening(mind), *map(_sentence, mind.persona.open_phrases))
    return _each_thing_once(_who(mind), opening, persona.secrets, "", persona.lifestyle, mind.answerer.reference is not None, False)


def thoughts(mind: Mind) -> str:
    """What it concluded about itself and has on its mind, where `lasting` does not say so, without what may hold a secret."""
    persona = mind.persona
    found = sentences(f"{mind.identity.summary} {mind.identity.currently or persona.currently}".strip())
    told = (_who(mind), *_opening(mind), *persona.open_phrases)
    fresh = [it for it in found if not _is_told(it, told)]
    return " ".join(_sentence(it) for it in fresh if not any(_reveals(it, secret) for secret in persona.secrets))


def _is_told(sentence: str, told: Iterable[str]) -> bool:
    """Whether one of these says all that a sentence says."""
    return any(set(words_in(sentence)) <= set(words_in(said)) for said in told)


@lru_cache(maxsize=4096)
def _each_thing_once(
    who: str, phrases: Sequence[str], secrets: Sequence[str], thoughts: str, lifestyle: str, twice: bool, tells: bool
) -> str:
    """The text of `in_prompts`. Cached, since it stays the same for days. With `twice`, what was said is said again."""
    told, kept = [*phrases], [_sentence(secret) for secret in secrets]
    for sentence in sentences(thoughts):
        if sentence and (twice or not _is_told(sentence, (who, *told, *kept))):  # the reference says things twice
            (kept if any(_reveals(sentence, secret) for secret in secrets) else told).append(_sentence(sentence))
    told += [_sentence(lifestyle)] if lifestyle else []
    return " ".join(told) + (f" You keep this to yourself: {' '.join(kept)}" if kept and tells else "")


def brief(mind: Mind) -> str:
    """The first phrase of the identity, for questions that need no more."""
    phrases = mind.persona.open_phrases[:1]
    return " ".join([*_opening(mind), *map(_sentence, phrases)])


def in_short(mind: Mind) -> str:
    """The same with what is on its mind, unless that may hold a secret: enough where a question follows from the day's plan."""
    concern = mind.identity.currently or mind.persona.currently
    is_open = concern and not any(_reveals(concern, secret) for secret in mind.persona.secrets)
    return f"{brief(mind)} {_sentence(concern)}" if is_open else brief(mind)


@lru_cache(maxsize=16384)
def _reveals(sentence: str, secret: str) -> bool:
    words = stems_of(sentence)
    return len(words & stems_of(secret)) >= max(FEWEST_REVEALING, REVEALING * len(words))


def you(mind: Mind) -> str:
    """Age and traits, as they follow `You are Mara Voss, `: `34 years old, warm and blunt`."""
    return enumerated((f"{mind.persona.age} years old", *mind.persona.traits))


def _opening(mind: Mind) -> list[str]:
    """Age and traits as a sentence for the baseline, whose prompts do not say them otherwise."""
    return [_who(mind)] if mind.answerer.singly else []


def _who(mind: Mind) -> str:
    persona = mind.persona
    return (
        f"{persona.name}, {persona.age} years old, is {enumerated(persona.traits)}."
        if persona.traits
        else f"{persona.name} is {persona.age}."
    )


def _described(mind: Mind, phrases: Sequence[str]) -> str:
    persona = mind.persona
    parts = [_who(mind), *(_sentence(phrase) for phrase in phrases)]
    parts += [_sentence(text) for text in (mind.identity.summary, mind.identity.currently or persona.currently, persona.lifestyle) if text]
    return " ".join(parts)


def values_of(mind: Mind, now: GameTime) -> dict[str, object]:
    """The values that every template may use. Prompts begin with the stable ones, so that prompts share a prefix."""
    return {
        "name": mind.persona.name,
        "first_name": mind.persona.first_name,
        "you": you(mind),
        "identity": in_prompts(mind),
        "brief": brief(mind),
        "in_short": in_short(mind),
        "secrets": bool(mind.persona.secrets),
        "relations": relations(mind),
        "feels": feels(mind, now),
        "date": clock.date(now),
        "time": clock.hhmm(now),
    }


def feels(mind: Mind, now: GameTime) -> str:
    """Mood with its cause, and low needs: `You feel sad: Robin called the bread stale. You are hungry.` Empty for nothing to say."""
    felt, low = mood.faded(mind.feelings.mood, now), needs.words(mind)
    why = f": {felt.cause}" if felt.cause and not _is_over(mind, felt.cause) else ""
    parts = [_sentence(f"You feel {felt.emotion.value}{why}")] if felt.emotion is not Emotion.NEUTRAL else []
    return " ".join([*parts, *([f"You are {enumerated(low)}."] if low else [])])


def _is_over(mind: Mind, cause: str) -> bool:
    """Whether the cause of a mood is something seen that has changed since: one still feels the fright of a fire that is out."""
    latest = mind.stream.latest(CAUSES_SEARCHED, (MemoryKind.OBSERVATION,))
    return any(has_changed(mind, memory) for memory in latest if memory.text == cause)


def relations(mind: Mind, only: Collection[str] | None = None) -> list[str]:
    """What others are to the NPC; with `only`, which of them. It changes only with a relationship, so prompts share it."""
    return [
        f"{mind.people.name_of(kept.other)} is {mind.persona.first_name}'s {kept.relation}. {_sentence(kept.feeling)}".strip()
        for kept in relationships.people(mind)
        if only is None or kept.other in only
    ]


def _sentence(text: str) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".!?" else text + "."
