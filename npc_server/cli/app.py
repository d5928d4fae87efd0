"""The `npc-server` app with all its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from npc_server import __version__
from npc_server.cli.commands import CommandsOfAll
from npc_server.cli.output import say

app = typer.Typer(
    name="npc-server",
    cls=CommandsOfAll,
    help="Gives the characters of a Godot game a mind, on the player's own machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(__version__)
        raise typer.Exit


@app.callback()
def all_commands(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command()
def version() -> None:
    """Print the version."""
    say(__version__)
