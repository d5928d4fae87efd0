"""Reads files of examples, one JSON object a line, and says where a line is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Text = Field(min_length=1, max_length=400)
HELD_BACK = 10
"""Each line whose number this divides is kept for testing."""


class Record(BaseModel):
    """What a line of a file is, and its parts."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Written(Generic[R]):
    """An example and where it stands."""

    file: str
    line: int
    example: R


class BadExample(ValueError):
    """A line of a file is no example. The text has file, line, field and what is wrong."""


def read_lines(path: Path, record: type[R]) -> Iterator[Written[R]]:
    """The examples of a file. Empty lines are left out. Raises BadExample."""
    for number, text in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not text.strip():
            continue
        try:
            yield Written(path.name, number, record.model_validate_json(text))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "line"
            raise BadExample(f"{path.name}:{number}: {where}: {first['msg']}") from error


def held_back(line: int) -> bool:
    """Whether the example on this line is kept for testing and never trained on: each tenth of a file."""
    return line % HELD_BACK == 0
