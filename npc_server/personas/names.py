"""People's names: first names, titles, and who is meant by a name."""

from __future__ import annotations

from collections.abc import Sequence
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
def forms(name: str) -> tuple[str, ...]:
    """The forms of a name that texts may use, the longest first: in full or only the first name, with or without titles."""
    words = name.split()
    bare = words[_titles(words) :]
    found = (name, first_name(name), " ".join(bare), *bare[:1])
    return tuple(sorted(dict.fromkeys(form for form in found if form), key=len, reverse=True))


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
