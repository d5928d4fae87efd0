"""Fields: a kind of reply that holds several fields on one line, so that the last field of a record can be a list of records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npc_server.llm.reply import Kind

SEPARATOR = " | "


@dataclass(frozen=True)
class Fields(Kind):
    """Several kinds in order, parted by ` | `, and what they become."""

    kinds: tuple[tuple[str, Kind], ...]
    build: Callable[..., object]
    """Takes the fields by name."""

    def describe(self, name: str) -> str:
        return SEPARATOR.join(kind.describe(field) for field, kind in self.kinds)

    def regex(self) -> str:
        return r" \| ".join(f"({kind.regex()})" for _, kind in self.kinds)

    def read(self, text: str) -> object:
        return self.of([kind.read(part) for (_, kind), part in zip(self.kinds, self.parts(text), strict=True)])

    def write(self, value: object) -> str:
        return SEPARATOR.join(kind.write(getattr(value, field)) for field, kind in self.kinds)

    def parts(self, text: str) -> list[str]:
        """The fields of a line. Raises ValueError."""
        parts = [part.strip() for part in text.split("|")]
        if len(parts) != len(self.kinds):
            raise ValueError(f"has {len(parts)} parts, and {len(self.kinds)} were asked for")
        return parts

    def of(self, values: Sequence[object]) -> object:
        return self.build(**{field: value for (field, _), value in zip(self.kinds, values, strict=True)})
