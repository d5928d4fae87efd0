"""Fits an old recording to prompts whose wording has changed, so that a changed word does not cost a day of answering.

A new prompt gets the answer of the old one that asked the same: same NPC, stage and game time, and of these the most similar text. It
must still be readable as a reply to the new prompt. Around a `RecordedEngine` with an empty recording this writes the recording anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npc_eval.engines.by_hand import why_unusable
from npc_eval.engines.recorded import Recording, recorded_status
from npc_eval.engines.recording_file import RecordedAnswer, digest
from npc_server.errors import ModelMissing
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.no_model import estimate_tokens
from npc_server.llm.score import cannot_score

LEAST_SHARED = 0.5
"""Least share of words that two prompts must have in common to ask the same. Changed wording leaves most of a prompt as it was."""


@dataclass(frozen=True)
class Unanswered:
    """A prompt that needs a new answer, and why."""

    request: Request
    why: str


class NearMatchEngine:
    """Implements `Engine`. A prompt without a fitting answer goes to `otherwise`; without that, instinct answers."""

    def __init__(self, recording: Recording, otherwise: Engine | None = None, asked_as: Mapping[str, object] | None = None) -> None:
        self._status = recorded_status(asked_as or {})
        self.exact, self.near = 0, 0
        self.unanswered: list[Unanswered] = []
        self._left: dict[tuple[str, str, int | None], list[RecordedAnswer]] = {}
        self._size, self._otherwise = len(recording), otherwise
        for found in recording:
            self._left.setdefault((found.npc, found.stage, found.at), []).append(found)

    @property
    def unused(self) -> list[RecordedAnswer]:
        """Old answers that no prompt asked for."""
        return [found for answers in self._left.values() for found in answers]

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        left = self._left.get((request.npc, request.stage, request.at), [])
        found = next((it for it in left if digest(it) == digest(request)), None)
        if found is not None:
            self.exact += 1
        else:
            found, why = _most_similar(left, request)
            if found is None:
                return await self._unanswered(request, why)
            self.near += 1
        left.remove(found)
        if on_text is not None:
            on_text(found.answer)
        prompt, reply = estimate_tokens([request.system + request.asked, found.answer])
        return Completion(found.answer, prompt, 0, reply, 0.0)

    async def _unanswered(self, request: Request, why: str) -> Completion:
        self.unanswered.append(Unanswered(request, why))
        if self._otherwise is not None:
            return await self._otherwise.complete(request)
        raise ModelMissing(f"The prompt {request.stage!r} of {request.npc!r} needs a new answer.", "Write it by hand.")

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        raise cannot_score("A recording")

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return estimate_tokens(texts)

    def status(self) -> EngineStatus:
        return self._status

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        if self._otherwise is not None:
            await self._otherwise.close()


def _most_similar(left: Sequence[RecordedAnswer], request: Request) -> tuple[RecordedAnswer | None, str]:
    """The old answer to the most similar prompt that fits the new one, or why there is none."""
    why = "Nothing was asked then." if not left else "What was asked then is too different."
    new = Counter(_words(request))
    scored = [(_shared(Counter(_words(it)), new), it) for it in left]
    for shared, found in sorted(scored, key=lambda pair: -pair[0]):
        if shared < LEAST_SHARED:
            break
        wrong = why_unusable(request, found.answer)
        if not wrong:
            return found, ""
        why = f"The old answer no longer fits: {wrong}"
    return None, why


def _words(asked: Request | RecordedAnswer) -> list[str]:
    user = asked.asked if isinstance(asked, Request) else asked.user
    return f"{asked.system} {user}".split()


def _shared(one: Counter[str], other: Counter[str]) -> float:
    """Share of words in common, 0 to 1."""
    return 2 * (one & other).total() / max(one.total() + other.total(), 1)
