"""An engine whose answers are written by hand: it writes each question to a file, and a person or a program writes the answer to another.

`questions/0007.json` asks, and `answers/0007.txt` answers in the format that the prompt asks for. An answer that does not parse is
renamed to `answers/0007.refused.txt`, and the question then says what is wrong. Answered questions are removed. `recorded.RecordedEngine`
keeps their answers, so that an interrupted run continues where it stopped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from npc_server.errors import BadInput, ReplyUnreadable
from npc_server.llm.absent import estimate_tokens
from npc_server.llm.engine import Completion, EngineStatus, OnText, Request
from npc_server.llm.mend_reply import read
from npc_server.llm.recorded import CONTEXT_TOKENS, digest

QUESTIONS, ANSWERS = "questions", "answers"
README = "README.txt"
POLL_S = 0.3
"""Wall seconds between two checks for an answer."""
NAME = "by-hand"


class ByHandEngine:
    """Implements `Engine`. It waits for an answer without a deadline."""

    def __init__(self, folder: Path, poll_s: float = POLL_S) -> None:
        """Makes the folder. Raises BadInput when it cannot be written.

        Questions left by an earlier run are removed. Their answers, if there are any, are used when the same prompt comes again.
        """
        self.questions, self.answers, self._poll_s = folder / QUESTIONS, folder / ANSWERS, poll_s
        self._waiting = 0
        try:
            for part in (self.questions, self.answers):
                part.mkdir(parents=True, exist_ok=True)
            (folder / README).write_text(_instructions(), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"The folder {str(folder)!r} cannot be written: {error.strerror}.", "Name another.") from error
        self._left = self._take_left()
        self._last = 0

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self._last += 1
        number, note = self._last, ""
        text = self._left.pop(digest(request), None)
        self._waiting += 1
        try:
            while True:
                if text is None:
                    self._ask(number, request, note)
                    text = await self._written(number)
                try:
                    read(request.reply, text)
                    break
                except ReplyUnreadable as error:
                    note = f"{error} Write it again in the format that the prompt asks for. You wrote: {text}"
                    self._refuse(number, text)
                    text = None
        finally:
            self._waiting -= 1
            self._clear(number)
        if on_text is not None:
            on_text(text)
        prompt, reply = estimate_tokens([request.system + request.user, text])
        return Completion(text, prompt, 0, reply, 0.0)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return estimate_tokens(texts)

    def status(self) -> EngineStatus:
        return EngineStatus(ready=True, model=NAME, context_tokens=CONTEXT_TOKENS, waiting=self._waiting)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        pass

    def _take_left(self) -> dict[str, str]:
        """Returns the answers that an earlier run did not read, by the digest of their prompts."""
        found: dict[str, str] = {}
        for path in sorted(self.questions.glob("*.json")):
            answer = self._answer_file(int(path.stem)) if path.stem.isdigit() else None
            if answer is not None and answer.is_file():
                found[str(json.loads(path.read_text(encoding="utf-8"))["digest"])] = _words(answer)
            path.unlink()
        for path in self.answers.glob("[0-9]*.txt"):  # the numbers start again at 1
            path.unlink()
        return found

    def _ask(self, number: int, request: Request, note: str) -> None:
        asked = {
            "number": number,
            "stage": request.stage,
            "npc": request.npc,
            "digest": digest(request),
            "note": note,
            "max_tokens": request.max_tokens,
            "system": request.system,
            "user": request.user,
        }
        path = self.questions / f"{number:04}.json"
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(asked, ensure_ascii=False, indent=1), encoding="utf-8")
        beside.replace(path)

    async def _written(self, number: int) -> str:
        """Waits until the answer's file is there and no longer grows, and returns its text."""
        path, before = self._answer_file(number), (-1, -1)
        while True:
            await asyncio.sleep(self._poll_s)
            now = _size_and_time(path)
            if now[0] > 0 and now == before:
                return _words(path)
            before = now

    def _refuse(self, number: int, text: str) -> None:
        path = self._answer_file(number)
        path.with_suffix(".refused.txt").write_text(text + "\n", encoding="utf-8")
        path.unlink(missing_ok=True)

    def _clear(self, number: int) -> None:
        """Removes the files of a question that is no longer asked, so that nobody answers it."""
        path = self._answer_file(number)
        for file in (self.questions / f"{number:04}.json", path, path.with_suffix(".refused.txt")):
            file.unlink(missing_ok=True)

    def _answer_file(self, number: int) -> Path:
        return self.answers / f"{number:04}.txt"


def _instructions() -> str:
    return resources.files("npc_server").joinpath("data/by_hand.txt").read_text(encoding="utf-8")


def _words(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").strip()


def _size_and_time(path: Path) -> tuple[int, int]:
    """Returns a file's size in bytes and its time of change in nanoseconds, or two zeros without a file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
