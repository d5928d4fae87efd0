"""Loops: small models tend to repeat themselves. When a mind does the same thing again and again, its routine takes over.

Only what the model decided counts, because a routine may repeat itself: a shopkeeper serves customers all day.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npc_server.mind.mind import Mind


async def is_loop(mind: Mind, recent: Sequence[str], sentence: str) -> bool:
    """Whether a deed means the same as each of the latest `repeat_window` deeds."""
    window = list(recent)[-mind.settings.repeat_window :]
    if len(window) < mind.settings.repeat_window:
        return False
    if all(before.casefold() == sentence.casefold() for before in window):
        return True
    rows = await mind.tools.embedder.embed([sentence, *window])
    return bool(np.min(rows[1:] @ rows[0]) > mind.settings.repeat_similarity)
