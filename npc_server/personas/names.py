"""Names: how somebody is called in speech. Who has a title keeps it: Captain Ysme, not Captain."""

from __future__ import annotations

from collections.abc import Sequence
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
"""Words that stand before a name and are none themselves."""


class Named(Protocol):
    """A `Persona`, say."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def first_name(self) -> str: ...


Who = TypeVar("Who", bound=Named)


def first_name(name: str) -> str:
    """The part of a full name that people use: `Mara` of Mara Voss, `Captain Ysme` of Captain Ysme Dray; titles are no names."""
    words = name.split()
    return " ".join(words[: _titles(words) + 1])


def forms(name: str) -> tuple[str, ...]:
    """All ways in which texts name somebody, the longest first: with and without titles, in full and by the first name."""
    words = name.split()
    bare = words[_titles(words) :]
    found = (name, first_name(name), " ".join(bare), *bare[:1])
    return tuple(sorted(dict.fromkeys(form for form in found if form), key=len, reverse=True))


def called(who: str, people: Sequence[Who]) -> Who | None:
    """Who is meant by an id, a name or a first name, whatever the case: ids go before names, and names before first names."""
    for names in zip(*((person.id, person.name, person.first_name) for person in people), strict=True):
        for person, name in zip(people, names, strict=True):
            if name.casefold() == spelled(who):
                return person
    return None


def spelled(who: str) -> str:
    """What somebody typed as names are compared: in one case, with single spaces."""
    return " ".join(who.split()).casefold()


def _titles(words: Sequence[str]) -> int:
    """How many titles stand before the name."""
    return next((i for i, word in enumerate(words[:-1]) if word.rstrip(".").casefold() not in TITLES), max(len(words) - 1, 0))
