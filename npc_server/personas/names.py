"""People's names: first names, titles, and who is meant by a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

_TITLES = (
    "abbess abbot admiral ambassador apprentice archmage aunt baron baroness big bishop boatswain bosun brother butler cadet captain "
    "carpenter chancellor chaplain chief clerk coach colonel commander constable cook corporal count countess dame deputy detective "
    "director doc doctor dr duchess duke elder emperor empress engineer ensign father first foreman forewoman friar gardener general "
    "governor guildmaster headmaster headmistress inspector judge justice king knight lady lieutenant little lord madam mage magister "
    "major marshal master mate matron mayor mechanic medic midwife miss mister mistress monk mother mr mrs ms navigator nun nurse "
    "officer old pastor pilot porter president prince princess principal prioress private prof professor quartermaster queen ranger "
    "reeve reverend saint second senator sergeant sheriff sir sister skald skipper specialist squire steward surgeon tech technician "
    "trooper uncle vicar viscount warden widow witch wizard young"
)
TITLES = frozenset(_TITLES.split())
"""Titles in lower case: words that come before a name but are not names."""


class Named(Protocol):
    """Anybody with an id, a name and a first name, such as a `Persona`."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def first_name(self) -> str: ...


Who = TypeVar("Who", bound=Named)


@lru_cache(maxsize=4096)
def first_name(name: str) -> str:
    """The part of a full name that people use in speech: `Mara` for Mara Voss, and `Captain Ysme` for Captain Ysme Dray."""
    words = name.split()
    return " ".join(words[: _titles(words) + 1])


@lru_cache(maxsize=4096)
def forms(name: str, short: str = "") -> tuple[str, ...]:
    """The forms of a name that texts may use, the longest first: in full or only the first name, with or without titles.

    `short` is what somebody is called. Who is called by several words of the name, as `Town Guard` is, is not called by the first alone.
    """
    words = name.split()
    bare = words[_titles(words) :]
    parts = () if short != first_name(name) and name.startswith(short or " ") else (first_name(name), " ".join(bare), *bare[:1])
    return tuple(sorted(dict.fromkeys(form for form in (name, short, *parts) if form), key=len, reverse=True))


def shared_names(people: Iterable[Named]) -> dict[str, list[str]]:
    """The ids of the people of each name that several carry, by the name as it is `spelled`."""
    found: dict[str, list[str]] = {}
    for person in people:
        found.setdefault(spelled(person.name), []).append(person.id)
    return {name: ids for name, ids in found.items() if len(ids) > 1}


def names_apart(people: Iterable[Named]) -> dict[str, str]:
    """The name of each person in minds, by id. A name that several carry has the id behind it, so that nobody is taken for another."""
    everybody = list(people)
    shared = shared_names(everybody)
    return {it.id: f"{it.name} {it.id}" if spelled(it.name) in shared else it.name for it in everybody}


def without_ids(text: str, names: Mapping[str, str]) -> str:
    """A text as it is spoken: of names with an id behind them (`names_apart`, by id), the name alone."""
    for npc, name in names.items():
        if name in text:
            text = text.replace(name, name.removesuffix(f" {npc}"))
    return text


def called(who: str, people: Sequence[Who]) -> Who | None:
    """The person with this id, name or first name, in this order of preference. None if there is nobody. Case does not matter."""
    for names in zip(*((person.id, person.name, person.first_name) for person in people), strict=True):
        for person, name in zip(people, names, strict=True):
            if name.casefold() == spelled(who):
                return person
    return None


def spelled(who: str) -> str:
    """A name as it is compared: in one case, and with single spaces."""
    return " ".join(who.split()).casefold()


def _titles(words: Sequence[str]) -> int:
    """How many titles come before the name."""
    return next((i for i, word in enumerate(words[:-1]) if word.rstrip(".").casefold() not in TITLES), max(len(words) - 1, 0))
