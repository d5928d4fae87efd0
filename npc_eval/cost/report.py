"""The report of `npc-server eval cost`: as JSON, and as tables beside AGA's figures (arXiv 2402.02053)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from npc_eval.cost.runs import BASELINE, Run

Paper = Mapping[str, float]
"""AGA's tokens in percent of plain generative agents, by the variant nearest to it."""


def as_json(found: Mapping[str, Sequence[Run]], papers: Mapping[str, Paper]) -> dict[str, object]:
    return {scene: {run.variant.name: _run(run, runs, papers[scene]) for run in runs} for scene, runs in found.items()}


def _run(run: Run, runs: Sequence[Run], paper: Paper) -> dict[str, object]:
    base = _base(runs)
    told = run.behaviour.society
    return {
        "people": run.people,
        "days": run.days,
        "calls": run.spent.calls,
        "prompt_tokens": run.spent.prompt_tokens,
        "cached_tokens": run.spent.cached_tokens,
        "reply_tokens": run.spent.reply_tokens,
        "tokens": run.spent.tokens,
        "unanswered": run.spent.unanswered,
        "percent": round(_percent(run.spent.tokens, base.spent.tokens), 2),
        "percent_calls": round(_percent(run.spent.calls, base.spent.calls), 2),
        "percent_computed": round(_percent(run.spent.computed, base.spent.computed), 2),
        "aga_percent": paper.get(run.variant.name.removesuffix(", warm")),
        "by_stage": {stage: {"calls": calls, "tokens": tokens} for stage, (calls, tokens) in run.spent.by_stage.items()},
        "actions": run.behaviour.actions,
        "by_source": run.behaviour.by_source,
        "steps_valid": round(run.behaviour.steps_valid, 4),
        "places_fit": round(run.behaviour.places_fit, 4),
        "news": {news.story.id: {"heard": 1 + len(news.heard), "of": news.of} for news in told.news},
        "density": [round(value, 4) for value in told.density],
        "parties": {it.story.id: {"invited": len(it.invited), "came": len(it.came)} for it in told.parties},
        "conversations": told.conversations,
        "reflections": told.reflections,
        "wall_s": round(run.wall_s, 1),
    }


def show(out: Console, model: str, found: Mapping[str, Sequence[Run]], papers: Mapping[str, Paper]) -> None:
    out.print(f"model: {model}", markup=False)
    for scene, runs in found.items():
        _cost(out, scene, runs, papers[scene])
        _behaviour(out, scene, runs)


def _cost(out: Console, scene: str, runs: Sequence[Run], paper: Paper) -> None:
    base = _base(runs)
    table = Table(title=f"{scene}: cost, in percent of the baseline", title_justify="left")
    table.add_column("asked")
    for name in ("calls", "tokens", "% calls", "% tokens", "% computed", "AGA %"):
        table.add_column(name, justify="right")
    for run in runs:
        theirs = paper.get(run.variant.name.removesuffix(", warm"))
        table.add_row(
            run.variant.name,
            f"{run.spent.calls:,}",
            f"{run.spent.tokens:,}",
            f"{_percent(run.spent.calls, base.spent.calls):.1f}",
            f"{_percent(run.spent.tokens, base.spent.tokens):.1f}",
            f"{_percent(run.spent.computed, base.spent.computed):.1f}",
            f"{theirs:.1f}" if theirs else "",
        )
    out.print(table)
    for run in runs:
        if run.spent.unanswered:
            out.print(f"{run.variant.name}: {run.spent.unanswered} questions had no reply; their cost is missing.", markup=False)


def _behaviour(out: Console, scene: str, runs: Sequence[Run]) -> None:
    table = Table(title=f"{scene}: behaviour", title_justify="left")
    table.add_column("asked")
    for name in ("actions", "steps valid", "places fit", "heard", "density", "came", "talks", "insights"):
        table.add_column(name, justify="right")
    for run in runs:
        it = run.behaviour
        table.add_row(
            run.variant.name,
            str(it.actions),
            f"{it.steps_valid:.1%}",
            f"{it.places_fit:.1%}",
            " ".join(f"{1 + len(news.heard)}/{news.of}" for news in it.society.news),
            f"{it.society.density[1]:.2f}",
            " ".join(f"{len(party.came)}/{len(party.invited)}" for party in it.society.parties),
            str(it.society.conversations),
            str(it.society.reflections),
        )
    out.print(table)


def _base(runs: Sequence[Run]) -> Run:
    return next(run for run in runs if run.variant.name == BASELINE)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
