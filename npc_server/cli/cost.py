"""`npc-server cost`: what the minds of a save asked of the model, and what that cost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from npc_server.cli import cost_plot, cost_view
from npc_server.cli.cost_sums import Bill, By, as_json
from npc_server.cli.local import log_to
from npc_server.cli.look import copied
from npc_server.cli.output import Console, say
from npc_server.cli.plot import check
from npc_server.clock import parse_datetime
from npc_server.errors import BadInput, SaveDamaged
from npc_server.memory import ledger, meta, people

END_OF_TIME = parse_datetime("9999-01-01 00:00")
"""Calendars end with that year."""


def cost(
    save: Annotated[Path, typer.Argument(help="A save file. It is only read.")],
    by: Annotated[By | None, typer.Option(help="One table alone, with every row.", case_sensitive=False)] = None,
    as_json_: Annotated[bool, typer.Option("--json", help="Print one JSON object with every figure.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Also draw the tokens of each game hour to this file: .png, .svg or .pdf.")] = None,
) -> None:
    """Shows what a save's minds asked of the model: calls and tokens by stage, by person and by game hour."""
    log_to()
    if plot is not None:
        check(plot)
    if as_json_ and by is not None:
        raise BadInput("--json has every table.", "Leave --by out.")
    bill = asyncio.run(_read(save))
    if plot is not None:
        cost_plot.draw(bill, plot)
    if as_json_:
        say(json.dumps({"save": str(save), **as_json(bill)}, ensure_ascii=False, indent=1))
    else:
        console = Console(highlight=False)
        console.print(cost_view.overview(bill) if by is None else cost_view.one(bill, by))
        if plot is not None:
            say(f"Drawn to {plot}.", err=True)


async def _read(save: Path) -> Bill:
    async with copied(save) as store:
        held, persons, spent = await store.do(lambda db: (meta.read(db), people.load(db), ledger.spent(db)))
    for at in (held.now, *(row.hour for row in spent)):
        if not 0 <= at < END_OF_TIME:
            raise SaveDamaged(
                f"The save's ledger has a question at {at}, which is no game time.", "Choose another save, or a copy.", save=save
            )
    return Bill(held.town, held.now, {person.npc: person.name for person in persons}, tuple(spent))
