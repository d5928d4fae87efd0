"""Answers by hand: each question is a file, and somebody (a person, another program) writes the answer into another.

`questions/0007.json` asks; `answers/0007.txt` answers, in the form the prompt asks for. An answer that cannot be read stays beside
as `answers/0007.refused.txt`, and the question says what is wrong with it. What was answered is removed: `recorded.RecordedEngine`
keeps it, so that a run that was broken off goes on where it was.
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
from npc_server.llm.recorded import CONTEXT_TOKENS, digest

QUESTIONS, ANSWERS = "questions", "answers"
README = "README.txt"
POLL_S = 0.3
"""Wall seconds between two looks for an answer."""
NAME = "by-hand"


class ByHandEngine:
    """Implements `Engine`. Nothing has a deadline."""

    def __init__(self, folder: Path, poll_s: float = POLL_S) -> None:
        """Makes the folder. Questions left by an earlier run are taken away; their answers, where written, are used when asked again."""
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
                    request.reply.parse(text)
                    break
                except ReplyUnreadable as error:
                    note = f"{error} Write it again, in the form asked for. You wrote: {text}"
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
        """Answers of an earlier run that nobody read, by the prompt's digest."""
        found: dict[str, str] = {}
        for path in sorted(self.questions.glob("*.json")):
            answer = self._answer_file(int(path.stem)) if path.stem.isdigit() else None
            if answer is not None and answer.is_file():
                found[str(json.loads(path.read_text(encoding="utf-8"))["digest"])] = _words(answer)
            path.unlink()
        for path in self.answers.glob("[0-9]*.txt"):  # numbers begin anew
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
        """The answer, once its file is there and no longer grows."""
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
        """Nobody shall answer what is no longer asked."""
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
    """Zero where there is no such file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
