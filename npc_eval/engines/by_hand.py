"""An engine whose answers are written by hand: it writes each question to a file, and a person or a program writes the answer to another.

`questions/0007.json` asks, and `answers/0007.txt` answers in the format that the prompt asks for. An answer that cannot be used is
renamed to `answers/0007.refused.txt`, and the question then says what is wrong. Answered questions are removed. `outcomes.jsonl` says
what became of each answer, and `run.json` whether a run goes on. `recorded.RecordedEngine` keeps the answers, so that an interrupted
run continues where it stopped. `open_questions` is the side of those who answer.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from enum import Enum
from importlib import resources
from pathlib import Path

from npc_eval.engines.recorded import CONTEXT_TOKENS
from npc_eval.engines.recording_file import digest
from npc_server import clock
from npc_server.errors import BadInput, ReplyUnreadable
from npc_server.llm.engine import Completion, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.mend_reply import read
from npc_server.llm.no_model import estimate_tokens
from npc_server.llm.score import cannot_score
from npc_server.platform import processes
from npc_server.platform.files import write_whole

QUESTIONS, ANSWERS = "questions", "answers"
OUTCOMES, RUN = "outcomes.jsonl", "run.json"
README = "README.txt"
POLL_S = 0.1
"""Wall seconds between two checks for an answer."""
NAME = "by-hand"


class AnswerOutcome(str, Enum):
    """What became of an answer."""

    TAKEN = "taken"
    REFUSED = "refused"
    """It could not be used. The question is asked again, and says why."""
    GIVEN_UP = "given up"
    """Nobody waits for an answer any more."""


class RunState(str, Enum):
    RUNNING = "running"
    ENDED = "ended"


class ByHandEngine:
    """Implements `Engine`. It waits for an answer without a deadline."""

    def __init__(self, folder: Path, poll_s: float = POLL_S) -> None:
        """Makes the folder. Raises BadInput when it cannot be written, or when another run asks there.

        Questions left by an earlier run are removed. Their answers, if there are any, are used when the same prompt comes again.
        """
        self.questions, self.answers, self._poll_s = folder / QUESTIONS, folder / ANSWERS, poll_s
        self._outcomes, self._run = folder / OUTCOMES, folder / RUN
        self._waiting = 0
        if is_running(folder, but=os.getpid()):
            raise BadInput(f"Another run asks its questions in {str(folder)!r}.", "Name another folder, or end that run.", folder=folder)
        try:
            for part in (self.questions, self.answers):
                part.mkdir(parents=True, exist_ok=True)
            (folder / README).write_text(_instructions(), encoding="utf-8")
            self._last = last_number(folder)
            self._left = self._take_left()
            self._say_state(RunState.RUNNING)
        except OSError as error:
            raise BadInput(f"The folder {str(folder)!r} cannot be written: {error.strerror}.", "Name another.") from error

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self._last += 1
        number, note, outcome = self._last, "", AnswerOutcome.GIVEN_UP
        text = self._left.pop(digest(request), None)
        self._waiting += 1
        try:
            while True:
                if text is None:
                    self._ask(number, request, note)
                    text = await self._written(number)
                why = why_unusable(request, text)
                if not why:
                    outcome = AnswerOutcome.TAKEN
                    break
                note = f"{why} Write it again in the format that the prompt asks for. You wrote: {text}"
                self._refuse(number, request, note, text)
                text = None
        finally:
            self._waiting -= 1
            self._clear(number)
            self._tell(number, request, outcome, text or "")
        if on_text is not None:
            on_text(text)
        prompt, reply = estimate_tokens([request.system + request.asked, text])
        return Completion(text, prompt, 0, reply, 0.0)

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        raise cannot_score("A person who answers by hand")

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return estimate_tokens(texts)

    def status(self) -> EngineStatus:
        return EngineStatus(ready=True, model=NAME, context_tokens=CONTEXT_TOKENS, waiting=self._waiting)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        self._say_state(RunState.ENDED)

    def _take_left(self) -> dict[str, str]:
        """Returns the answers that an earlier run did not read, by the digest of their prompts."""
        found: dict[str, str] = {}
        for path in sorted(self.questions.glob("*.json")):
            answer = self._answer_file(int(path.stem)) if path.stem.isdigit() else None
            if answer is not None and answer.is_file():
                found[str(json.loads(path.read_text(encoding="utf-8"))["digest"])] = _words(answer)
            path.unlink()
        for path in self.answers.glob("[0-9]*.txt"):
            path.unlink()
        return found

    def _ask(self, number: int, request: Request, note: str) -> None:
        asked = {
            "number": number,
            "stage": request.stage,
            "npc": request.npc,
            "time": "" if request.at is None else f"{clock.date(request.at)}, {clock.hhmm(request.at)}",
            "digest": digest(request),
            "note": note,
            "max_tokens": request.max_tokens,
            "system": request.system,
            "user": request.asked,
        }
        write_whole(self.questions / f"{number:04}.json", json.dumps(asked, ensure_ascii=False, indent=1))

    async def _written(self, number: int) -> str:
        """Waits until the answer's file is there and no longer grows, and returns its text."""
        path, before = self._answer_file(number), (-1, -1)
        while True:
            await asyncio.sleep(self._poll_s)
            now = _size_and_time(path)
            if now[0] > 0 and now == before:
                return _words(path)
            before = now

    def _refuse(self, number: int, request: Request, note: str, text: str) -> None:
        """Asks again before the answer goes, so that who reads the outcome finds the question."""
        path = self._answer_file(number)
        self._ask(number, request, note)
        path.with_suffix(".refused.txt").write_text(text + "\n", encoding="utf-8")
        path.unlink(missing_ok=True)
        self._tell(number, request, AnswerOutcome.REFUSED, text, note)

    def _clear(self, number: int) -> None:
        """Removes the files of a question that is no longer asked, so that nobody answers it."""
        path = self._answer_file(number)
        for file in (self.questions / f"{number:04}.json", path, path.with_suffix(".refused.txt")):
            file.unlink(missing_ok=True)

    def _tell(self, number: int, request: Request, outcome: AnswerOutcome, answer: str, why: str = "") -> None:
        """Adds a line for those who answer. Numbers go on from there in the next run, so that no answer reaches another question."""
        line = {"number": number, "npc": request.npc, "stage": request.stage, "outcome": outcome.value, "answer": answer, "why": why}
        with self._outcomes.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _say_state(self, state: RunState) -> None:
        write_whole(self._run, json.dumps({"state": state.value, "process": os.getpid()}) + "\n")

    def _answer_file(self, number: int) -> Path:
        return self.answers / f"{number:04}.txt"


def is_running(folder: Path, but: int = 0) -> bool:
    """Whether a process asks in the folder. The process `but` does not count."""
    try:
        run = json.loads((folder / RUN).read_text(encoding="utf-8"))
    except OSError:
        return False
    return run["state"] == RunState.RUNNING.value and run["process"] != but and processes.is_running(int(run["process"]))


def last_number(folder: Path) -> int:
    """Returns the number of the last question of a folder, 0 without one."""
    path = folder / OUTCOMES
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    asked = [int(file.stem) for file in (folder / QUESTIONS).glob("*.json") if file.stem.isdigit()]
    return max([0, *asked, *(int(json.loads(line)["number"]) for line in lines)])


def why_unusable(request: Request, text: str) -> str:
    """Says why an answer cannot be used; empty if it can."""
    try:
        read(request.reply, text)
    except ReplyUnreadable as error:
        return str(error)
    return request.wrong(text) if request.wrong is not None else ""


def _instructions() -> str:
    return resources.files("npc_eval").joinpath("data/by_hand.txt").read_text(encoding="utf-8")


def _words(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").strip()


def _size_and_time(path: Path) -> tuple[int, int]:
    """Returns a file's size in bytes and its time of change in nanoseconds, or two zeros without a file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
