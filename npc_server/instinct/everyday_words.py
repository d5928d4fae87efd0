"""What a text tells beyond the names of a town's places and things, where single words are weighed.

Nobody drowns in the Drowned Bell, and who is lying down on a bed tells no lie.
"""

from __future__ import annotations

import re
from functools import lru_cache

from npc_server.instinct import act
from npc_server.mind.places import Everyday

TOWNS_KEPT = 8


def without_everyday(text: str, town: Everyday) -> str:
    """The text without names of buildings and rooms, and without what somebody does with a thing, as others see it."""
    found = _everyday(town)
    return found.sub("", text) if found else text


@lru_cache(maxsize=TOWNS_KEPT)
def _everyday(town: Everyday) -> re.Pattern[str] | None:
    phrases = town.names | {act.sentence("", name).strip() for name in town.actions}
    longest_first = sorted(phrases - {""}, key=lambda phrase: (-len(phrase), phrase))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)") if longest_first else None
