"""Statistics of rankings (Generative Agents, section 6.4): TrueSkill ratings, Kruskal-Wallis, and Dunn's test with Holm-Bonferroni."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import fmean

from npc_eval.believability_study.conditions import Condition
from npc_eval.believability_study.files import Ranking
from npc_server.errors import BadInput


@dataclass(frozen=True)
class ConditionRating:
    """TrueSkill's mu and sigma, which start at 25 and 25/3. 100 rankings of five conditions give the sigma of the paper, 0.7."""

    condition: Condition
    mu: float
    sigma: float
    mean_rank: float
    firsts: int
    """How often this condition alone was the most believable."""
    ranked: int


@dataclass(frozen=True)
class PairDifference:
    """Dunn's test of two conditions; `p` is adjusted for all pairs by Holm-Bonferroni."""

    one: Condition
    other: Condition
    p: float


@dataclass(frozen=True)
class Significance:
    """Whether conditions differ at all (Kruskal-Wallis over the ranks, with `df` degrees of freedom), and which pairs do."""

    h: float
    df: int
    p: float
    pairs: tuple[PairDifference, ...]


def ratings(rankings: Sequence[Ranking]) -> list[ConditionRating]:
    """Rates the conditions, highest first. Each ranking counts as a game between its conditions, in the order of the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of escapes in its source.
        import trueskill

    environment = trueskill.TrueSkill()
    by_condition = {condition: environment.create_rating() for condition in _present(rankings)}
    for ranking in rankings:
        played = list(ranking.ranks)
        rated = environment.rate([(by_condition[it],) for it in played], ranks=list(ranking.ranks.values()))
        by_condition.update({condition: rating for condition, (rating,) in zip(played, rated, strict=True)})
    found = [_rating(condition, it.mu, it.sigma, rankings) for condition, it in by_condition.items()]
    return sorted(found, key=lambda it: -it.mu)


def significance(rankings: Sequence[Ranking]) -> Significance:
    """Tests whether conditions differ. Raises BadInput for fewer than two rankings."""
    if len(rankings) < 2:
        raise BadInput(f"{len(rankings)} rankings cannot be compared.", "Rank the answers to two questions at least.")
    from scipy import stats

    present = _present(rankings)
    groups = [[ranking.ranks[it] for ranking in rankings if it in ranking.ranks] for it in present]
    if len({rank for group in groups for rank in group}) == 1:  # All ranks are equal, and the tests would divide by zero.
        pairs = tuple(PairDifference(one, other, 1.0) for one, other in combinations(present, 2))
        return Significance(0.0, len(present) - 1, 1.0, pairs)
    h, p = stats.kruskal(*groups)
    return Significance(float(h), len(present) - 1, float(p), tuple(_dunn(present, groups)))


def _dunn(present: Sequence[Condition], groups: Sequence[Sequence[float]]) -> list[PairDifference]:
    """Dunn's test after Kruskal-Wallis (Dunn, 1964). It compares the mean ranks of two groups in the pooled data, corrected for ties.

    Its own lines: scikit-posthocs gives the same, and brings pandas, statsmodels and seaborn.
    """
    from scipy import stats

    pooled = [rank for group in groups for rank in group]
    n, places = len(pooled), iter(stats.rankdata(pooled))
    means = [fmean(next(places) for _ in group) for group in groups]
    ties = sum(count**3 - count for count in Counter(pooled).values()) / (12 * (n - 1))
    variance = n * (n + 1) / 12 - ties
    pairs = list(combinations(range(len(groups)), 2))
    z = [abs(means[i] - means[j]) / sqrt(variance * (1 / len(groups[i]) + 1 / len(groups[j]))) for i, j in pairs]
    adjusted = holm([2 * float(stats.norm.sf(it)) for it in z])
    return [PairDifference(present[i], present[j], p) for (i, j), p in zip(pairs, adjusted, strict=True)]


def holm(values: Sequence[float]) -> list[float]:
    """Adjusts p-values by Holm-Bonferroni: the smallest is multiplied by their number, the next by one less. They stay at most 1."""
    found, least = [0.0] * len(values), 0.0
    for done, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        least = max(least, min(1.0, (len(values) - done) * values[index]))
        found[index] = least
    return found


def _present(rankings: Sequence[Ranking]) -> list[Condition]:
    """Sorts conditions in the order of the paper."""
    return [condition for condition in Condition if any(condition in ranking.ranks for ranking in rankings)]


def _rating(condition: Condition, mu: float, sigma: float, rankings: Sequence[Ranking]) -> ConditionRating:
    ranks = [ranking.ranks[condition] for ranking in rankings if condition in ranking.ranks]
    return ConditionRating(condition, float(mu), float(sigma), fmean(ranks), sum(rank == 1 for rank in ranks), len(ranks))
