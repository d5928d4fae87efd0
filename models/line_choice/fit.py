"""Fits the weights by which the best candidate for a line is chosen, to what judges said.

python -m models.line_choice.fit                          # prints how well it chooses, and the weights
python -m models.line_choice.fit --part reranked --write npc_server/data/line_choice.toml

Weights are fitted to pairs of candidates for the same line of which one was judged better. They are scaled so that a score is the log
odds that a judge calls the candidate fine or very good (2 or 3). `[read_once]` is fitted to what memory and the bank have, and
`[reranked]` to those of them that npc-rerank read. npc-answers and npc-rerank were not trained on these lines. Figures are those of people
whom the weights did not see: each fold leaves out the people of a fifth of the lines.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from npc_server.bank.features import FEATURES

Numbers = NDArray[np.float64]
JUDGED = Path(__file__).parent / "judged.jsonl"
"""Candidates for lines of players, with their features and a judge's scores from 0 to 3."""
FOLDS = 5
RIDGE = 3.0
"""Weight of the squared weights: few judgements must not make large weights."""
STEPS = 50
"""Most steps of Newton's method. It needs about 8."""
FINE = 2
"""The judgement from which on a line is fine."""
READ_ONCE = tuple(name for name in FEATURES if name != "reread")
RERANKED = tuple(name for name in FEATURES if name != "fits")
"""Without `fits`: what npc-answers says adds nothing to what npc-rerank says."""
PARTS = {"read_once": READ_ONCE, "reranked": RERANKED}
"""The sections and their features."""
NEVER = 1e-9
"""A weight smaller than this belongs to a feature in which no two candidates differ."""


@dataclass(frozen=True)
class Line:
    """The judged candidates for one line."""

    persona: str
    values: Numbers
    """Shape (candidates, features of `names`). NaN where a feature is not known."""
    scores: Numbers
    """0 to 3 for each candidate."""


def read(path: Path, names: Sequence[str]) -> list[Line]:
    """Lines with at least two judged candidates. With `reread`, candidates that npc-rerank did not read are left out."""
    found: list[Line] = []
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        scored = zip(row["features"], row["scores"], strict=True)
        kept = [(values, score) for values, score in scored if values["reread"] is not None or "reread" not in names]
        if len(kept) > 1:
            table = [[np.nan if values[name] is None else values[name] for name in names] for values, _ in kept]
            found.append(Line(row["persona"], np.array(table, np.float64), np.array([score for _, score in kept], np.float64)))
    return found


@dataclass(frozen=True)
class Fitted:
    weights: Numbers
    means: Numbers
    scales: Numbers
    bias: float

    def scores(self, values: Numbers) -> Numbers:
        """The log odds of candidates. A feature that is not known counts as its mean."""
        found: Numbers = np.nan_to_num((values - self.means) / self.scales) @ self.weights + self.bias
        return found


def fit(lines: Sequence[Line], ridge: float = RIDGE) -> Fitted:
    """Weights by which better candidates for the same line score higher, then made into log odds.

    The pairs of a line count as much as the square root of their number (Bradley-Terry with features). Two more numbers turn the sums into
    the log odds that a candidate is fine (Platt scaling).
    """
    every = np.concatenate([line.values for line in lines])
    means, scales = _means(every), _scales(every)
    pairs, counts = [], []
    for line in lines:
        values = np.nan_to_num((line.values - means) / scales)
        better, worse = np.nonzero(line.scores[:, None] > line.scores[None, :])
        pairs.append(values[better] - values[worse])
        counts.append(np.full(len(better), 1 / np.sqrt(max(1, len(better)))))
    weights = _logistic(np.concatenate(pairs), None, np.concatenate(counts), np.full(every.shape[1], ridge))
    sums = np.nan_to_num((every - means) / scales) @ weights
    fine = (np.concatenate([line.scores for line in lines]) >= FINE).astype(np.float64)
    slope, bias = _logistic(np.stack([sums, np.ones(len(sums))], 1), fine, np.ones(len(sums)), np.full(2, 1e-3))
    return Fitted(weights * max(slope, 1e-3), means, scales, float(bias))


def _logistic(table: Numbers, right: Numbers | None, counts: Numbers, penalty: Numbers) -> Numbers:
    """Weights of a logistic regression, by Newton's method. Without `right` every row is right."""
    wanted = np.ones(len(table)) if right is None else right
    weights = np.zeros(table.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = (table * counts[:, None]).T @ (wanted - chance) - penalty * weights
        bend = (table * (counts * chance * (1 - chance))[:, None]).T @ table + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _means(every: Numbers) -> Numbers:
    known = ~np.isnan(every)
    found: Numbers = np.nan_to_num(every).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return found


def _scales(every: Numbers) -> Numbers:
    """Standard deviations; 1 for a feature that never differs."""
    known = ~np.isnan(every)
    squares = (np.where(known, every - _means(every), 0.0) ** 2).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    found: Numbers = np.where(squares > 1e-12, np.sqrt(squares), 1.0)
    return found


@dataclass(frozen=True)
class Told:
    """How well lines are chosen."""

    candidates: int
    fine: float
    """Share of chosen candidates that are fine."""
    chosen: float
    """Mean judgement of the chosen candidates."""
    at_random: float
    best: float
    could_be_fine: float
    """Share of lines that have a fine candidate."""


def told(lines: Sequence[Line], scores: Sequence[Numbers]) -> Told:
    chosen = [float(line.scores[given.argmax()]) for line, given in zip(lines, scores, strict=True)]
    best = [float(line.scores.max()) for line in lines]
    return Told(
        sum(len(line.scores) for line in lines),
        float(np.mean([score >= FINE for score in chosen])),
        float(np.mean(chosen)),
        float(np.mean([line.scores.mean() for line in lines])),
        float(np.mean(best)),
        float(np.mean([score >= FINE for score in best])),
    )


def unseen_scores(lines: Sequence[Line], seed: int, ridge: float = RIDGE) -> list[Numbers]:
    """The scores of all candidates, each by weights that did not see the person."""
    people = sorted({line.persona for line in lines})
    random.Random(seed).shuffle(people)
    fold = {person: number % FOLDS for number, person in enumerate(people)}
    found: dict[int, Numbers] = {}
    for left_out in range(min(FOLDS, len(people))):
        fitted = fit([line for line in lines if fold[line.persona] != left_out], ridge)
        found |= {number: fitted.scores(line.values) for number, line in enumerate(lines) if fold[line.persona] == left_out}
    return [found[number] for number in range(len(lines))]


def sure_shares(lines: Sequence[Line], scores: Sequence[Numbers], least: Sequence[float]) -> list[tuple[float, float, float]]:
    """For each least score: the share of lines whose best candidate reaches it, and how many of these are fine."""
    chosen = [(float(given.max()), float(line.scores[given.argmax()]) >= FINE) for line, given in zip(lines, scores, strict=True)]
    found = []
    for it in least:
        reach = [fine for score, fine in chosen if score >= it]
        found.append((it, len(reach) / max(1, len(chosen)), float(np.mean(reach)) if reach else 0.0))
    return found


def as_toml(part: str, names: Sequence[str], fitted: Fitted, made: str, former: str) -> str:
    """The data file with these weights in the section `part`. What never differed keeps its former line."""
    above, found, rest = former.partition(f"[{part}]\n")
    section, next_, below = rest.partition("\n[")
    before = {line.split("=")[0].strip(): line for line in section.splitlines() if "=" in line}
    lines = [
        before[name] if abs(weight) < NEVER and name in before else _weight_line(name, weight, mean, scale)
        for name, weight, mean, scale in zip(names, fitted.weights, fitted.means, fitted.scales, strict=True)
    ]
    above = re.sub(rf"^{part}_made = .*$", f'{part}_made = "{made}"', above, flags=re.MULTILINE)
    above = re.sub(rf"^{part}_bias = .*$", f"{part}_bias = {fitted.bias:.4f}", above, flags=re.MULTILINE)
    return f"{above}{found}" + "\n".join(lines) + "\n" + next_ + below


def _weight_line(name: str, weight: float, mean: float, scale: float) -> str:
    return f"{name} = {{ weight = {weight:.4f}, mean = {mean:.4f}, scale = {scale:.4f} }}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Fits the weights of the choice of a line to judged candidates.")
    parser.add_argument("--judged", type=Path, default=JUDGED, help="file of judged candidates")
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds")
    parser.add_argument("--ridge", type=float, default=RIDGE, help="weight of the squared weights")
    parser.add_argument("--part", choices=tuple(PARTS), help="the only section that is fitted")
    parser.add_argument("--write", type=Path, help="data file that gets the weights")
    it = parser.parse_args(arguments)
    text, enough = it.write.read_text(encoding="utf-8") if it.write else "", False
    for part in (it.part,) if it.part else PARTS:
        names = PARTS[part]
        lines = read(it.judged, names)
        if len({line.persona for line in lines}) < 2:
            sys.stderr.write(f"[{part}]: no judged candidates for two people in {it.judged}.\n")
            continue
        enough, fitted, scores = True, fit(lines, it.ridge), unseen_scores(lines, it.seed, it.ridge)
        unseen = told(lines, scores)
        sys.stdout.write(
            f"[{part}] {len(lines)} lines, {unseen.candidates} candidates. For unseen people the chosen one is fine in {unseen.fine:.1%} "
            f"(one of them is in {unseen.could_be_fine:.1%}); mean judgement {unseen.chosen:.2f}, at random {unseen.at_random:.2f}, "
            f"of the best {unseen.best:.2f}.\n"
        )
        for least, share, fine in sure_shares(lines, scores, (-1.0, -0.5, 0.0, 0.5, 1.0)):
            sys.stdout.write(f"  score from {least:+.1f}: {share:.0%} of lines, of these {fine:.0%} fine\n")
        for name, weight in sorted(zip(names, fitted.weights, strict=True), key=lambda item: -abs(item[1])):
            sys.stdout.write(f"  {name:16} {weight:+.3f}\n")
        text = as_toml(part, names, fitted, f"{len(lines)} lines, {unseen.fine:.1%} of the chosen fine for unseen people", text)
    if it.write and enough:
        it.write.write_text(text, encoding="utf-8")
    return 0 if enough else 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
