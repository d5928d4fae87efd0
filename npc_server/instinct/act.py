"""Acting without a model: the object for an activity, a sentence about it, and an emoji.

Nothing here depends on time or chance: the same values give the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from npc_server.data_files import read_toml
from npc_server.english.stems import stems_of
from npc_server.mind.mind import Mind
from npc_server.mind.places import short
from npc_server.mind.replies import Deed
from npc_server.mind.surroundings import NOTHING, meant_action
from npc_server.records import Address, PlanStep
from npc_server.world.tree import Node, lies_in


@dataclass(frozen=True)
class _Words:
    importance: tuple[tuple[int, frozenset[str]], ...]
    mundane: tuple[str, ...]
    emoji: tuple[tuple[str, frozenset[str]], ...]
    verbs: frozenset[str]
    doubled: frozenset[str]
    """Longer verbs whose last letter is doubled before a suffix."""


@cache
def _words() -> _Words:
    data = read_toml("instinct.toml")
    return _Words(
        tuple((int(level), frozenset().union(*map(stems_of, words))) for level, words in data["importance"].items()),
        tuple(data["mundane"]["states"]),
        tuple((emoji, frozenset().union(*map(stems_of, words))) for emoji, words in data["emoji"].items()),
        frozenset(data["verbs"]["words"]),
        frozenset(data["verbs"]["doubled"]),
    )


def mundane_states() -> tuple[str, ...]:
    """Ordinary states of objects."""
    return _words().mundane


def important_words() -> tuple[tuple[int, frozenset[str]], ...]:
    """Importance levels, the highest first, each with the stems of its words."""
    return _words().importance


def everyday_verbs() -> frozenset[str]:
    """Everyday verbs."""
    return _words().verbs


def emoji(text: str) -> str:
    """One emoji for an activity."""
    words = stems_of(text)
    return next((sign for sign, known in _words().emoji if words & known), "🙂")


def act(mind: Mind, step: PlanStep, offered: Sequence[Node]) -> Deed:
    """The reply to the prompt `act`: what is done for a step, at one of the places offered."""
    node = choose_place(offered, step.address)
    action = meant_action(mind, node, step.text)
    return Deed(
        short(mind.world, node.address),
        action.name if action else NOTHING,
        sentence(mind.persona.first_name, step.text),
        emoji(step.text),
    )


def choose_place(offered: Sequence[Node], hint: Address) -> Node:
    """The plan's own place `hint` if it is offered, else the best in it, else the best of all. `offered` has the best first."""
    own = [node for node in offered if node.address == hint]
    there = [node for node in offered if hint and lies_in(node.address, hint)]
    return (own or there or offered)[0]


def sentence(first_name: str, activity: str) -> str:
    """`Mara is kneading dough`, from an activity such as `kneading dough` or `knead dough`."""
    words = activity.strip().rstrip(".").split()
    if not words:
        return f"{first_name} is standing about"
    words[0] = words[0][0].lower() + words[0][1:]
    verbs = [0] + [i + 1 for i, word in enumerate(words[:-1]) if word == "and" and words[i + 1] in _words().verbs]
    for i in verbs:
        bare = words[i].rstrip(",;:")
        words[i] = (bare if _is_gerund(bare) else gerund(bare)) + words[i][len(bare) :]
    return " ".join([first_name, "is", *words])


def _is_gerund(word: str) -> bool:
    """Whether a syllable stands before `ing`: `baking`, but not `bring` or `sing`."""
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
