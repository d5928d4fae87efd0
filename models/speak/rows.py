"""The rows of a training: examples as tokens, drawn in a fixed order from each kind."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from models.speak import worlds
from models.speak.base import Base, encode
from models.speak.lines import FOLDER
from models.speak.render import messages
from models.speak.tree import Row, filled, pack
from models.speak.worlds import World

SHARES = {"talks": 0.66, "meetings": 0.12, "days": 0.05, "reactions": 0.07, "summaries": 0.06, "reflections": 0.04}
"""Share of all tokens that each kind gets, for what players notice most."""
LONGEST = 1536
"""Most tokens of a row. What is longer is cut into several rows."""


@dataclass(frozen=True)
class Place:
    """Where an example stands: the file's world and the line."""

    kind: str
    world: World
    number: int


def places(kind: str, held_back: bool, seed: int, folder: Path = FOLDER) -> list[Place]:
    """All examples of a kind in a seeded order: those to train on, or those that are kept for testing."""
    found = [
        Place(kind, world, number)
        for world in (worlds.load(name, folder) for name in worlds.names(folder))
        for number, written in enumerate(world.of(kind))
        if world.holds_back(written) == held_back
    ]
    random.Random(f"{kind} {seed}").shuffle(found)
    return found


def rows_of(base: Base, place: Place) -> list[Row]:
    """An example as rows. Each holds as many answers as fit into `LONGEST`."""
    made = messages(place.world, place.world.of(place.kind)[place.number])
    pairs = list(encode(base.tokenizer, [(it.system, it.user, it.answer) for it in made]))
    rows: list[Row] = []
    while pairs:
        count = len(pairs)
        row = pack(pairs)
        while len(row.ids) > LONGEST and count > 1:
            count = max(1, count * LONGEST // len(row.ids) if len(row.ids) > 2 * LONGEST else count - 1)
            row = pack(pairs[:count])
        rows.append(filled(row))
        pairs = pairs[count:]
    return rows


class Drawn:
    """Draws rows without end, each kind by its share of the tokens. `used` says how many examples of each kind were drawn."""

    def __init__(self, base: Base, seed: int, used: Mapping[str, int], folder: Path = FOLDER) -> None:
        self.base = base
        self.places = {kind: found for kind in SHARES if (found := places(kind, False, seed, folder))}
        self.used = {kind: used.get(kind, 0) for kind in self.places}
        self.tokens = dict.fromkeys(self.places, 0.0)

    def __iter__(self) -> Iterator[tuple[str, Row]]:
        while True:
            kind = min(self.places, key=lambda it: self.tokens[it] / SHARES[it])
            place = self.places[kind][self.used[kind] % len(self.places[kind])]
            self.used[kind] += 1
            for row in rows_of(self.base, place):
                self.tokens[kind] += len(row.ids)
                yield kind, row
