"""The files that the steps of the evaluation exchange: answers and rankings, as JSON that is checked when it is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from npc_eval.believability_study.conditions import Condition
from npc_server.errors import BadInput, FileProblem, Problem
from npc_server.platform.files import write_whole

MOST_PROBLEMS = 20
"""Most mistakes that are reported of one file."""
M = TypeVar("M", bound=BaseModel)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RememberedLine(_Record):
    """A memory, as prompts show it."""

    id: int
    kind: str
    at: str
    """Game time, like `2026-05-04 06:30`."""
    importance: int
    text: str


class InterviewedPerson(_Record):
    npc: str
    name: str
    description: str
    memories: tuple[RememberedLine, ...]
    """The whole memory stream at the time of the interview, oldest first."""


class InterviewAnswer(_Record):
    npc: str
    category: str
    question: str
    condition: Condition
    answer: str
    source: str = ""
    """`model` or `instinct`; empty for the answer of a person."""
    evidence: tuple[int, ...] = ()
    """Ids of the memories that the prompt showed, best first."""


class Interviews(_Record):
    """The answers of all people to all questions under all conditions."""

    format: Literal["npc-server believability answers"] = "npc-server believability answers"
    version: Literal[1] = 1
    town: str
    asked_at: str
    """Game time of the interviews."""
    seed: int
    model: str
    """The name of the model, or `none` if instinct answered."""
    embedding_model: str
    people: tuple[InterviewedPerson, ...] = Field(min_length=1)
    answers: tuple[InterviewAnswer, ...] = Field(min_length=1)

    def person(self, npc: str) -> InterviewedPerson:
        return next(person for person in self.people if person.npc == npc)

    def asked(self) -> list[tuple[str, str, str]]:
        """Returns person, category and text of each question, in order."""
        return list(dict.fromkeys((it.npc, it.category, it.question) for it in self.answers))

    def answers_to(self, npc: str, question: str) -> list[InterviewAnswer]:
        """Returns the answers to a question in the order of the conditions."""
        order = list(Condition)
        found = [it for it in self.answers if (it.npc, it.question) == (npc, question)]
        return sorted(found, key=lambda it: order.index(it.condition))

    def digest(self) -> str:
        """Identifies these answers in files of rankings."""
        return hashlib.blake2b(self.model_dump_json().encode(), digest_size=6).hexdigest()


class Ranking(_Record):
    """How one judge ranked the answers to one question. 1 is the most believable. Equal answers share the mean of their places."""

    npc: str
    category: str
    question: str
    ranks: dict[Condition, float] = Field(min_length=2)


class PositionBias(_Record):
    """How far a judge agrees with itself when it sees the answers in the opposite order."""

    asked_twice: int
    kendall_tau: float
    """Mean over all questions: 1 for the same order both times, -1 for the opposite order."""
    same_first: float
    """Share of questions with the same most believable answer."""
    first_shown_first: float
    """Share of replies that ranked the answer shown first as the best. Without bias this is 1 divided by the number of answers."""


class RankFile(_Record):
    """All rankings of one judge."""

    format: Literal["npc-server believability ranks"] = "npc-server believability ranks"
    version: Literal[1] = 1
    answers: str
    """`Interviews.digest` of the ranked answers."""
    judge: str
    seed: int
    rankings: tuple[Ranking, ...]
    unanswered: int = 0
    """Number of questions without a readable order."""
    position_bias: PositionBias | None = None


def read_interviews(path: Path) -> Interviews:
    """Raises FileProblem with every mistake."""
    found = _read(path, Interviews, "`npc-server eval believability run` makes a file of answers.")
    strangers = {it.npc for it in found.answers} - {person.npc for person in found.people}
    if strangers:
        raise _problem(path, f"There are answers of {sorted(strangers)[0]!r}, who is not among the people.", "Make the file again.")
    twice = _repeated([(it.npc, it.question, it.condition) for it in found.answers])
    if twice:
        raise _problem(path, f"{twice[0]!r} has two answers to {twice[1]!r} under {twice[2].value!r}.", "Delete one.")
    return found


def read_ranks(path: Path) -> RankFile:
    """Raises FileProblem with every mistake."""
    found = _read(path, RankFile, "A page or `npc-server eval believability judge` makes a file of ranks.")
    for ranking in found.rankings:
        # The sum of all places is the same, whatever ties there are.
        places = len(ranking.ranks)
        if abs(sum(ranking.ranks.values()) - places * (places + 1) / 2) > 1e-6 or min(ranking.ranks.values()) < 1:
            what = f"The ranks for {ranking.question!r} are not the places 1 to {places}."
            raise _problem(path, what, "Give each its place; equals share the mean of theirs.")
    return found


def write_json(path: Path, made: BaseModel) -> None:
    """Writes a file, which is replaced as a whole or not at all. Raises BadInput if it cannot be written."""
    try:
        write_whole(path, made.model_dump_json(indent=1) + "\n")
    except OSError as error:
        raise BadInput(f"The file {str(path)!r} cannot be written: {error.strerror}.", "Choose another place.", file=path) from error


def _read(path: Path, model: type[M], makes: str) -> M:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _problem(path, f"The file cannot be read: {error.strerror}.", "Check its path and permissions.") from error
    wanted = model.model_fields["format"].default
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _problem(path, "This is not JSON.", makes) from error
    if not isinstance(raw, dict) or raw.get("format") != wanted:
        raise _problem(path, f"This is another kind of file: its format is not {wanted!r}.", makes)
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        told = [Problem(str(path), 0, _told(item["loc"], item["msg"]), "") for item in error.errors(include_url=False)]
        raise FileProblem(tuple(dict.fromkeys(told))[:MOST_PROBLEMS]) from error


def _told(loc: Sequence[str | int], said: str) -> str:
    where = ".".join(map(str, loc))
    return f"{where}: {said}." if where else f"{said}."


def _repeated(keys: Sequence[tuple[str, str, Condition]]) -> tuple[str, str, Condition] | None:
    seen: set[tuple[str, str, Condition]] = set()
    return next((key for key in keys if key in seen or seen.add(key)), None)  # type: ignore[func-returns-value]


def _problem(path: Path, what: str, fix: str) -> FileProblem:
    return FileProblem((Problem(str(path), 0, what, fix),))
