"""The `npc-server` app with all its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from npc_server import __version__
from npc_server.cli import bundle, demo, editor, interview, memory, mind, model, persona, policy, save, serve, setup, talk
from npc_server.cli.output import say
from npc_server.cli.plugin_commands import CommandsOfAll

app = typer.Typer(
    name="npc-server",
    cls=CommandsOfAll,
    help="Gives the characters of a Godot game a mind, on the player's own machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve.serve)
app.command()(setup.setup)
app.command()(bundle.bundle)
app.command()(demo.demo)
app.command()(mind.mind)
app.command()(talk.talk)
app.command()(interview.interview)
app.add_typer(editor.app, name="editor")
app.add_typer(memory.app, name="memory")
app.add_typer(model.app, name="model")
app.add_typer(persona.app, name="persona")
app.add_typer(policy.app, name="policy")
app.add_typer(save.app, name="save")


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
