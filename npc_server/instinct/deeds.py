"""What is done for an activity, by rules: the place, a sentence about it, and an emoji. Pure: the same values give the same answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from npc_server.data_files import read_toml
from npc_server.english.stems import words_of
from npc_server.instinct.suit import suit
from npc_server.mind.mind import Mind
from npc_server.mind.places import short
from npc_server.mind.replies import Deed
from npc_server.mind.surroundings import NOTHING, believed
from npc_server.records import Address, PlanStep
from npc_server.world.tree import Node, ObjectAction


@dataclass(frozen=True)
class _Words:
    importance: tuple[tuple[int, frozenset[str]], ...]
    mundane: tuple[str, ...]
    emoji: tuple[tuple[str, frozenset[str]], ...]
    verbs: frozenset[str]
    doubled: frozenset[str]
    """Longer verbs whose last letter is doubled before an ending."""


@cache
def _words() -> _Words:
    data = read_toml("instinct.toml")
    return _Words(
        tuple((int(level), frozenset().union(*map(words_of, words))) for level, words in data["importance"].items()),
        tuple(data["mundane"]["states"]),
        tuple((emoji, frozenset().union(*map(words_of, words))) for emoji, words in data["emoji"].items()),
        frozenset(data["verbs"]["words"]),
        frozenset(data["verbs"]["doubled"]),
    )


def mundane() -> tuple[str, ...]:
    """States of things that nobody remarks on."""
    return _words().mundane


def heavy_words() -> tuple[tuple[int, frozenset[str]], ...]:
    """The words of what is out of the ordinary, the heaviest first, with their importance."""
    return _words().importance


def verbs() -> frozenset[str]:
    """Verbs of every day."""
    return _words().verbs


def emoji(text: str) -> str:
    """One emoji for an activity."""
    words = words_of(text)
    return next((sign for sign, known in _words().emoji if words & known), "🙂")


# ---- the day


# ---- acting


@dataclass(frozen=True)
class PlaceChoice:
    """Where, and what is done with the object there."""

    address: Address
    action: ObjectAction | None


def act(mind: Mind, step: PlanStep, offered: Sequence[Node]) -> Deed:
    """What is done for a step, among the places offered."""
    states = {node.address: believed(mind, node) for node in offered}
    choice = choose_place(offered, step.text, step.address, states)
    return Deed(
        short(mind.world, choice.address),
        choice.action.name if choice.action else NOTHING,
        sentence(mind.persona.first_name, step.text),
        emoji(step.text),
    )


def choose_place(offered: Sequence[Node], activity: str, hint: Address, states: dict[Address, str]) -> PlaceChoice:
    """The plan's own place if it is offered; else what suits best there, else anything there; else what suits best of all (see `suit`).

    Of those that suit alike the first, and the first where nothing suits: they come best first.
    """
    suits = {node.address: suit(node, activity, states.get(node.address, node.state)) for node in offered}
    if hint in suits:
        return PlaceChoice(hint, suits[hint].action)
    there = [node for node in offered if hint and node.address.startswith(hint + ":")]
    best = max(there or offered, key=lambda node: suits[node.address].score)
    return PlaceChoice(best.address, suits[best.address].action)


def sentence(first_name: str, activity: str) -> str:
    """`Mara is kneading dough`, from an activity such as `kneading dough` or `knead dough`."""
    words = activity.strip().rstrip(".").split()
    if not words:
        return f"{first_name} is standing about"
    words[0] = words[0][0].lower() + words[0][1:]
    verbs = [0] + [i + 1 for i, word in enumerate(words[:-1]) if word == "and" and words[i + 1] in _words().verbs]
    for i in verbs:
        words[i] = words[i] if _is_gerund(words[i]) else gerund(words[i])
    return " ".join([first_name, "is", *words])


def _is_gerund(word: str) -> bool:
    """`baking`, and not `bring` or `sing`: what comes before the ending is a syllable."""
    return word.endswith("ing") and any(letter in "aeiouy" for letter in word[:-3])


def gerund(verb: str) -> str:
    """`bake` → `baking`, `sit` → `sitting`, `be` → `being`."""
    if verb in ("be", "see"):
        return verb + "ing"
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    vowels = "aeiou"
    short = len(verb) >= 3 and verb[-1] not in vowels + "wxy" and verb[-2] in vowels and verb[-3] not in vowels
    if verb in _words().doubled or (short and sum(char in vowels for char in verb) == 1):
        return verb + verb[-1] + "ing"
    return verb + "ing"
