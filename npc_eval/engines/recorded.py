"""An engine that plays back recorded answers by their prompts, so that a run of a town can be repeated without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from npc_eval.engines.recording_file import FILE, RecordedAnswer, append, digest, read_answers
from npc_server.errors import BadInput, ModelMissing
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.no_model import estimate_tokens
from npc_server.llm.score import cannot_score
from npc_server.llm.shared_start import shared_start

NAME = "recorded"
CONTEXT_TOKENS = 32768
"""The same in every run of a recording, whoever answered it, because prompts are cut to it."""
SHOWN = 100
"""The most characters of a line that a message quotes."""
ASKED_AS = ("chats", "own_lines", "weak_at", "memories_shown", "places_shown")
"""What of a model's status decides how minds ask it."""
log = structlog.get_logger(__name__)


class Recording:
    """The recorded answers of a folder, in the order in which they were given. An answer is on disk before it is used."""

    def __init__(self, folder: Path) -> None:
        """Reads the folder's file. Raises FileProblem when a line of it is no recorded answer."""
        self.path = folder / FILE
        self._in_order: list[RecordedAnswer] = []
        self._by_digest: dict[str, list[RecordedAnswer]] = {}
        for found in read_answers(folder):
            self._keep(found)

    def __len__(self) -> int:
        return len(self._in_order)

    def __iter__(self) -> Iterator[RecordedAnswer]:
        return iter(self._in_order)

    def answers_to(self, request: Request) -> list[str]:
        """Returns the answers to this prompt, the first one first. A prompt may have been asked several times."""
        return [found.answer for found in self._by_digest.get(digest(request), [])]

    def add(self, request: Request, answer: str) -> None:
        """Appends an answer to the file."""
        made = RecordedAnswer(request.stage, request.npc, request.system, request.asked, answer, request.at)
        append(self.path, made)
        self._keep(made)

    def _keep(self, made: RecordedAnswer) -> None:
        self._in_order.append(made)
        self._by_digest.setdefault(digest(made), []).append(made)

    def difference(self, request: Request) -> str:
        """Says in which line a new prompt first differs from the recorded one that has most lines in common with its beginning."""
        same = [it for found in self._by_digest.values() for it in found if (it.stage, it.npc) == (request.stage, request.npc)]
        if not same:
            return f"No prompt {request.stage!r} of {request.npc!r} is recorded."
        new = _lines(request)
        near = max((_lines(it) for it in same), key=lambda lines: shared_start(lines, new))
        at = shared_start(near, new)
        before, now = (lines[at] if at < len(lines) else "(no more lines)" for lines in (near, new))
        return f"The most similar recorded prompt has {before[:SHOWN]!r} where this one has {now[:SHOWN]!r}."


def asked_as(status: EngineStatus) -> dict[str, object]:
    """Return what decides how minds ask a model, so that a recording of its answers can be asked in the same way. It fits into JSON."""
    found = {name: getattr(status, name) for name in ASKED_AS}
    return {name: sorted(it) if isinstance(it, frozenset) else it for name, it in found.items()}


def recorded_status(asked_as: Mapping[str, object]) -> EngineStatus:
    """Return the status of a recording whose answers came from a model that is asked like this; see `asked_as`."""
    values: dict[str, Any] = {name: frozenset(it) if isinstance(it, list) else it for name, it in asked_as.items()}
    return EngineStatus(ready=True, model=NAME, context_tokens=CONTEXT_TOKENS, **values)


class RecordedEngine:
    """Implements `Engine`. It answers a prompt with its first recorded answer, the next time with the second, and so on.

    A prompt that is not recorded goes to the engine `otherwise`, and its answer is recorded. Without such an engine instinct answers, and
    `missing` keeps the request; see `require_complete`.
    """

    def __init__(self, recording: Recording, otherwise: Engine | None = None, asked_as: Mapping[str, object] | None = None) -> None:
        """`asked_as` says how the model was asked whose answers these are. Without it, it is asked like a person who writes answers."""
        self.recording = recording
        self._status = recorded_status(asked_as or {})
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
        prompt, reply = estimate_tokens([request.system + request.asked, text])
        return Completion(text, prompt, 0, reply, 0.0)

    def _not_recorded(self, request: Request) -> ModelMissing:
        self.missing.append(request)
        if len(self.missing) == 1:  # later prompts differ because of this one
            log.warning("a prompt is not recorded", stage=request.stage, npc=request.npc, why=self.recording.difference(request))
        return ModelMissing(f"The prompt {request.stage!r} of {request.npc!r} is not recorded.", "Record it by hand.")

    def require_complete(self) -> None:
        """Raises BadInput when a prompt had no recorded answer. It names the first one."""
        if self.missing:
            first = self.missing[0]
            raise BadInput(
                f"Prompts without an answer in {self.recording.path}: {len(self.missing)}. The first is {first.stage!r} of {first.npc!r}. "
                f"{self.recording.difference(first)}",
                f"Answer the new prompts: --model by-hand:{self.recording.path.parent}",
            )

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        raise cannot_score("A recording")

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return estimate_tokens(texts)

    def status(self) -> EngineStatus:
        if self._otherwise is None:
            return self._status
        return replace(self._otherwise.status(), context_tokens=CONTEXT_TOKENS, scores=False)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        if self._otherwise is not None:
            await self._otherwise.close()


def _lines(asked: Request | RecordedAnswer) -> list[str]:
    user = asked.asked if isinstance(asked, Request) else asked.user
    return [*asked.system.splitlines(), *user.splitlines()]
