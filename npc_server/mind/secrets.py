"""Whether a line tells one of the persona's secrets to somebody who is not close enough. It compares words and reads no meaning."""

from __future__ import annotations

from collections.abc import Iterable

from npc_server.english.stems import telling_stems
from npc_server.mind import relationships
from npc_server.mind.mind import Mind

TRUSTED = 8
"""Closeness from which on people tell each other secrets: a close friend (AGA's scale)."""
TELLING, FEWEST_TELLING = 0.3, 2
"""Share of a secret's telling words that a line has from which on it tells the secret, and how many it has at least."""
_MARKS = telling_stems("keeps to himself herself themselves secretly")
"""Words by which persona files mark secrets."""


def told(mind: Mind, text: str, hearing: Iterable[str], open_to_them: Iterable[str] = ()) -> str:
    """What is wrong with words that tell a secret; empty if nothing is.

    `hearing` are ids or names of those who hear it. Words that the persona's file says openly, or that stand in `open_to_them`, such as
    what the others said themselves, tell nothing.
    """
    persona = mind.persona
    if not persona.secrets or all(relationships.closeness(mind, who) >= TRUSTED for who in hearing):
        return ""
    plain = persona.open_phrases
    known = _MARKS.union(*map(telling_stems, (persona.name, *mind.people.names.values(), *plain, *open_to_them)))
    said = telling_stems(text)
    for secret in persona.secrets:
        telling = telling_stems(secret) - known
        if len(telling & said) >= max(FEWEST_TELLING, TELLING * len(telling)):
            return "tells what you keep to yourself"
    return ""
