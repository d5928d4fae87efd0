"""All commands, gathered."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="npc-server",
    help="The minds of a Godot game's characters, on the player's own machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
