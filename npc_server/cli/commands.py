"""The commands, each imported when it is run or described, so that it slows no other command down."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from npc_server import plugins

OWN = {
    "serve": "serve", "setup": "setup", "bundle": "bundle", "demo": "demo", "mind": "mind", "talk": "talk", "interview": "interview",
    "settings": "settings", "editor": "app", "memory": "app", "model": "app", "persona": "app", "policy": "app", "save": "app",
}  # fmt: skip
"""The files of this package that have a command of their name: the function, or the group of commands, in each."""


class CommandsOfAll(TyperGroup):
    """The commands of npc-server and, after them, those that installed packages add."""

    def list_commands(self, ctx: Any) -> list[str]:
        own = [*OWN, *super().list_commands(ctx)]
        return [*own, *(name for name in plugins.names(plugins.COMMANDS) if name not in own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Raises BadInput for a command of npc-eval that is not installed."""
        return super().get_command(ctx, cmd_name) or _of_a_file(cmd_name) or _of_a_package(cmd_name)


def _of_a_file(name: str) -> Any:
    """Return a command of this package; None if it has none of this name."""
    return _command(name, getattr(import_module(f"npc_server.cli.{name}"), OWN[name])) if name in OWN else None


def _of_a_package(name: str) -> Any:
    """Return a command of another package; None if nobody has it."""
    found = plugins.find(plugins.COMMANDS, name)
    return None if found is None else _command(name, found)


def _command(name: str, found: Any) -> Any:
    """Return the command that a function, or a group of functions, is."""
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        alone.command(name)(found)
        found = alone
    made = typer.main.get_command(found)
    made.name = name
    return made
