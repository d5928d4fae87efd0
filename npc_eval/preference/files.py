"""The files of the comparison: the talks that followed lines of players, and the verdicts (JSON)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from npc_server.errors import BadInput, FileProblem, Problem

M = TypeVar("M", bound=BaseModel)
HINT = "`npc-server eval preference run` and `judge` make such files."


class _PreferenceRecord(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlayedLine(_PreferenceRecord):
    said: str
    answer: str
    """Empty if the person said nothing."""
    by: str = ""
    """Who made the answer, such as `the model` or `instinct`. Empty if the build that answered does not say so."""


class PlayedLines(_PreferenceRecord):
    """One talk as it came."""

    town: str
    to: str
    name: str
    at: str
    player: str
    lines: tuple[PlayedLine, ...]


class TalksFile(_PreferenceRecord):
    """All talks of one build with one model."""

    format: Literal["npc-server talks"] = "npc-server talks"
    version: Literal[1] = 1
    by: str
    """Names what answered, such as `0.2.0 qwen3-1.7b`."""
    talks: tuple[PlayedLines, ...] = Field(min_length=1)

    def digest(self) -> str:
        """Identifies what was said in these talks in files of verdicts, whoever made the answers."""
        said = self.model_dump_json(exclude={"talks": {"__all__": {"lines": {"__all__": {"by"}}}}})
        return hashlib.blake2b(said.encode(), digest_size=6).hexdigest()


Side = Literal["first", "second", "same"]


class Verdict(_PreferenceRecord):
    """What a judge said of the two answers to one line. `first` and `second` are the files in the order in which they were given."""

    talk: int
    line: int
    better: Side
    makes_sense: tuple[bool, bool]
    contradicts: tuple[bool, bool]
    """Whether an answer goes against who the person is, the moment or the talk, or gives a secret away."""


class VerdictsFile(_PreferenceRecord):
    format: Literal["npc-server verdicts"] = "npc-server verdicts"
    version: Literal[1] = 1
    talks: tuple[str, str]
    """Digests of both files of talks."""
    by: tuple[str, str]
    """What answered in each."""
    judge: str
    seed: int
    verdicts: tuple[Verdict, ...]
    unanswered: int = 0
    """Lines on which the judge gave no readable verdict."""


def read_talks(path: Path) -> TalksFile:
    """Raises FileProblem."""
    return _read(path, TalksFile)


def read_verdicts(path: Path) -> VerdictsFile:
    """Raises FileProblem."""
    return _read(path, VerdictsFile)


def as_text(made: BaseModel) -> str:
    return made.model_dump_json(indent=1) + "\n"


def check_alike(one: TalksFile, other: TalksFile) -> None:
    """Raises BadInput unless both files answer the same lines of the same players."""
    for number, (first, second) in enumerate(zip(one.talks, other.talks, strict=False), 1):
        lines = [[it.said for it in talk.lines] for talk in (first, second)]
        if (first.town, first.to, first.at) != (second.town, second.to, second.at) or lines[0] != lines[1]:
            raise BadInput(f"Talk {number} is not the same in both files.", "Answer the same file of lines twice, with `run`.")
    if len(one.talks) != len(other.talks):
        raise BadInput(f"One file has {len(one.talks)} talks, the other {len(other.talks)}.", "Answer the same file of lines twice.")


def _read(path: Path, model: type[M]) -> M:
    wanted = model.model_fields["format"].default
    try:
        data = path.read_bytes()
        raw = json.loads(data)
    except OSError as error:
        raise _problem(path, f"The file cannot be read: {error.strerror}.", "Check its path and permissions.") from error
    except (ValueError, RecursionError) as error:
        raise _problem(path, "This is not JSON.", HINT) from error
    if not isinstance(raw, dict) or raw.get("format") != wanted:
        raise _problem(path, f"This is another kind of file: its format is not {wanted!r}.", HINT)
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        told = [Problem(str(path), 0, f"{'.'.join(map(str, it['loc']))}: {it['msg']}.", HINT) for it in error.errors(include_url=False)]
        raise FileProblem(tuple(dict.fromkeys(told))[:20]) from error


def _problem(path: Path, what: str, fix: str) -> FileProblem:
    return FileProblem((Problem(str(path), 0, what, fix),))
