"""Records of an evaluation's results: for each case, each kind and the whole model; and the goals for the model that ships."""

from __future__ import annotations

from dataclasses import dataclass, field

from npc_eval.benchmarks.engine import EngineSpeed
from npc_eval.model.cases import Case
from npc_eval.model.exchanges import ModelExchange

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
"""Scores that the model that ships should reach."""


@dataclass(frozen=True)
class CaseVerdict:
    """The score of a case, from 0 to 1. For importance, `rating` counts, and all cases together have one score."""

    score: float
    reply: str
    parts: dict[str, float] = field(default_factory=dict)
    why: str = ""
    """The reason in a few words, when the reply does not show it."""
    rating: int = 0


@dataclass(frozen=True)
class CaseResult:
    case: Case
    verdict: CaseVerdict
    failed: str
    """Why the model gave no usable reply; empty when it did."""
    exchanges: tuple[ModelExchange, ...]

    @property
    def score(self) -> float:
        return 0.0 if self.failed else self.verdict.score


@dataclass(frozen=True)
class FreeReply:
    """A reply to a prompt without the grammar, and why it could not be parsed; `wrong` is empty when it could."""

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
    """By name the number of cases with this part, and the share of them that pass."""
    failed: int = 0
    prompt_tokens: float = 0.0
    """Mean of a question. Of these, `cached_tokens` came from the KV cache."""
    cached_tokens: float = 0.0
    reply_tokens: float = 0.0
    tokens_per_s: float = 0.0
    """Reply tokens per wall second, with all cases of the kind asked in parallel."""
    wall_s: float = 0.0
    cases: tuple[CaseResult, ...] = ()
    free: tuple[FreeReply, ...] = ()

    def goal(self, part: str = "") -> float | None:
        return GOALS.get(f"{self.kind}/{part}" if part else self.kind)


@dataclass(frozen=True)
class ModelResult:
    """All results of one model."""

    model: str
    """The name or file that was given."""
    file_mb: float
    parameters_m: float
    seed: int
    grammar: bool
    temperature: float
    kinds: tuple[KindResult, ...]
    speed: EngineSpeed
    deaths: int = 0
    """Crashes of the model process."""
