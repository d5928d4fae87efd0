"""Who of the save's people is named in a sentence, a sentence without them, and what others see of somebody's action."""

from __future__ import annotations

import re
from functools import lru_cache

from npc_server.english.text import ABOUT_THIS
from npc_server.mind.mind import Mind
from npc_server.records import Action, NpcId


def others_named(mind: Mind, text: str) -> list[NpcId]:
    """The other people of the save whose name or first name stands in `text`, in the order of the save.

    A first name that is the NPC's own, too, means the NPC.
    """
    own = mind.people.first_name_of(mind.npc)
    return [
        npc
        for npc, name in mind.people.names.items()
        if npc != mind.npc and (is_word_in(name, text) or ((short := mind.people.first_name_of(npc)) != own and is_word_in(short, text)))
    ]


def is_word_in(words: str, text: str) -> bool:
    """Whether words stand in a text as whole words. Most do not, and plain search sees that ten times as fast."""
    return bool(words) and words in text and _as_words(words).search(text) is not None


@lru_cache(maxsize=4096)
def _as_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(words)}\b")


def without_people(mind: Mind, text: str) -> str:
    """The text without the names of the save's people: `talk with about the bread`. So nobody's name draws the place called after them."""
    return " ".join(
        _any_of(tuple((name, mind.people.first_name_of(npc)) for npc, name in mind.people.names.items())).sub(" ", text).split()
    )


@lru_cache(maxsize=64)
def _any_of(people: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """Finds any of these names, first names or last names, also in the genitive."""
    forms = {form for name, short in people for form in (name, short, name.rpartition(" ")[2]) if form}
    names = sorted(forms, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b(?:['’]s\b)?" if names else r"(?!)")


def seen_as(mind: Mind, action: Action) -> str:
    """What others see of an action, without the NPC's name: `is baking bread`.

    Nobody sees what it thinks about. Of an action that names somebody, such as `Tobin is having a word with Ines`, they see only where it
    takes place. Whether the two talk is for the game to show, and a talk that was only planned must not be remembered as one.
    """
    seen = action.sentence.partition(ABOUT_THIS)[0]
    if others_named(mind, seen):
        return f"is at {mind.world.describe(action.address)}" if action.address in mind.world else "is busy"
    return without_name(mind, seen)


def without_name(mind: Mind, sentence: str) -> str:
    """The sentence without the NPC's own name at its beginning, and without its full stop."""
    told = sentence.strip().rstrip(".")
    for form in (mind.persona.name, mind.persona.first_name):
        told = told.removeprefix(f"{form} ")
    return told
