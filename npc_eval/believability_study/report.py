"""Reports rankings beside the figures of the paper, for a terminal, as Markdown, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from npc_eval.believability_study.conditions import TITLES, Condition
from npc_eval.believability_study.files import PositionBias, RankFile, Ranking
from npc_eval.believability_study.statistics import ConditionRating, Significance, ratings, significance

PAPER = {
    Condition.FULL: (29.89, 0.72),
    Condition.NO_REFLECTION: (26.88, 0.69),
    Condition.NO_PLANNING: (25.64, 0.68),
    Condition.HUMAN: (22.95, 0.69),
    Condition.NONE: (21.21, 0.70),
}
"""TrueSkill mu and sigma of Generative Agents, section 6.5.1: 100 people ranked the answers of a large model."""
PAPER_H = 150.29
"""H(4) of Kruskal-Wallis in the paper, with p < 0.001."""
CLEAR = 0.001
"""A smaller p is written as `< 0.001`, as in the paper."""


@dataclass(frozen=True)
class BelievabilityReport:
    judges: tuple[str, ...]
    answers: tuple[str, ...]
    """Digests of the ranked files of answers."""
    rankings: int
    unanswered: int
    ratings: tuple[ConditionRating, ...]
    significance: Significance
    by_category: dict[str, dict[Condition, float]]
    """Mean rank of each condition for the questions of a category."""
    position_bias: dict[str, PositionBias]
    """Position bias of each judge that was measured."""


def made_from(files: Sequence[RankFile]) -> BelievabilityReport:
    """Makes the report. Raises BadInput if the extra `eval` is missing, or if there are too few rankings."""
    rankings = [ranking for file in files for ranking in file.rankings]
    tests = significance(rankings)
    by_category = groupby(sorted(rankings, key=lambda it: it.category), key=lambda it: it.category)
    return BelievabilityReport(
        judges=tuple(file.judge for file in files),
        answers=tuple(dict.fromkeys(file.answers for file in files)),
        rankings=len(rankings),
        unanswered=sum(file.unanswered for file in files),
        ratings=tuple(ratings(rankings)),
        significance=tests,
        by_category={category: _mean_ranks(list(found)) for category, found in by_category},
        position_bias={file.judge: file.position_bias for file in files if file.position_bias is not None},
    )


def _mean_ranks(rankings: Sequence[Ranking]) -> dict[Condition, float]:
    found: dict[Condition, list[float]] = {}
    for ranking in rankings:
        for condition, rank in ranking.ranks.items():
            found.setdefault(condition, []).append(rank)
    return {condition: sum(found[condition]) / len(found[condition]) for condition in Condition if condition in found}


def as_json(report: BelievabilityReport) -> dict[str, object]:
    tests = report.significance
    return {
        "judges": list(report.judges),
        "answers": list(report.answers),
        "rankings": report.rankings,
        "unanswered": report.unanswered,
        "ratings": [
            {
                "condition": it.condition.value,
                "mu": round(it.mu, 4),
                "sigma": round(it.sigma, 4),
                "mean_rank": round(it.mean_rank, 4),
                "firsts": it.firsts,
                "ranked": it.ranked,
                "paper": dict(zip(("mu", "sigma"), PAPER[it.condition], strict=True)),
            }
            for it in report.ratings
        ],
        "kruskal_wallis": {"h": round(tests.h, 4), "df": tests.df, "p": tests.p, "paper_h": PAPER_H},
        "dunn_holm": [{"one": it.one.value, "other": it.other.value, "p": it.p} for it in tests.pairs],
        "mean_rank_by_category": {
            category: {it.value: round(rank, 4) for it, rank in ranks.items()} for category, ranks in report.by_category.items()
        },
        "position_bias": {judge: bias.model_dump() for judge, bias in report.position_bias.items()},
    }


def rows(report: BelievabilityReport) -> list[tuple[str, ...]]:
    """Returns the table of ratings, with its head as the first row."""
    head: tuple[str, ...] = ("condition", "mu", "sigma", "mean rank", "ranked first", "paper")
    return [head] + [
        (
            TITLES[it.condition],
            f"{it.mu:.2f}",
            f"{it.sigma:.2f}",
            f"{it.mean_rank:.2f}",
            f"{it.firsts} of {it.ranked}",
            "{:.2f} ({:.2f})".format(*PAPER[it.condition]),
        )
        for it in report.ratings
    ]


def pair_rows(report: BelievabilityReport) -> list[tuple[str, ...]]:
    """Returns the table of pairs, with its head as the first row."""
    found = [(TITLES[it.one], TITLES[it.other], as_p(it.p)) for it in report.significance.pairs]
    return [("Dunn's test", "against", "p, Holm-Bonferroni"), *found]


def category_rows(report: BelievabilityReport) -> list[tuple[str, ...]]:
    """Returns the table of mean ranks by category, with its head as the first row."""
    present = [it.condition for it in report.ratings]
    found = [(category, *(f"{ranks[it]:.2f}" if it in ranks else "" for it in present)) for category, ranks in report.by_category.items()]
    return [("mean rank", *(TITLES[it] for it in present)), *found]


def sentences(report: BelievabilityReport) -> list[str]:
    """Returns the sentences above and below the tables."""
    tests = report.significance
    told = [
        f"{report.rankings} rankings by {', '.join(dict.fromkeys(report.judges))}.",
        f"Kruskal-Wallis: H({tests.df}) = {tests.h:.2f}, p {as_p(tests.p, with_sign=True)} (paper: H(4) = {PAPER_H}, p < {CLEAR}).",
    ]
    if report.unanswered:
        told.append(f"{report.unanswered} questions got no readable order and are left out.")
    if len(report.answers) > 1:
        told.append(f"The files rank {len(report.answers)} different sets of answers.")
    for judge, bias in report.position_bias.items():
        told.append(
            f"{judge} was asked {bias.asked_twice} questions in both orders: Kendall's tau {bias.kendall_tau:.2f}, the same answer first "
            f"in {bias.same_first:.0%}, the one shown first ranked first in {bias.first_shown_first:.0%}."
        )
    return told


def markdown(report: BelievabilityReport) -> str:
    first, second, *others = sentences(report)
    parts = [first, _table(rows(report)), second, _table(pair_rows(report)), _table(category_rows(report)), *others]
    return "\n\n".join(parts) + "\n"


def as_p(p: float, *, with_sign: bool = False) -> str:
    if p < CLEAR:
        return f"< {CLEAR}"
    return f"= {p:.3f}" if with_sign else f"{p:.3f}"


def _table(found: Sequence[tuple[str, ...]]) -> str:
    head, *lines = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in found)
    return "\n".join([head, "|" + "---|" * len(found[0]), *lines])
