"""What came of a model's evaluation: of each case, of each kind, of all together; and what the model that ships is made to reach."""

from __future__ import annotations

from dataclasses import dataclass, field

from npc_server.evaluation.benchmarks.engine import Speed
from npc_server.evaluation.model.cases import Case
from npc_server.evaluation.model.exchanges import ModelExchange

GOALS = {
    "recall/knows": 0.95,
    "recall/does not know": 0.90,
    "importance": 0.80,
    "place": 0.90,
    "react": 0.90,
    "say/names nothing else": 0.98,
    "dialogue": 0.95,
    "invitation": 0.95,
    "insights": 0.85,
    "parse": 0.98,
}
"""What the model that ships is made to reach."""


@dataclass(frozen=True)
class CaseVerdict:
    """What came of a case. `score` is from 0 to 1; for importance the rating, whose score is that of all cases together."""

    score: float
    reply: str
    parts: dict[str, float] = field(default_factory=dict)
    why: str = ""
    """In a few words, where it is not plain from the reply."""
    rating: int = 0


@dataclass(frozen=True)
class CaseResult:
    case: Case
    verdict: CaseVerdict
    failed: str
    """Why the model gave no answer that could be used; empty when it did."""
    exchanges: tuple[ModelExchange, ...]

    @property
    def score(self) -> float:
        return 0.0 if self.failed else self.verdict.score


@dataclass(frozen=True)
class FreeReply:
    """A prompt asked without the grammar, and whether the reply could be read."""

    stage: str
    reply: str
    wrong: str


@dataclass(frozen=True)
class KindResult:
    """One row of the table."""

    kind: str
    n: int
    score: float
    parts: dict[str, tuple[int, float]]
    """Name → cases that have it, and the share of them in which it holds."""
    failed: int = 0
    prompt_tokens: float = 0.0
    """Of a question, on the average; `cached` of them were computed before."""
    cached_tokens: float = 0.0
    reply_tokens: float = 0.0
    tokens_per_s: float = 0.0
    """Reply tokens over wall time, all cases of the kind being asked together."""
    wall_s: float = 0.0
    cases: tuple[CaseResult, ...] = ()
    free: tuple[FreeReply, ...] = ()

    def goal(self, part: str = "") -> float | None:
        return GOALS.get(f"{self.kind}/{part}" if part else self.kind)


@dataclass(frozen=True)
class ModelResult:
    """All that is known of one model."""

    model: str
    """As it was named."""
    file_mb: float
    parameters_m: float
    seed: int
    grammar: bool
    temperature: float
    kinds: tuple[KindResult, ...]
    speed: Speed
    deaths: int = 0
    """How often the model process ended."""
