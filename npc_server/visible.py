"""Characters that steer: a terminal, a log, a prompt, or the direction in which one reads. Nobody's name or words need them."""

from __future__ import annotations

import re

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters (C0 without tab and line break, DEL, C1), line and paragraph separators, what turns the direction of writing,
and halves of characters. Joiners of emoji and the marks of right-to-left writing are none."""


def visible(text: str) -> str:
    """The text with each steering character spelled out, such as `\\u001b`. It is safe to print, and JSON stays JSON."""
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def first_steering(text: str) -> str:
    """The first steering character as `U+001B`; nothing where there is none."""
    found = STEERING.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""
