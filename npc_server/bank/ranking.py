"""Chooses the best of several candidates for a line by a weighted sum of their features.

The weights stand in `data/line_choice.toml`; `models/line_choice/fit.py` fits them to what judges said of candidates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from npc_server.bank.candidates import CandidateLine
from npc_server.bank.exchange_bank import CHOICE_FILE
from npc_server.bank.features import FEATURES, Measured, features
from npc_server.data_files import read_toml
from npc_server.errors import FileProblem, Problem


@dataclass(frozen=True)
class FeatureWeight:
    """What a feature counts: `weight * (value - mean) / scale`."""

    weight: float
    mean: float
    scale: float

    def of(self, value: float | None) -> float:
        """A value that is not known counts as the mean."""
        return 0.0 if value is None else self.weight * (value - self.mean) / self.scale


Weights = Mapping[str, FeatureWeight]


@dataclass(frozen=True)
class Ranked:
    """A candidate with its score and what each feature added to it."""

    measured: Measured
    score: float
    parts: tuple[tuple[str, float], ...]
    """Features by what they added, the largest first."""

    @property
    def candidate(self) -> CandidateLine:
        return self.measured.candidate

    def reason(self, count: int = 4) -> str:
        """The features that counted most, such as `likelihood +0.8, repeats -0.3`."""
        return ", ".join(f"{name} {value:+.2f}" for name, value in self.parts[:count] if value)


@dataclass(frozen=True)
class ChoiceWeights:
    """The weights of the data file."""

    read_once: Weights
    """For lines from memory and the bank, as npc-answers reads them."""
    read_once_bias: float = 0.0
    """What is added to the sum."""
    reranked: Weights = field(default_factory=dict)
    """For the best of these, where npc-rerank read them again."""
    reranked_bias: float = 0.0
    rerank: int = 0
    """How many of the best replies of the bank by `read_once` npc-rerank reads, beside what instinct says."""
    rerank_within: float = math.inf
    """It reads none of them whose score is lower than the best by more than this."""
    remark: float = math.inf
    """The score from which on a reply of the bank answers a remark of another character."""


@cache
def choice_weights() -> ChoiceWeights:
    """Those of the data file. Raises FileProblem if it names a feature that there is not."""
    data = read_toml(CHOICE_FILE)
    return ChoiceWeights(
        weights_of(data["read_once"]), data["read_once_bias"], weights_of(data["reranked"]), data["reranked_bias"],
        data["rerank"], data["rerank_within"], data["remark"],
    )  # fmt: skip


def weights_of(table: Mapping[str, Mapping[str, float]]) -> Weights:
    unknown = [name for name in table if name not in FEATURES]
    if unknown:
        raise FileProblem((Problem(CHOICE_FILE, 0, f"There is no feature {unknown[0]!r}.", f"Features: {', '.join(FEATURES)}."),))
    return {name: FeatureWeight(**it) for name, it in table.items()}


def ranked(measured: Sequence[Measured], by: Weights, bias: float = 0.0) -> list[Ranked]:
    """The candidates, best first. Of equals the earlier one goes first. The score is `bias` and what the features add."""
    return sorted((_ranked(it, by, bias) for it in measured), key=lambda it: -it.score)


def worth_reranking(of_bank: Sequence[Ranked], weights: ChoiceWeights) -> list[Measured]:
    """Those of the bank's replies, best first, that npc-rerank reads."""
    return [it.measured for it in of_bank[: weights.rerank] if it.score >= of_bank[0].score - weights.rerank_within]


def _ranked(it: Measured, by: Weights, bias: float) -> Ranked:
    values = features(it)
    parts = {name: weight.of(values[name]) for name, weight in by.items()}
    ordered = sorted(parts.items(), key=lambda part: -abs(part[1]))
    return Ranked(it, bias + sum(parts.values()), tuple(ordered))
