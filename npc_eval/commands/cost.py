"""`npc-server cost`: shows how many questions the minds of a save asked the model, and how many tokens those took."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from npc_eval.cost.plot import draw
from npc_eval.cost.sums import Bill, By, Sum, as_json, by_day, by_hour, by_outcome, by_person, by_stage, read_bill, total
from npc_eval.plot import check
from npc_server import clock
from npc_server.cli.options import AsJson, SaveToRead
from npc_server.cli.output import Console, bar, log_to, say
from npc_server.errors import BadInput
from npc_server.prompts.load import one_line
from npc_server.records import GameTime

HOURS_SHOWN = 24
"""Game hours in the overview; `--by hour` shows them all."""
COLUMNS = ("calls", "computed", "cached", "reply", "share", "wall s", "retried", "instinct")
OF_OUTCOMES = ("questions", "calls", "computed", "cached", "reply", "share", "wall s")
WITH_REFUSED = ("calls", "computed", "cached", "reply", "share", "wall s", "instinct", "refused")
Rows = Sequence[tuple[str, Sum]]


def cost(
    save: SaveToRead,
    by: Annotated[By | None, typer.Option(help="Show only this table, with all its rows.", case_sensitive=False)] = None,
    as_json_: AsJson = False,
    plot: Annotated[Path | None, typer.Option(help="File to draw a plot to: .png, .svg or .pdf.")] = None,
) -> None:
    """Show the model calls and tokens of a save by stage, person and game hour.

    --plot draws the tokens of each game hour.
    """
    log_to()
    if plot is not None:
        check(plot)
    if as_json_ and by is not None:
        raise BadInput("--json and --by were given together.", "Leave --by out: JSON holds all tables.")
    bill = asyncio.run(read_bill(save))
    if plot is not None:
        draw(bill, plot)
    if as_json_:
        say(json.dumps({"save": str(save), **as_json(bill)}, ensure_ascii=False, indent=1))
    else:
        console = Console(highlight=False)
        console.print(overview(bill) if by is None else one(bill, by))
        if plot is not None:
            say(f"Drawn to {plot}.", err=True)


# ---- tables


def overview(bill: Bill) -> RenderableType:
    """Shows all tables in short."""
    if not bill.spent:
        return Group(_heading(bill), Text("Nobody has asked anything yet."))
    hours = _by_hour(bill)
    parts: list[RenderableType] = [_heading(bill), _in_words(bill)]
    parts += [_titled("By game day", _table(bill, "day", _by_day(bill)))]
    parts += [_titled("By stage", _table(bill, "stage", _by_stage(bill)))]
    parts += [_titled("By person", _table(bill, "person", _by_person(bill), _person_columns(bill)))]
    parts += [_titled("By game hour", _table(bill, "hour", hours[-HOURS_SHOWN:]))]
    if len(hours) > HOURS_SHOWN:
        parts.append(Text(f"The last {HOURS_SHOWN} of {len(hours)} hours in which something was asked; --by hour shows all.", style="dim"))
    return Group(*parts)


def one(bill: Bill, by: By) -> RenderableType:
    """Shows one table with all its rows."""
    tables: dict[By, tuple[Callable[[Bill], Rows], Sequence[str]]] = {
        By.STAGE: (_by_stage, COLUMNS),
        By.PERSON: (_by_person, _person_columns(bill)),
        By.HOUR: (_by_hour, COLUMNS),
        By.OUTCOME: (lambda bill: list(by_outcome(bill).items()), OF_OUTCOMES),
    }
    rows, columns = tables[by]
    return Group(_heading(bill), _table(bill, by.value, rows(bill), columns))


def number(value: int) -> str:
    """Formats a number in at most six characters, like `812`, `45,300`, `124k` or `1.24M`."""
    if abs(value) < 100_000:
        return f"{value:,}"
    for size, letter in ((10**3, "k"), (10**6, "M"), (10**9, "G"), (10**12, "T")):
        if "e" not in (short := f"{value / size:.3g}"):
            return short + letter
    return f"{value:.0e}"


def _heading(bill: Bill) -> RenderableType:
    title = Text.assemble(("What it cost", "bold"), f"  {one_line(bill.town)}, {_day(bill.now)} {clock.hhmm(bill.now)}")
    return Rule(title, align="left")


def _in_words(bill: Bill) -> RenderableType:
    """Tells the figures that matter most in sentences."""
    it = total(bill.spent)
    hours = max(1, -(-(bill.now - min(row.hour for row in bill.spent)) // clock.HOUR))
    words = f"{number(it.tokens)} tokens in {number(it.calls)} calls"
    if it.calls:
        words += f", {number(round(it.tokens / it.calls))} each; {number(round(it.tokens / hours))} per game hour"
    if it.cached:
        words += f".\n{it.cached / it.prompt:.0%} of the prompts' tokens were kept from earlier ones and cost nothing"
    without = it.questions - it.calls
    if without:
        words += f".\n{number(without)} questions were not put to a model"
    if it.refused:
        words += f"{f', {number(it.refused)} of them' if it.refused < without else ''} because somebody's share was spent"
    return Text(words + ".")


def _titled(title: str, table: Table) -> RenderableType:
    return Group(Padding(Text(title, style="bold"), (1, 0, 0, 0)), table)


def _table(bill: Bill, what: str, rows: Rows, columns: Sequence[str] = COLUMNS) -> Table:
    """`share` is the share of a row in all computed and reply tokens."""
    whole = total(bill.spent)
    table = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False, show_footer=True)
    table.add_column(what, "total", style="cyan", min_width=9)  # only this column may shrink
    for name, foot in zip(columns, _cells(columns, whole, whole), strict=True):
        table.add_column(name, foot, justify="left" if name == "share" else "right", no_wrap=True)
    for name, it in rows:
        words = Text(one_line(name), no_wrap=True, overflow="ellipsis")
        table.add_row(words, *_cells(columns, it, whole), style="" if it.questions else "dim")
    return table


def _cells(columns: Sequence[str], it: Sum, whole: Sum) -> list[RenderableType]:
    share = it.tokens / whole.tokens if whole.tokens else 0.0
    found: dict[str, RenderableType] = {
        "questions": number(it.questions),
        "calls": number(it.calls),
        "computed": number(it.computed),
        "cached": number(it.cached),
        "reply": number(it.reply),
        "share": Text.assemble(f"{share:4.0%} ", (bar(share).rstrip(), "blue")),
        "wall s": number(round(it.wall_s)) if it.wall_s >= 10 else f"{it.wall_s:.1f}",
        "retried": _some(it.retried),
        "instinct": _some(it.instinct),
        "refused": Text(_some(it.refused), style="yellow"),
    }
    return [found[name] for name in columns]


def _some(count: int) -> str:
    return number(count) if count else "–"


def _person_columns(bill: Bill) -> Sequence[str]:
    return WITH_REFUSED if total(bill.spent).refused else COLUMNS


def _by_stage(bill: Bill) -> Rows:
    return [(stage, it) for stage, it in by_stage(bill).items()]


def _by_person(bill: Bill) -> Rows:
    return [(bill.names.get(npc, npc), it) for npc, it in by_person(bill).items()]


def _by_day(bill: Bill) -> Rows:
    return [(_day(day), it) for day, it in by_day(bill).items()]


def _by_hour(bill: Bill) -> Rows:
    """Returns the hours in which something was asked."""
    return [(f"{_day(hour)} {clock.hhmm(hour)}", it) for hour, it in by_hour(bill).items() if it.questions]


def _day(at: GameTime) -> str:
    when = clock.to_datetime(at)
    return f"{when:%a} {when.day} {when:%b}"
