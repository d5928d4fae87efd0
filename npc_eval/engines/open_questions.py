"""The side of those who answer by hand: which questions of a folder are open, giving an answer, and what became of it.

Several people may answer at once. Only the first answer to a question counts, and each person is told what became of theirs.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from npc_eval.engines.by_hand import ANSWERS, OUTCOMES, POLL_S, QUESTIONS, RUN, AnswerOutcome, RunState, is_running
from npc_server.errors import BadInput

_HEAD = re.compile(r"={3,}\s*#?(\d+)\s*")
"""Begins an answer among several: `=== 12`."""


@dataclass(frozen=True)
class OpenQuestion:
    """A question that waits for its answer."""

    number: int
    stage: str
    npc: str
    time: str
    """Game time, such as `Monday 4 May, 10:20`."""
    note: str
    """What was wrong with the last answer. Empty for a new question."""
    system: str
    user: str


@dataclass(frozen=True)
class GivenAnswer:
    """What became of an answer, and why it was refused."""

    number: int
    outcome: AnswerOutcome
    why: str = ""


def find(folder: Path, npcs: Collection[str] = (), stages: Collection[str] = ()) -> list[OpenQuestion]:
    """Returns the open questions, oldest first. `npcs` are beginnings of ids, such as `mara`, and `stages` whole names. Empty means all."""
    found = [question for path in sorted((folder / QUESTIONS).glob("*.json")) for question in _read(path)]
    return [
        it for it in found if (not npcs or it.npc.startswith(tuple(npcs))) and (not stages or it.stage in stages)
    ]  # fmt: skip


def check_asked(folder: Path) -> None:
    """Raises BadInput when no run ever asked in this folder."""
    if not (folder / RUN).is_file():
        raise BadInput(f"No run asks in {str(folder)!r}.", f"Start one: --model by-hand:{folder}", folder=folder)


def has_ended(folder: Path) -> bool:
    """Whether the last run came to its end. False if it goes on, or was broken off."""
    return bool(json.loads((folder / RUN).read_text(encoding="utf-8"))["state"] == RunState.ENDED.value)


def give(folder: Path, number: int, text: str, sleep: Callable[[float], None] = time.sleep) -> GivenAnswer:
    """Answers a question, and waits until the run has taken or refused it.

    Raises BadInput when the question is not open, when somebody else answers it, or when the run is gone.
    """
    if not text.strip():
        raise BadInput(f"The answer to question {number} is empty.", "Write it to the standard input.", number=number)
    outcomes = folder / OUTCOMES
    begin = outcomes.stat().st_size if outcomes.is_file() else 0
    if not (folder / QUESTIONS / f"{number:04}.json").is_file():
        raise _not_open(folder, number)
    mine = _put(folder, number, text.strip())
    while True:
        for line in _outcomes(outcomes, begin):
            if line["number"] == number:
                found = GivenAnswer(number, AnswerOutcome(line["outcome"]), str(line["why"]))
                if line["answer"] == text.strip():
                    return found
                _take_back(mine, text)
                raise _not_open(folder, number)
        if not is_running(folder):
            raise BadInput(f"The run is gone before it read the answer to question {number}.", "Start it again; it reads the answer then.")
        sleep(POLL_S)


def split_answers(text: str) -> list[tuple[int, str]]:
    """Splits several answers, each after a line `=== NUMBER`. Raises BadInput when something stands before the first one."""
    found: list[tuple[int, list[str]]] = []
    for line in text.splitlines():
        head = _HEAD.fullmatch(line.strip())
        if head:
            found.append((int(head[1]), []))
        elif found:
            found[-1][1].append(line)
        elif line.strip():
            raise BadInput(f"{line[:60]!r} stands before the first number.", "Begin each answer with a line such as: === 12")
    if not found:
        raise BadInput("There is no answer.", "Begin each answer with a line such as: === 12")
    return [(number, "\n".join(lines).strip()) for number, lines in found]


def _read(path: Path) -> Iterator[OpenQuestion]:
    """The question of a file; nothing if it has just been answered."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    yield OpenQuestion(**{name: found[name] for name in OpenQuestion.__dataclass_fields__})


def _put(folder: Path, number: int, text: str) -> Path:
    """Puts the answer into its place as a whole, where no other one is."""
    place = folder / ANSWERS / f"{number:04}.txt"
    handle, name = tempfile.mkstemp(prefix=f"{place.stem}.", suffix=".new", dir=place.parent)
    beside = Path(name)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    try:
        os.link(beside, place)
    except FileExistsError as error:
        raise BadInput(f"Somebody else is answering question {number}.", "Go on with another one.", number=number) from error
    finally:
        beside.unlink()
    return place


def _take_back(place: Path, text: str) -> None:
    """Removes an answer to a question that is gone."""
    if place.is_file() and place.read_text(encoding="utf-8").strip() == text.strip():
        place.unlink()


def _not_open(folder: Path, number: int) -> BadInput:
    before = [line for line in _outcomes(folder / OUTCOMES, 0) if line["number"] == number]
    if before and before[-1]["outcome"] == AnswerOutcome.TAKEN.value:
        what = f"Question {number} was answered already: {before[-1]['answer']!r}."
    elif before:
        what = f"Question {number} is no longer asked."
    else:
        what = f"There is no question {number}."
    return BadInput(what, "Look at what is open now.", number=number)


def _outcomes(path: Path, begin: int) -> list[dict[str, str | int]]:
    """The lines of outcomes after a byte; a line that is being written is left for later."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        file.seek(begin)
        return [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith(b"\n")]
