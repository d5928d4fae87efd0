"""`npc-server policy`: lists, exports and checks Lifestyle Policies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.padding import Padding
from sqlite_utils import Database

from npc_server.cli.options import Force, SaveToRead, Town, check_new_file, write_new_file
from npc_server.cli.output import Console, say
from npc_server.documents import read_document
from npc_server.errors import FileProblem, Problem
from npc_server.memory import policies
from npc_server.memory.policy_file import json_schema, read_policies
from npc_server.sandbox.towns import find_cast
from npc_server.session.inspect_save import copied
from npc_server.session.shipped_policies import exported

app = typer.Typer(help="List, export and check Lifestyle Policies, the plans that minds repeat without the model.", no_args_is_help=True)

T = TypeVar("T")


@app.command()
def export(
    save: SaveToRead,
    file: Annotated[Path, typer.Argument(help="YAML file to create.")],
    force: Force = False,
) -> None:
    """Write the policies of a save to a file. A game can ship the file, so that new saves begin with these policies."""
    check_new_file(file, force)
    made = _look(save, lambda db: exported(db, save.stem))
    write_new_file(file, made.document.text)
    say(f"{file}: {_counted(made.written)}.")
    if made.failed:
        say(f"Left out: {_counted(made.failed)} that failed and have not worked since.")
    if made.usable > made.written:
        say(f"Left out: {_counted(made.usable - made.written)} that worked least often, because a file has no room for more.")


@app.command("list")
def list_(save: SaveToRead) -> None:
    """List what the people of a save have learned to do without the model."""
    found = _look(save, policies.load)
    if not found:
        say("Nobody has learned a policy in this save.")
        return
    console = Console(highlight=False)
    for it in sorted(found, key=lambda it: (-it.worked, it.activity, it.owner)):
        unused = "" if it.usable else ", not used until it works again"
        counts = f"worked {it.worked} times, failed {it.failed} times{unused}"
        console.print(f"{it.activity} ({it.owner or 'everybody'}, {it.minutes} minutes): {counts}", style="bold")
        console.print(Padding(f"steps: {'; '.join(step.activity for step in it.steps)}", (0, 0, 0, 2)))
        if it.needs:
            needs = ", ".join(f"{address} is {state}" if state else address for address, state in it.needs)
            console.print(Padding(f"needs: {needs}", (0, 0, 0, 2)))
    console.print(_counted(len(found)))


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Policy files.")],
    town: Town = "",
) -> None:
    """Check policy files, and print each mistake with its line and how to fix it. A mistake gives exit code 1.

    With --town, the policies must fit the town. A game leaves out one that does not fit; here it is a mistake.
    """
    cast = find_cast(town) if town else None
    mistakes: list[Problem] = []
    count = 0
    for path in files:
        try:
            found = read_policies(read_document(path), cast.town.id if cast else "")
        except FileProblem as error:
            mistakes += error.problems
            continue
        count += len(found.policies)
        for problem in found.warnings:
            say(f"warning: {problem}")
        if cast is not None:
            mistakes += found.fitting({node.address: node for node in cast.town.nodes()}, {person.id for person in cast.people})[1]
    for problem in mistakes:
        say(str(problem))
    if mistakes:
        say(f"{len(mistakes)} mistake{'s' if len(mistakes) > 1 else ''}.", err=True)
        raise typer.Exit(1)
    say(f"{_counted(count)}: good.")


@app.command()
def schema() -> None:
    """Print the JSON Schema of policy files, for editors."""
    say(json_schema(), end="")


# ---- parts


def _look(save: Path, read: Callable[[Database], T]) -> T:
    """Calls `read` on a copy of the save that has been migrated to this version."""

    async def look() -> T:
        async with copied(save) as store:
            return await store.do(read)

    return asyncio.run(look())


def _counted(count: int) -> str:
    return f"{count} polic{'y' if count == 1 else 'ies'}"
