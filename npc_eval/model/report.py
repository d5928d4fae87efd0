"""The report of an evaluation: as JSON, and as tables of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from npc_eval.model.results import CaseResult, FreeReply, KindResult, ModelResult


def as_json(result: ModelResult) -> dict[str, Any]:
    """The result as JSON values. `kinds` has for each kind `n`, `score`, its parts, and each case with the reply."""
    return {
        "model": result.model,
        "file_mb": round(result.file_mb, 1),
        "parameters_m": round(result.parameters_m, 2),
        "seed": result.seed,
        "grammar": result.grammar,
        "temperature": result.temperature,
        "deaths": result.deaths,
        "speed": {name: round(value, 2) for name, value in asdict(result.speed).items()},
        "kinds": {row.kind: _row_json(row) for row in result.kinds},
    }


def _row_json(row: KindResult) -> dict[str, Any]:
    parts = {
        name: {"n": n, "value": round(value, 4), **({} if row.goal(name) is None else {"goal": row.goal(name)})}
        for name, (n, value) in row.parts.items()
    }
    return {
        "n": row.n,
        "score": round(row.score, 4),
        "goal": row.goal(),
        "parts": parts,
        "failed": row.failed,
        "prompt_tokens": round(row.prompt_tokens, 1),
        "cached_tokens": round(row.cached_tokens, 1),
        "reply_tokens": round(row.reply_tokens, 1),
        "tokens_per_s": round(row.tokens_per_s, 1),
        "wall_s": round(row.wall_s, 2),
        "cases": [_case_json(result) for result in row.cases] or [_free_json(free) for free in row.free],
    }


def _case_json(result: CaseResult) -> dict[str, Any]:
    found: dict[str, Any] = {
        **_as_written(result.case.model_dump(by_alias=True, exclude_defaults=True)),
        "kind": result.case.kind,
        "reply": result.verdict.reply,
        "score": round(result.score, 4),
    }
    if len(result.verdict.parts) > 1:
        found["parts"] = {name: bool(value) for name, value in result.verdict.parts.items()}
    if result.verdict.why:
        found["why"] = result.verdict.why
    if result.failed:
        found["failed"] = result.failed
        found["said"] = [it.done.text for it in result.exchanges if it.done is not None]
    return found


def _as_written(value: Any) -> Any:
    """Values as the case file had them: an object with only a text or an address becomes a string."""
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in ("text", "address"):
            return next(iter(value.values()))
        return {key: _as_written(item) for key, item in value.items()}
    return [_as_written(item) for item in value] if isinstance(value, list | tuple) else value


def _free_json(free: FreeReply) -> dict[str, Any]:
    return {"question": free.stage, "reply": free.reply, "score": float(not free.wrong), **({"why": free.wrong} if free.wrong else {})}


def table(result: ModelResult) -> Table:
    """The table of one model: a row for each kind and for each of its parts."""
    shown = Table(title_justify="left", box=None, padding=(0, 1), title=_title(result))
    shown.add_column("question", no_wrap=True)
    for name in ("n", "score", "goal", "lost", "prompt", "reply", "tokens/s"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in result.kinds:
        speed = [f"{row.prompt_tokens:.0f}", f"{row.reply_tokens:.0f}", f"{row.tokens_per_s:.0f}"]
        shown.add_row(row.kind, str(row.n), _score(row.score), _goal(row), str(row.failed or ""), *speed, style=_style(row))
        for name, (n, value) in row.parts.items():
            if name == "mean error, in steps of 10":
                shown.add_row("  mean error", str(n), f"{value:.1f}", "", "", "", "", "", style="dim")
            else:
                shown.add_row(f"  {name}", str(n), _score(value), _goal(row, name), "", "", "", "", style=_style(row, name))
    return shown


def side_by_side(results: Sequence[ModelResult]) -> Table:
    """The table of several models: a column for each."""
    shown = Table(title_justify="left", box=None, padding=(0, 1))
    shown.add_column("question", no_wrap=True)
    shown.add_column("goal", justify="right", no_wrap=True)
    for result in results:
        shown.add_column(short_name(result), justify="right", overflow="fold")
    names: dict[tuple[str, str], None] = {}
    for result in results:
        for row in result.kinds:
            names.setdefault((row.kind, ""))
            for part in row.parts:
                if row.goal(part) is not None:
                    names.setdefault((row.kind, part))
    for kind, part in sorted(names, key=lambda name: _order(results, name[0])):
        goal, cells = "", []
        for result in results:
            found = next((row for row in result.kinds if row.kind == kind), None)
            value = None if found is None else found.score if not part else found.parts[part][1] if part in found.parts else None
            goal = goal or (_goal(found, part) if found is not None else "")
            cells.append("" if value is None else _score(value))
        shown.add_row(f"  {part}" if part else kind, goal, *cells)
    shown.add_section()
    for label, pick in _FIGURES:
        shown.add_row(label, "", *(f"{pick(result):,.0f}" if pick(result) else "" for result in results))
    return shown


_FIGURES = (
    ("reply tokens/s, in play", lambda result: _overall(result)),
    ("prompt tokens/s", lambda result: result.speed.prefill),
    ("reply tokens/s, 1", lambda result: result.speed.decode),
    ("reply tokens/s, 16", lambda result: result.speed.together),
    ("memory, MB", lambda result: result.speed.memory_mb),
    ("file, MB", lambda result: result.file_mb),
)


def _overall(result: ModelResult) -> float:
    wall = sum(row.wall_s for row in result.kinds)
    return sum(row.tokens_per_s * row.wall_s for row in result.kinds) / wall if wall else 0.0


def footer(result: ModelResult) -> str:
    """Load time, speed and memory, in a line or two."""
    speed = result.speed
    if not speed.prefill:
        return "No speed was measured."
    memory = f", {speed.memory_mb:,.0f} MB of memory" if speed.memory_mb else ""
    died = f" The model process ended {result.deaths} times." if result.deaths else ""
    return (
        f"Loaded in {speed.load_s:.1f} s{memory}. Prompts {speed.prefill:,.0f} tokens/s; replies {speed.decode:,.0f} tokens/s alone, "
        f"{speed.together:,.0f} for 16 at once.{died}"
    )


def short_name(result: ModelResult) -> str:
    return result.model.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")


def _title(result: ModelResult) -> str:
    size = f", {result.parameters_m:.1f} M parameters, {result.file_mb:,.0f} MB" if result.file_mb else ""
    asked = "" if result.grammar else ", without grammar"
    return f"{short_name(result)}{size}, temperature {result.temperature:g}{asked}"


def _score(value: float) -> str:
    return f"{value:.2f}"


def _goal(row: KindResult, part: str = "") -> str:
    goal = row.goal(part)
    return "" if goal is None else f"{goal:.2f}"


def _style(row: KindResult, part: str = "") -> str:
    goal, value = row.goal(part), row.parts[part][1] if part else row.score
    if goal is None:
        return "dim" if part else ""
    return "green" if value >= goal else "yellow"


def _order(results: Sequence[ModelResult], kind: str) -> int:
    kinds = list(dict.fromkeys(row.kind for result in results for row in result.kinds))
    return kinds.index(kind)
