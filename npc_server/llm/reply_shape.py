"""How the fields of a reply follow each other. Each notation of grammars is written from it, so none of them walks a reply itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Line = tuple[str | int, ...]
"""Text as it stands, and the numbers of fields."""


@dataclass(frozen=True)
class ReplyShape:
    """What comes first, and the line that may follow it several times."""

    first: Line
    again: Line = ()
    times: tuple[int, int] = (0, 0)
    """How often `again` follows, at least and at most."""

    def rules(self) -> dict[str, str]:
        """The rules `start` and, where a line is repeated, `record` or `again`. They are the same in Lark and GBNF: the field 2 is `F2`."""
        first, again = (" ".join(_written(line, json.dumps, lambda field: f"F{field}")) for line in (self.first, self.again))
        if not again:
            return {"start": first}
        name = "record" if self.again == self.first else "again"
        begin = name if self.again == self.first else first
        return {"start": begin + (f' ("\\n" {name}){self._count()}' if self.times[1] else ""), name: again}

    def pattern(self, fields: Sequence[str], literal: Callable[[str], str]) -> str:
        """One regular expression, of those of the fields. `literal` writes text as it stands."""
        first, again = ("".join(_written(line, literal, lambda field: f"({fields[field]})")) for line in (self.first, self.again))
        return first + (rf"(\n{again}){self._count()}" if self.times[1] else "")

    def _count(self) -> str:
        return f"{{{self.times[0]},{self.times[1]}}}"


def _written(line: Line, literal: Callable[[str], str], field: Callable[[int], str]) -> list[str]:
    return [literal(part) if isinstance(part, str) else field(part) for part in line]
