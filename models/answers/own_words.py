"""What somebody knows, nearly as they would tell it, for training. In play `npc_server/instinct/recall.py` adds who told it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from npc_server.english.first_person import in_first_person
from npc_server.english.text import ended
from npc_server.personas.names import first_name


def in_own_words(name: str, text: str, to: Sequence[str] = ()) -> str:
    """A sentence about somebody, or a memory of theirs, as they tell it to the one whose names are `to`."""
    first = first_name(name)
    named = re.sub(rf"^{re.escape(name)}, \d+, (?=\w+s\b)", f"{first} ", text.strip())
    named = re.sub(r"^(He|She)\b", first, re.sub(r"^(His|Her)\b", f"{first}'s", named))
    return ended(in_first_person(named, (name, first), to))
