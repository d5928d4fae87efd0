"""Fits the weights by which the best candidate for a line is chosen, to what judges said.

python -m models.speak.fit_choice                          # prints how well it chooses, and the weights
python -m models.speak.fit_choice --write npc_server/data/line_choice.toml

It learns from pairs of candidates for the same line of which one was judged better (logistic regression on the difference of their
features: Bradley-Terry with features). The writer's own answers are left out, since nobody writes them in play. Accuracy is that of people
whom the weights did not see: each fold leaves out the people of a fifth of the lines.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.speak.lines import FOLDER
from models.speak.measure import rows
from npc_server.mind.line_features import FEATURES

Numbers = NDArray[np.float64]
JUDGED = FOLDER / "judged"
FOLDS = 5
RIDGE = 1.0
"""Weight of the squared weights: few judgements must not make large weights."""
STEPS = 50
"""Most steps of Newton's method. It needs about 8."""

NEVER = 1e-9
"""A weight smaller than this belongs to a feature in which no two candidates for a line differ."""


@dataclass(frozen=True)
class Line:
    """The judged candidates for one line."""

    persona: str
    values: Numbers
    """Shape (candidates, features). NaN where a feature is not known."""
    scores: Numbers
    """0 to 3 for each candidate."""


def read(sheets: Sequence[Path]) -> list[Line]:
    """Lines with at least two judged candidates that were not the writer's. Raises ValueError where a sheet was not measured."""
    found: list[Line] = []
    for sheet in sheets:
        for shown, made in zip(rows(sheet), rows(sheet.parent / "made" / sheet.name), strict=True):
            if shown["id"] != made["id"] or "features" not in made:
                raise ValueError(f"{sheet.name}, line {shown['id']}: no features. Run models.speak.measure on the sheet first.")
            kept = [
                (values, candidate["score"])
                for candidate, one, values in zip(shown["candidates"], made["made"], made["features"], strict=True)
                if candidate["score"] is not None and one["maker"] != "writer"
            ]
            if len(kept) > 1:
                table = [[np.nan if values.get(name) is None else values[name] for name in FEATURES] for values, _ in kept]
                found.append(Line(shown["persona"], np.array(table, np.float64), np.array([score for _, score in kept], np.float64)))
    return found


@dataclass(frozen=True)
class Fitted:
    weights: Numbers
    means: Numbers
    scales: Numbers

    def scores(self, values: Numbers) -> Numbers:
        """What the chooser gives candidates. A feature that is not known counts as its mean."""
        found: Numbers = np.nan_to_num((values - self.means) / self.scales) @ self.weights
        return found


def fit(lines: Sequence[Line], ridge: float = RIDGE) -> Fitted:
    every = np.concatenate([line.values for line in lines])
    means, scales = _means(every), _scales(every)
    pairs = np.concatenate([_pairs(np.nan_to_num((line.values - means) / scales), line.scores) for line in lines])
    weights = np.zeros(len(FEATURES))
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(pairs @ weights, -30, 30)))
        slope = pairs.T @ (1 - chance) - ridge * weights
        bend = (pairs * (chance * (1 - chance))[:, None]).T @ pairs + ridge * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-8:
            break
    return Fitted(weights, means, scales)


def _means(every: Numbers) -> Numbers:
    known = ~np.isnan(every)
    found: Numbers = np.nan_to_num(every).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return found


def _scales(every: Numbers) -> Numbers:
    """Standard deviations; 1 for a feature that never differs."""
    known = ~np.isnan(every)
    squares = np.nan_to_num((every - _means(every)) ** 2).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    found: Numbers = np.where(squares > 1e-12, np.sqrt(squares), 1.0)
    return found


def _pairs(values: Numbers, scores: Numbers) -> Numbers:
    """The features of each better candidate less those of a worse one for the same line."""
    better, worse = np.nonzero(scores[:, None] > scores[None, :])
    found: Numbers = values[better] - values[worse]
    return found


@dataclass(frozen=True)
class Told:
    """How well lines are chosen."""

    pairs: int
    accuracy: float
    """Share of pairs in which the better one has the higher score."""
    chosen: float
    """Mean judgement of the chosen candidates."""
    at_random: float
    best: float


def told(lines: Sequence[Line], scores: Sequence[Numbers]) -> Told:
    right = [
        float(np.mean(_pairs(given[:, None], line.scores) > 0))
        for line, given in zip(lines, scores, strict=True)
        if len(_pairs(given[:, None], line.scores))
    ]
    counts = [len(_pairs(given[:, None], line.scores)) for line, given in zip(lines, scores, strict=True)]
    weighed = [count for count in counts if count]
    return Told(
        sum(counts),
        float(np.average(right, weights=weighed)) if right else 0.0,
        float(np.mean([line.scores[given.argmax()] for line, given in zip(lines, scores, strict=True)])),
        float(np.mean([line.scores.mean() for line in lines])),
        float(np.mean([line.scores.max() for line in lines])),
    )


def cross_validated(lines: Sequence[Line], seed: int) -> Told:
    """How well weights choose for people whom they did not see."""
    people = sorted({line.persona for line in lines})
    random.Random(seed).shuffle(people)
    fold = {person: number % FOLDS for number, person in enumerate(people)}
    found: dict[int, Numbers] = {}
    for left_out in range(min(FOLDS, len(people))):
        fitted = fit([line for line in lines if fold[line.persona] != left_out])
        found |= {number: fitted.scores(line.values) for number, line in enumerate(lines) if fold[line.persona] == left_out}
    return told(lines, [found[number] for number in range(len(lines))])


def as_toml(fitted: Fitted, made: str, former: str) -> str:
    """The data file with these weights in the place of the former ones. What never differed keeps its former line."""
    above, _, below = former.partition("[features]\n")
    before = {line.split("=")[0].strip(): line for line in below.splitlines() if "=" in line}
    kept = "\n".join(f'made = "{made}"' if line.startswith("made = ") else line for line in above.split("\n"))
    lines = [
        before[name] if abs(weight) < NEVER and name in before else _weight_line(name, weight, mean, scale)
        for name, weight, mean, scale in zip(FEATURES, fitted.weights, fitted.means, fitted.scales, strict=True)
    ]
    return f"{kept}[features]\n" + "\n".join(lines) + "\n"


def _weight_line(name: str, weight: float, mean: float, scale: float) -> str:
    return f"{name} = {{ weight = {weight:.4f}, mean = {mean:.4f}, scale = {scale:.4f} }}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Fits the weights of the choice of a line to judged candidates.")
    parser.add_argument("--folder", type=Path, default=JUDGED, help="folder of sheets")
    parser.add_argument("--seed", type=int, default=0, help="seed of the folds")
    parser.add_argument("--write", type=Path, help="data file that gets the weights")
    it = parser.parse_args(arguments)
    try:
        lines = read(sorted(it.folder.glob("*.jsonl")))
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if len({line.persona for line in lines}) < 2:
        sys.stderr.write(f"No judged candidates for two people in {it.folder}. Fill in the scores of a sheet first.\n")
        return 2
    fitted, unseen = fit(lines), cross_validated(lines, it.seed)
    sys.stdout.write(
        f"{len(lines)} lines, {unseen.pairs} pairs. Unseen people: {unseen.accuracy:.1%} of pairs right; mean judgement of the chosen "
        f"{unseen.chosen:.2f}, at random {unseen.at_random:.2f}, of the best {unseen.best:.2f}.\n"
    )
    for name, weight in sorted(zip(FEATURES, fitted.weights, strict=True), key=lambda item: -abs(item[1])):
        sys.stdout.write(f"{name:16} {weight:+.3f}\n")
    if it.write:
        made = f"models.speak.fit_choice: {len(lines)} lines, {unseen.pairs} pairs, {unseen.accuracy:.1%} right for unseen people"
        it.write.write_text(as_toml(fitted, made, it.write.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
