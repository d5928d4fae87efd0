"""A plot of the tokens of each game hour, stacked by stage and by person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from npc_eval.cost.sums import Bill, Sum, by_hour, by_person, by_stage, total
from npc_eval.plot import new_figure, write
from npc_server.clock import to_datetime
from npc_server.memory.ledger import Spent
from npc_server.records import GameTime

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 9
"""Stages or people with their own colour. The others share one."""
REST = "others"
GREY = 7
"""Index of grey among matplotlib's ten colours. It is reserved for `REST`."""
INCHES = (11, 8)


def draw(bill: Bill, file: Path) -> None:
    """Draws the plot. Raises BadInput if the file cannot be written."""
    figure = new_figure(*INCHES)
    above, below = figure.subplots(2, 1, sharex=True)
    _stack(above, bill, "by stage", list(by_stage(bill).items()), lambda row: row.stage)
    _stack(below, bill, "by person", [(npc, it) for npc, it in by_person(bill).items() if it.tokens], lambda row: row.npc)
    figure.suptitle(f"Tokens of each game hour, {bill.town}", fontweight="bold")
    figure.supylabel("tokens computed, and of replies")
    write(figure, file)


def stacks(bill: Bill, order: Sequence[str], key: Callable[[Spent], str]) -> dict[str, list[int]]:
    """The tokens of every game hour, for each of the most expensive and for all others together."""
    hours: Sequence[GameTime] = list(by_hour(bill))
    at = {hour: place for place, hour in enumerate(hours)}
    own = order[:MOST]
    found: dict[str, list[int]] = {name: [0] * len(hours) for name in own}
    for row in bill.spent:
        name = key(row) if key(row) in own else REST
        found.setdefault(name, [0] * len(hours))[at[row.hour]] += total([row]).tokens
    return {name: tokens for name, tokens in found.items() if any(tokens)}


def _stack(axes: Axes, bill: Bill, title: str, dearest: Sequence[tuple[str, Sum]], key: Callable[[Spent], str]) -> None:
    from matplotlib import colormaps

    hours = [to_datetime(hour) for hour in by_hour(bill)]
    bottom = [0] * len(hours)
    colours = [colour for place, colour in enumerate(colormaps["tab10"].colors) if place != GREY]  # type: ignore[attr-defined]
    for number, (name, tokens) in enumerate(stacks(bill, [name for name, _ in dearest], key).items()):
        axes.bar(
            hours,  # type: ignore[arg-type]
            tokens,
            width=1 / 24,
            align="edge",
            bottom=bottom,
            color="0.7" if name == REST else colours[number % len(colours)],
            label=bill.names.get(name, name),
        )
        bottom = [low + more for low, more in zip(bottom, tokens, strict=True)]
    axes.set_ylim(0, max([*bottom, 1]) * 1.05)
    axes.set_title(title, loc="left")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    _dates(axes)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    if bottom and any(bottom):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")


def _dates(axes: Axes) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
