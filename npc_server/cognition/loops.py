"""Loops: a mind that does the same over and over, as small models do, is noticed, and its routine takes over.

A routine may repeat itself (who keeps a counter serves all day), so only what the model decided counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npc_server.mind.mind import Mind


async def is_loop(mind: Mind, recent: Sequence[str], sentence: str) -> bool:
    """Whether a deed is the same as each of the latest `repeat_window` ones, by meaning."""
    window = list(recent)[-mind.settings.repeat_window :]
    if len(window) < mind.settings.repeat_window:
        return False
    if all(before.casefold() == sentence.casefold() for before in window):
        return True
    rows = await mind.embedder.embed([sentence, *window])
    return bool(np.min(rows[1:] @ rows[0]) > mind.settings.repeat_similarity)
