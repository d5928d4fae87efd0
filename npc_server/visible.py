"""Finds steering characters, which control a terminal or the direction of text, and makes them visible. No name or text needs them."""

from __future__ import annotations

import re

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters (C0 without tab and line break, DEL, C1), line and paragraph separators, characters that override the direction
of text, and surrogates. Joiners of emoji and right-to-left marks are allowed."""


def visible(text: str) -> str:
    """Spells out each steering character, for example as `\\u001b`. The text is then safe to print, and JSON stays valid."""
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def first_steering(text: str) -> str:
    """Names the first steering character, like `U+001B`. Returns an empty text if there is none."""
    found = STEERING.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""
