"""Who a card says that somebody is: facts, traits, secrets and an age, from prose, from lists of traits, and from labels.

Many cards are written as labels with values: `Likes: clocks`, or in W++ `Likes("clocks" + "anise drops")`. Labels that are known become
sentences about the person. Everything else stays as its author wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from npc_server.english.about_oneself import gender_in, with_name
from npc_server.english.first_person import GENDER
from npc_server.english.first_person_verbs import is_function_word, listed, verb_base, verb_form
from npc_server.english.text import enumerated
from npc_server.personas.cards import age
from npc_server.personas.cards.prose import MacroNames, Prose, prose

BETWEEN = " | "
"""Comes between the values of a label while it is read."""
_QUOTED = r"""(?:"[^"]*"|“[^”]*”)"""
_ATTRIBUTE = re.compile(rf"\b([A-Za-z][\w /-]{{0,40}}?)\s*\(\s*({_QUOTED}(?:\s*[+,]\s*{_QUOTED})*)\s*\)")
"""An attribute of W++: `Likes("clocks" + "anise drops")`."""
_BRACKETS = re.compile(r"^[\s\[\](){}]+$", re.MULTILINE)
_LABEL = re.compile(r"([^\W\d_][\w'’/-]*(?: [\w'’/-]+){0,2})\s*:\s+(\S.*)")
_TRAITS = {"personality", "personality traits", "traits", "trait", "nature", "temperament", "mind"}
_SAID_ALREADY = {"name", "full name", "character", "character name"}
_VERBS = {
    "likes", "loves", "dislikes", "hates", "enjoys", "adores", "fears", "wants", "can't stand", "can’t stand", "cannot stand", "despises"
}  # fmt: skip
_OWN = (
    "appearance looks body height weight build hair eyes skin face clothes clothing outfit species race gender sex nationality ethnicity "
    "origin birthplace birthday city town home residence occupation job profession work trade role title rank family relatives mother "
    "father siblings sister brother spouse wife husband children friends enemies pet pets background backstory history past education "
    "religion beliefs faith hobbies hobby interests skills abilities powers weapon weapons goals goal motivation dream dreams weakness "
    "weaknesses strengths flaws habits habit quirks quirk rules speech voice accent language languages possessions"
)
"""Labels that are a noun which belongs to the person."""
_DEEDS = (
    "background backstory history past rules rule habits habit quirks quirk behaviour behavior occupation job work skills abilities other "
    "notes facts trivia"
)
"""Labels whose values may tell what the person does or did: `did four years for a robbery`."""
_BEFORE_VERB = ("never", "always", "often", "only", "still", "also", "sometimes", "usually", "rarely")
_SECRET = re.compile(
    r"\b(?:secret(?:ly|s)?|(?:nobody|no one) (?:else )?(?:knows|must know)|(?:told|tells|tell) (?:nobody|no one|not a soul|a single)|"
    r"(?:never|not|n't|n’t) (?:told|tell|tells) (?:anyone|anybody|a soul|a single))\b",
    re.IGNORECASE,
)
MOST_READ = 200
"""Most facts in which pronouns are looked for."""
TRAIT_WORDS = 6
"""Most words of a trait in a list."""


@dataclass(frozen=True)
class Nature:
    """What a card says of somebody."""

    facts: tuple[str, ...]
    traits: tuple[str, ...]
    secrets: tuple[str, ...]
    age: int | None
    """In years; None if it is not stated."""
    left_out: int
    """Sentences about a player without a name."""
    is_cut: bool


@dataclass
class _Found:
    """What is found, in order and once."""

    facts: dict[str, None] = field(default_factory=dict)
    traits: dict[str, None] = field(default_factory=dict)
    secrets: dict[str, None] = field(default_factory=dict)
    age: int | None = None


def nature(description: str, personality: str, names: MacroNames, me: Sequence[str]) -> Nature:
    """Reads the two texts about the person. `me` are the forms of the name that they may use."""
    said, manner = prose((_unpacked(description),), names), prose((_unpacked(personality),), names)
    found = _Found()
    for fact in _with_openings(said, names.char, me):
        _sort(fact, names.char, found)
    parts = [part for fact in manner.facts for part in _parts(fact)]
    if _is_list(parts, me):
        _add_traits(parts, names.char, found)
    else:
        for fact in _with_openings(manner, names.char, me):
            _sort(fact, names.char, found)
    return Nature(
        tuple(found.facts),
        tuple(found.traits),
        tuple(found.secrets),
        _stated_age(list(found.facts), names.char, me) if found.age is None else found.age,
        said.about_user + manner.about_user,
        said.is_cut or manner.is_cut,
    )


def _stated_age(facts: Sequence[str], name: str, me: Sequence[str]) -> int | None:
    """The age in the facts, where "she" counts only if it means the person for sure."""
    read = facts[:MOST_READ]
    return age.in_text(with_name(read, name, me), me)


def may_be_secret(fact: str) -> bool:
    """Whether a fact has words by which authors mark a secret. Only the author can tell for sure."""
    return bool(_SECRET.search(fact))


def _unpacked(text: str) -> str:
    """W++ as lines with labels. Other text stays."""
    if len(_ATTRIBUTE.findall(text)) < 2:
        return text
    lines = _ATTRIBUTE.sub(lambda it: f"\n{it[1]}: {BETWEEN.join(re.findall(_QUOTED, it[2]))}\n", text)
    quotes = str.maketrans("", "", '"“”')
    lines = "\n".join(line.translate(quotes) if BETWEEN in line or _LABEL.fullmatch(line) else line for line in lines.splitlines())
    return _BRACKETS.sub("", lines.replace("\n[", "\n").replace("}]", "\n").removeprefix("["))


def _with_openings(said: Prose, name: str, me: Sequence[str]) -> Iterator[str]:
    """The facts, with the name in place of "she" or "his" at the beginning of a paragraph: a card speaks of its character."""
    gender = gender_in(said.facts[:MOST_READ], me)
    for fact in said.facts:
        first, _, rest = fact.partition(" ")
        if fact in said.openings and rest and first.lower() in ("he", "she", "his", "her"):
            gender = gender or GENDER[first.lower()]
            if GENDER[first.lower()] == gender:
                fact = f"{name}{'' if first.lower() in ('he', 'she') else chr(39) + 's'} {rest}"
        yield fact


def _sort(fact: str, name: str, found: _Found) -> None:
    """Puts a fact where it belongs. One without a label that is known stays as it is."""
    bare = fact.strip("[] ") if fact[:1] == "[" or fact[-1:] == "]" else fact
    labelled = _LABEL.fullmatch(bare)
    label = labelled[1].lower().removeprefix(f"{name.lower()}'s ") if labelled else ""
    values = [value.strip() for value in labelled[2].split(BETWEEN.strip()) if value.strip()] if labelled else []
    if label == "age" and (stated := age.of_label(values[0])) is not None:
        found.age = stated if found.age is None else found.age
    elif label in _SAID_ALREADY:
        return
    elif label in _TRAITS:
        _add_traits([part for value in values for part in _parts(value)] if len(values) == 1 else values, name, found)
    elif label in ("secret", "secrets"):
        found.secrets |= dict.fromkeys(it if name in it else f"{name}'s secret: {it}" for it in values)
    elif label in ("gender", "sex") and [it.lower() for it in values] in (["male"], ["female"]):
        found.facts[f"{name} is {values[0].lower()}"] = None
    elif label in _VERBS:
        found.facts[f"{name} {label} {enumerated(values)}"] = None
    else:
        _add_labelled(bare, label, values, name, found)


def _add_labelled(fact: str, label: str, values: Sequence[str], name: str, found: _Found) -> None:
    deeds = [value for value in values if label in _DEEDS.split() and _is_deed(value)]
    others = [value for value in values if value not in deeds]
    found.facts |= dict.fromkeys(f"{name} {deed}" for deed in deeds)
    if label in _OWN.split() and others:
        found.facts[f"{name}'s {label}: {', '.join(others)}"] = None
    elif not deeds:
        found.facts[fact.replace(BETWEEN, ", ")] = None


def _add_traits(parts: Sequence[str], name: str, found: _Found) -> None:
    for part in parts:
        if _is_deed(part):
            found.facts[f"{name} {part}"] = None
        else:
            found.traits[part] = None


def _parts(fact: str) -> list[str]:
    """The parts of a list: `warm, stubborn and a bit of a worrier`."""
    parts = re.split(r",\s+(?:and\s+)?|\s+(?:and|&)\s+(?=[\w'’-]+$)", fact.strip("[] "))
    return [part.strip() for part in parts if part.strip()]


def _is_list(parts: Sequence[str], me: Sequence[str]) -> bool:
    """Whether the parts are a list of traits, and not cut from sentences."""
    begins = parts[0].split()[0].lower() if parts else ""
    if not begins or is_function_word(begins) or parts[0].startswith(tuple(me)):
        return False
    return len(parts) > 1 and all(len(part.split()) <= TRAIT_WORDS and ":" not in part for part in parts)


def _is_deed(text: str) -> bool:
    """Whether a text without a subject begins with a verb: "never buys wedding rings", "did four years"."""
    words = text.lower().split()
    verb = next((word.strip(",.;") for word in words if word not in _BEFORE_VERB), "")
    return listed(verb, "past") or (verb_form(verb) == "s" and (listed(verb, "auxiliary") or listed(verb_base(verb), "verb")))
