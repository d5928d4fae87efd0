"""Answers that were recorded, by prompt: a life that was played once is played again without a model."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO

import structlog

from npc_server.errors import BadInput, FileProblem, ModelMissing, Problem
from npc_server.llm.absent import estimate_tokens
from npc_server.llm.engine import Completion, Engine, EngineStatus, OnText, Request

FILE = "recorded.jsonl"
NAME = "recorded"
CONTEXT_TOKENS = 32768
"""What prompts are cut to must be the same in every run of a recording, whoever answered it."""
SHOWN = 100
"""Characters of a line that a message quotes."""
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RecordedAnswer:
    """A prompt in full, and what was answered."""

    stage: str
    npc: str
    system: str
    user: str
    answer: str


def digest(asked: Request | RecordedAnswer) -> str:
    """Names a prompt: the question's name, who is asked, and both texts. The seed is no part of it."""
    text = json.dumps([asked.stage, asked.npc, asked.system, asked.user])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class Recording:
    """The answers of a folder, in the order they were given. Each is on disk before it is used."""

    def __init__(self, folder: Path) -> None:
        """Raises FileProblem where a line of the folder's file is no recorded answer."""
        self.path = folder / FILE
        self._by_digest: dict[str, list[RecordedAnswer]] = {}
        for found in _read(self.path):
            self._by_digest.setdefault(digest(found), []).append(found)

    def __len__(self) -> int:
        return sum(map(len, self._by_digest.values()))

    def answers_to(self, request: Request) -> list[str]:
        """What was answered to this prompt, first to last; a prompt may have come up several times."""
        return [found.answer for found in self._by_digest.get(digest(request), [])]

    def add(self, request: Request, answer: str) -> None:
        """Writes the answer behind all others."""
        made = RecordedAnswer(request.stage, request.npc, request.system, request.user, answer)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            _drop_half_line(file)
            file.write((json.dumps(asdict(made), ensure_ascii=False) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())
        self._by_digest.setdefault(digest(made), []).append(made)

    def difference(self, request: Request) -> str:
        """The first line in which a new prompt differs from the recorded one that is most like it, in words."""
        same = [it for found in self._by_digest.values() for it in found if (it.stage, it.npc) == (request.stage, request.npc)]
        if not same:
            return f"No prompt {request.stage!r} of {request.npc!r} is recorded."
        new = _lines(request)
        near = max((_lines(it) for it in same), key=lambda lines: _shared(lines, new))
        at = _shared(near, new)
        before, now = (lines[at] if at < len(lines) else "(no more lines)" for lines in (near, new))
        return f"The nearest that is recorded has {before[:SHOWN]!r} where {now[:SHOWN]!r} is now."


class RecordedEngine:
    """Implements `Engine`: answers a prompt as the recording does, the first time with the first answer, and so on.

    A prompt that is not recorded goes to the engine `otherwise`, and its answer is recorded. Where there is none, instinct answers,
    and `missing` keeps the request; see `require_complete`.
    """

    def __init__(self, recording: Recording, otherwise: Engine | None = None) -> None:
        self.recording = recording
        self.missing: list[Request] = []
        self._otherwise = otherwise
        self._asked: Counter[str] = Counter()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        answers, key = self.recording.answers_to(request), digest(request)
        number = self._asked[key]
        self._asked[key] += 1
        if number < len(answers):
            text = answers[number]
        elif self._otherwise is not None:
            text = (await self._otherwise.complete(request)).text
            self.recording.add(request, text)
        elif answers:
            text = answers[-1]
        else:
            raise self._not_recorded(request)
        if on_text is not None:
            on_text(text)
        prompt, reply = estimate_tokens([request.system + request.user, text])
        return Completion(text, prompt, 0, reply, 0.0)

    def _not_recorded(self, request: Request) -> ModelMissing:
        self.missing.append(request)
        if len(self.missing) == 1:  # what follows is new because of it
            log.warning("a prompt is not recorded", stage=request.stage, npc=request.npc, why=self.recording.difference(request))
        return ModelMissing(f"The prompt {request.stage!r} of {request.npc!r} is not recorded.", "Record it by hand.")

    def require_complete(self) -> None:
        """Raises BadInput that names the first prompt without a recorded answer, if there was one."""
        if self.missing:
            first = self.missing[0]
            raise BadInput(
                f"Prompts without an answer in {self.recording.path}: {len(self.missing)}. The first is {first.stage!r} of {first.npc!r}. "
                f"{self.recording.difference(first)}",
                f"Answer what is new: --model by-hand:{self.recording.path.parent}",
            )

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return estimate_tokens(texts)

    def status(self) -> EngineStatus:
        if self._otherwise is None:
            return EngineStatus(ready=True, model=NAME, context_tokens=CONTEXT_TOKENS)
        return replace(self._otherwise.status(), context_tokens=CONTEXT_TOKENS)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        if self._otherwise is not None:
            await self._otherwise.close()


def _read(path: Path) -> Iterable[RecordedAnswer]:
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.endswith("\n"):
            return  # see `Recording.add`
        try:
            found = json.loads(line)
            made = RecordedAnswer(**found)
            if not all(isinstance(part, str) for part in asdict(made).values()):
                raise TypeError
        except (ValueError, TypeError) as error:
            raise FileProblem(
                (Problem(str(path), number, "This line is no recorded answer.", "Delete it, and it is asked again."),)
            ) from error
        yield made


def _drop_half_line(file: BinaryIO) -> None:
    """A run may have ended while it wrote: half a line is no answer. Reads one byte of a file that is whole."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return
    file.seek(size - 1)
    if file.read(1) != b"\n":
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)


def _lines(asked: Request | RecordedAnswer) -> list[str]:
    return [*asked.system.splitlines(), *asked.user.splitlines()]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are the same before the first that differs."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
