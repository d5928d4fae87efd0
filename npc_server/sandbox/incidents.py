"""Decides when something goes wrong with a thing, such as burnt food, by the town file and the seed of the run."""

from __future__ import annotations

import hashlib
from collections import Counter

from npc_server.records import Address
from npc_server.world.town_records import TownThing


class Incidents:
    """Counts how often each thing was used for each action, and decides when that goes wrong."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._done: Counter[tuple[Address, str]] = Counter()

    def after(self, thing: TownThing, action: str) -> str:
        """Counts an action. Returns the state that the thing gets if it goes wrong now, else an empty text."""
        self._done[thing.address, action] += 1
        times = self._done[thing.address, action]
        for incident in thing.incidents:
            if incident.action != action:
                continue
            if (incident.every and times % incident.every == 0) or self._chance(thing.address, action, times) < incident.chance:
                return incident.becomes
        return ""

    def _chance(self, address: Address, action: str, times: int) -> float:
        """Returns a number from 0 to 1. It depends only on the seed, the thing, the action and its count."""
        text = f"{self._seed}\x1f{address}\x1f{action}\x1f{times}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little") / 2**32
