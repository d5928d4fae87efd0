"""Names: how somebody is called in speech. Who has a title keeps it: Captain Ysme, not Captain."""

from __future__ import annotations

_TITLES = (
    "abbess abbot admiral apprentice archmage aunt baron baroness big bishop brother captain chief clerk coach colonel commander cook "
    "corporal count countess dame deputy director doc doctor dr duchess duke elder emperor empress engineer ensign father general "
    "governor inspector judge king lady lieutenant little lord madam major marshal master mate mayor mechanic miss mister mistress "
    "mother mr mrs ms navigator nurse officer old pilot president prince princess principal private prof professor queen ranger reeve "
    "reverend saint senator sergeant sheriff sir sister skald skipper specialist squire steward surgeon tech technician trooper uncle "
    "warden widow young"
)
TITLES = frozenset(_TITLES.split())
"""Words that stand before a name and are none themselves."""


def first_name(name: str) -> str:
    """The part of a full name that people use: `Mara` of Mara Voss, `Captain Ysme` of Captain Ysme Dray; titles are no names."""
    words = name.split()
    if not words:
        return name
    titles = 0
    while titles < len(words) - 1 and words[titles].rstrip(".").casefold() in TITLES:
        titles += 1
    return " ".join(words[: titles + 1])
