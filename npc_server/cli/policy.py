"""`npc-server policy`: the Lifestyle Policies of a save, as a list and as a file that a game can ship."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import typer
from rich.padding import Padding
from sqlite_utils import Database

from npc_server.cli.output import Console, say
from npc_server.documents import read_document
from npc_server.errors import BadInput, FileProblem, Problem
from npc_server.memory import policies
from npc_server.memory.policy_file import json_schema, read_policies
from npc_server.sandbox.towns import find_cast
from npc_server.session.inspect_save import copied
from npc_server.session.shipped_policies import exported

app = typer.Typer(help="Plans that worked, lived again without the model: list, export, check.", no_args_is_help=True)

T = TypeVar("T")


@app.command()
def export(
    save: Path = typer.Argument(help="A save file."),
    file: Path = typer.Argument(help="The YAML file to write."),
    force: bool = typer.Option(False, help="Replace the file if there is one."),
) -> None:
    """Writes what the people of a save have learned to a file that a game can ship: new saves begin with it."""
    if file.exists() and not force:
        raise BadInput(f"There is a file {str(file)!r} already.", "Choose another name, or add --force to replace it.", file=file)
    made = _look(save, lambda db: exported(db, save.stem))
    try:
        file.write_text(made.document.text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{str(file)!r} cannot be written: {error.strerror}.", "Choose another place.", file=file) from error
    say(f"{file}: {_counted(made.written)}.")
    if made.failed:
        say(f"Left out: {_counted(made.failed)} that failed and did not work since.")
    if made.usable > made.written:
        say(f"Left out: {_counted(made.usable - made.written)} for which a file has no room, those that worked least.")


@app.command("list")
def list_(save: Path = typer.Argument(help="A save file.")) -> None:
    """Shows what the people of a save have learned to do without the model."""
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
    files: list[Path] = typer.Argument(help="Files of policies."),
    town: str = typer.Option(
        "", help="A shipped town by name, or a town file: addresses, states, actions and people are checked against it."
    ),
) -> None:
    """Tells every mistake with file, line, what and fix. Exit code 1 when there is one.

    A policy that does not fit the town counts as a mistake here; a game leaves it out with a warning.
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
    """Prints the JSON Schema of a file of policies, for editors."""
    say(json_schema(), end="")


# ---- parts


def _look(save: Path, read: Callable[[Database], T]) -> T:
    """What `read` says of a copy of the save, brought to this version."""

    async def look() -> T:
        async with copied(save) as store:
            return await store.do(read)

    return asyncio.run(look())


def _counted(count: int) -> str:
    return f"{count} polic{'y' if count == 1 else 'ies'}"
